import Bytes
import CTexts
import Declaration
import Model

/// A file of texts in one language: an object of texts by name.
enum PageTextFile {
    private static let largest = 262_144
    private static let longestText = 1000
    /// How many missing texts a warning names.
    private static let named = 5

    /// The names of all texts in their order, and the values that each has.
    static let known: [(name: String, values: Set<PageValue>)] = {
        let file = [UInt8](embedded: page_texts_en)
        return ((try? JSONNode.parse(file.span))?.members ?? []).map { member in
            (member.name, (try? PageTemplate(member.node.string ?? ""))?.values ?? [])
        }
    }()

    /// - Parameter field: the name of the file.
    static func read(_ field: Field, _ tag: LanguageTag) -> [String: PageTemplate]? {
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
        var texts: [String: PageTemplate] = [:]
        var present: Set<String> = []
        for member in members {
            let line = SourceFile.line(at: member.nameOffset, in: bytes)
            guard let text = known.first(where: { $0.name == member.name }) else {
                field.error(
                    "line \(line) of \(field.summary): unknown text \"\(member.name)\"",
                    expected: "the name of a text",
                    suggestion: Suggestion.nearest(to: member.name, among: known.map(\.name)))
                continue
            }
            present.insert(text.name)
            guard let words = member.node.string, isText(words) else {
                field.error(
                    "line \(line) of \(field.summary): \"\(member.name)\" is no text",
                    expected: """
                        a text of 1 to \(longestText) characters, some of them visible, without control characters and changes of \
                        direction (U+202A to U+202E)
                        """)
                continue
            }
            let place = "line \(line) of \(field.summary): \"\(text.name)\""
            texts[text.name] = template(words, field, place: place, values: text.values)
        }
        warnOfMissing(present, tag, field)
        return texts
    }

    private static func isText(_ text: String) -> Bool {
        (1...longestText).contains(text.count) && !ShownText.isBlank(text) && ShownText.forbidden(in: text) == nil
    }

    /// A text that has the values of the English one: one without them would withhold what the user has to know.
    private static func template(
        _ words: String, _ field: Field, place: String, values wanted: Set<PageValue>
    ) -> PageTemplate? {
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
    private static func warnOfMissing(_ present: Set<String>, _ tag: LanguageTag, _ field: Field) {
        guard tag != .english, tag != .german else { return }
        let missing = known.map(\.name).filter { !present.contains($0) }
        guard !missing.isEmpty else { return }
        let rest = missing.count > named ? ", and \(missing.count - named) more" : ""
        field.warning(
            "\(missing.count) texts in \"\(tag)\" are missing and are in English: "
                + missing.prefix(named).joined(separator: ", ") + rest,
            expected: "all texts of texts/en.json, which `portcullis schema` writes")
    }
}
