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
        // By scalars: a joiner or an accent that follows a brace makes one character with it.
        var rest = text.unicodeScalars[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { throw .brace }
            if open > rest.startIndex { parts.append(.literal(String(Substring(rest[..<open])))) }
            let name = String(Substring(rest[rest.index(after: open)..<close]))
            guard let value = PageValue(rawValue: name) else { throw .unknown(name) }
            parts.append(.value(value))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(Substring(rest)))) }
        self.parts = parts
    }

    /// A text without values.
    package init(literal text: String) { parts = [.literal(text)] }
}
