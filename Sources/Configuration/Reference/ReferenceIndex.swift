/// The reference of the configuration: a page for each section and for each large object of `gateway.json`, and an index.
package struct ReferenceIndex {
    /// A page that other declarations give.
    package struct Other {
        package let name: String
        package let title: String
        package let text: String

        /// - Parameter text: with links relative to `config`.
        package init(name: String, title: String, text: String) {
            (self.name, self.title, self.text) = (name, title, Markdown.inReference(text))
        }
    }

    private let pages: [ReferencePage]
    private let others: [Other]

    /// - Parameter examples: nil for a reference without examples.
    package init(_ sections: [SectionForm], others: [Other] = [], examples: ReferenceExamples?) {
        var writer = ReferenceWriter(examples: examples)
        for section in sections.flatMap({ [$0] + $0.others }) { writer.add(section) }
        pages = writer.pages
        self.others = others
    }

    /// The files by name.
    package var files: [(name: String, text: String)] {
        [("README.md", index)] + pages.map { ("\($0.name).md", $0.text) } + others.map { ("\($0.name).md", $0.text) }
    }

    private var index: String {
        let reload = Markdown.inReference("[reload](guides/reload.md#reload)")
        let variable = Markdown.inReference(
            "[Variable of the environment](guides/secrets.md#variables-of-the-environment)")
        let secrets = Markdown.inReference("[secrets](guides/secrets.md#secrets)")
        return """
            # Reference

            Written by `portcullis schema` from the declarations of the program.

            \(others.map { "- [\($0.title)](\($0.name).md)" }.joined(separator: "\n"))

            ## Sections

            Each section is a file of the configuration. Members of `gateway.json` with many keys have a page of their own.

            \(pages.map { "- [`\($0.name)`](\($0.name).md): \($0.introduction[1])" }.joined(separator: "\n"))

            ## Notation

            `a.b` is member `b` of the object `a`. `a[]` is each element of a list. `NAME` is any name.

            | Fact | Meaning |
            |---|---|
            | Value | Type of the value, or the allowed values. |
            | Default | Value without the key. |
            | Required | The object is invalid without the key. |
            | Since | First version that has the key. Keys without this line are of 0.9, the first numbered version. |
            | Change: reload | A changed value applies at a \(reload). |
            | Change: restart | A changed value applies at the next start. A reload logs `reload_ignored`. |
            | Variable | \(variable) that replaces the value. |

            Examples are valid values, not recommendations.

            ## Values

            | Value | Meaning |
            |---|---|
            | size | Number of bytes, or a text with a unit: `"64KiB"`, `"1MiB"`, `"2GiB"`. |
            | duration | Text with a unit: `"250ms"`, `"30s"`, `"5m"`, `"1h"`. |
            | seconds | Number of seconds. |
            | level | Authentication level, 0 to 10. |
            | role | A role of `roles.json`. |
            | backend | A mobile backend, written `NAME/VERSION`. |
            | header | Name of a header field. |
            | secret | The secret itself, `env:NAME`, `file:PATH`, `cred:KEY` or `program:NAME:KEY`: \(secrets). |

            ## All keys

            \(keys)

            """
    }

    /// The keys in alphabetical order, each with links to its places.
    private var keys: String {
        let links = pages.flatMap { page in
            page.entries.compactMap { entry in
                entry.key.map { (key: $0, link: "[`\(entry.place)`](\(page.name).md#\(entry.anchor))") }
            }
        }
        let names = Dictionary(grouping: links, by: \.key)
        return names.sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
            .map { "- `\($0.key)`: \($0.value.map(\.link).joined(separator: ", "))" }.joined(separator: "\n")
    }
}
