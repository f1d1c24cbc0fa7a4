/// A page of the reference of keys.
struct ReferencePage {
    /// A key of the page, or a heading above keys.
    struct Entry {
        /// With code marks.
        var heading: String
        /// 2 to 4.
        var rank: Int
        /// The last component of the key; nil for a heading.
        var key: String?
        /// Where the key is: the rest of its path, for the index.
        var place = ""
        /// Facts and sentences below the heading, in Markdown with links relative to the page.
        var facts: [String] = []
        var meaning = ""
        /// JSON of an example.
        var example: String?
        /// Where else keys are described that belong here.
        var notes: [String] = []

        var anchor: String { Markdown.anchor(heading) }

        var text: String {
            var parts = ["\(String(repeating: "#", count: rank)) \(heading)"]
            if !facts.isEmpty { parts.append(facts.map { "- \($0)" }.joined(separator: "\n")) }
            if !meaning.isEmpty { parts.append(meaning) }
            parts += notes
            if let example { parts.append("```json\n\(example)\n```") }
            return parts.joined(separator: "\n\n")
        }
    }

    /// Of the file, without its suffix, and of the page.
    let name: String
    /// In Markdown.
    let introduction: [String]
    var entries: [Entry] = []

    var text: String {
        let keys = entries.filter { $0.rank == 2 }.map { "- [\($0.heading)](#\($0.anchor))" }.joined(separator: "\n")
        return (["# `\(name)`"] + introduction + [keys] + entries.map(\.text)).filter { !$0.isEmpty }
            .joined(separator: "\n\n") + "\n"
    }
}

extension Markdown {
    /// What a link to a heading says, as GitHub makes it.
    static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
    }

    /// A text with links relative to `config`, for a page in `config/reference`.
    package static func inReference(_ text: String) -> String {
        text.replacing(/\]\(([^)#][^)]*)\)/) { match in
            let link = match.output.1
            if link.contains("://") { return "](\(link))" }
            let own = "reference/"
            return link.hasPrefix(own) ? "](\(link.dropFirst(own.count)))" : "](../\(link))"
        }
    }
}
