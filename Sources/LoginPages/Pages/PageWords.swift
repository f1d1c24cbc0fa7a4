import Bytes
import Model

/// Words on a page: a text in the browser's language with its values, or a text that is the same in all languages.
package enum PageWords: Sendable, Equatable {
    case text(PageText, [PageValue: String] = [:])
    /// A name from the configuration, or what a user has written.
    case verbatim(String)
}

extension PageLanguage {
    /// The words as HTML, for an element or a quoted attribute.
    ///
    /// Values are set apart where their direction may differ from that of the text around them.
    package func callAsFunction(_ words: PageWords) -> String {
        switch words {
        case .verbatim(let text): MarkupText.escaped(text)
        case .text(let text, let values):
            self[text].parts.map { part in
                switch part {
                case .literal(let literal): MarkupText.escaped(literal)
                case .value(let name): isolated(values[name] ?? "")
                }
            }.joined()
        }
    }

    package func callAsFunction(_ text: PageText, _ values: [PageValue: String] = [:]) -> String {
        self(.text(text, values))
    }

    /// The words as plain text.
    func plain(_ words: PageWords) -> String {
        switch words {
        case .verbatim(let text): text
        case .text(let text, let values):
            self[text].parts.map { part in
                switch part {
                case .literal(let literal): literal
                case .value(let name): values[name] ?? ""
                }
            }.joined()
        }
    }

    private func isolated(_ value: String) -> String {
        let text = MarkupText.escaped(value)
        let isPlain = !tag.isRightToLeft && value.utf8.allSatisfy { $0 < 0x80 }
        return isPlain ? text : "<bdi>\(text)</bdi>"
    }
}
