import Bytes
import Model

/// A file of texts in one language: an object of texts by the names of `PageText`.
enum PageTextFile {
    private static let largest = 262_144
    private static let longestText = 1000
    /// How many missing texts a warning names.
    private static let named = 5

    /// - Parameter field: the name of the file.
    static func read(_ field: Field, _ tag: LanguageTag) -> [PageText: PageTemplate]? {
        guard let bytes = OwnFile.contents(field) else { return nil }
        let expected = "an object of texts by name, of at most \(largest) bytes"
        guard bytes.count <= largest else { return field.error("the file is too large", expected: expected) }
        let file = field.node.string ?? ""
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode.parse(bytes, file: file)
        } catch {
            let problem = JSONProblem(error, in: bytes, file: file)
            return field.error("the file \(field.summary) is malformed: \(problem.text)", expected: problem.expected)
        }
        guard let members = root.members else {
            return field.error("the file \(field.summary) holds no object", expected: expected)
        }
        var texts: [PageText: PageTemplate] = [:]
        var present: Set<PageText> = []
        for member in members {
            let line = SourceFile.line(at: member.nameOffset, in: bytes)
            guard let text = PageText(rawValue: member.name) else {
                field.error(
                    "line \(line) of \(field.summary): unknown text \"\(member.name)\"",
                    expected: "the name of a text",
                    suggestion: Suggestion.nearest(
                        to: member.name, among: PageText.allCases.map(\.rawValue)))
                continue
            }
            present.insert(text)
            guard let words = member.node.string, isText(words) else {
                field.error(
                    "line \(line) of \(field.summary): \"\(member.name)\" is no text",
                    expected: """
                        a text of 1 to \(longestText) characters, some of them visible, without control characters and changes of \
                        direction (U+202A to U+202E)
                        """)
                continue
            }
            texts[text] = template(words, of: text, field, line)
        }
        warnOfMissing(present, tag, field)
        return texts
    }

    private static func isText(_ text: String) -> Bool {
        (1...longestText).contains(text.count) && !ShownText.isBlank(text) && ShownText.forbidden(in: text) == nil
    }

    /// A text that has the values of the English one: one without them would withhold what the user has to know.
    private static func template(_ words: String, of text: PageText, _ field: Field, _ line: Int) -> PageTemplate? {
        let place = "line \(line) of \(field.summary): \"\(text.rawValue)\""
        let wanted = PageLanguage.english[text].values
        let list = wanted.map { "{\($0.rawValue)}" }.sorted().joined(separator: ", ")
        let expected = wanted.isEmpty ? "no values" : "the values \(list)"
        do throws(PageTemplate.Problem) {
            let template = try PageTemplate(words)
            guard template.values == wanted else {
                return field.error("\(place) has other values than the text in English", expected: expected)
            }
            return template
        } catch {
            switch error {
            case .brace: return field.error("\(place) has a brace without its counterpart", expected: expected)
            case .unknown(let name):
                return field.error("\(place) has the unknown value {\(name)}", expected: expected)
            }
        }
    }

    /// Replacements of texts that the gateway has may be few.
    private static func warnOfMissing(_ present: Set<PageText>, _ tag: LanguageTag, _ field: Field) {
        guard tag != .english, tag != .german else { return }
        let missing = PageText.allCases.filter { !present.contains($0) }.map(\.rawValue)
        guard !missing.isEmpty else { return }
        let rest = missing.count > named ? ", and \(missing.count - named) more" : ""
        field.warning(
            "\(missing.count) texts in \"\(tag)\" are missing and are in English: "
                + missing.prefix(named).joined(separator: ", ") + rest,
            expected: "all texts of texts/en.json, which `portcullis schema` writes")
    }
}
