/// The text of a page, cut into literal parts and values.
package struct PageTemplate: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case literal(String)
        case value(PageValue)
    }

    /// Why a text is no template.
    package enum Problem: Error, Equatable, Sendable {
        /// A brace without its counterpart.
        case brace
        /// The name in braces is none of `PageValue`.
        case unknown(String)
    }

    package let parts: [Part]

    package var values: Set<PageValue> {
        Set(parts.compactMap { if case .value(let value) = $0 { value } else { nil } })
    }

    package init(_ text: String) throws(Problem) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { throw .brace }
            if open > rest.startIndex { parts.append(.literal(String(rest[..<open]))) }
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = PageValue(rawValue: name) else { throw .unknown(name) }
            parts.append(.value(value))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        self.parts = parts
    }

    /// A text without values.
    private init(literal text: String) { parts = [.literal(text)] }

    /// A text that the program has itself.
    init(builtIn text: String) {
        self = (try? PageTemplate(text)) ?? PageTemplate(literal: text)
    }
}
