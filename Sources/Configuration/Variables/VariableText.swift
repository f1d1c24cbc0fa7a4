import Bytes

/// A string of the configuration, in which `${NAME}` and `${NAME:-default}` stand for variables of the environment, and
/// `$${` for the text `${`. Names are in upper case, so that the placeholders of other texts, such as `${user}`, are left
/// alone.
struct VariableText {
    enum Piece: Equatable {
        case text(Substring)
        /// With the value of a variable that is not set or empty; nil for none.
        case variable(String, standard: String?)
        /// A beginning without an end, or with another name.
        case malformed(Substring)
    }

    let pieces: [Piece]

    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstMatch(of: VariableText.start)?.range {
            let isEscaped = rest[..<start.lowerBound].last == "$"
            pieces.append(.text(isEscaped ? rest[..<start.lowerBound].dropLast() : rest[..<start.lowerBound]))
            if isEscaped {
                pieces.append(.text("${"))
                rest = rest[rest.index(start.lowerBound, offsetBy: 2)...]
            } else if let variable = rest[start.lowerBound...].prefixMatch(of: VariableText.variable) {
                pieces.append(.variable(String(variable.1), standard: variable.2.map { String($0) }))
                rest = rest[variable.range.upperBound...]
            } else {
                pieces.append(.malformed(rest[start.lowerBound...]))
                rest = rest[rest.endIndex...]
            }
        }
        pieces.append(.text(rest))
        self.pieces = pieces
    }

    /// Whether a text has a variable or an escape.
    static func isMarked(_ text: String) -> Bool { text.contains("${") && text.contains(start) }

    /// The text in which variables are escaped, so that it is read as this one.
    static func escaping(_ text: String) -> String {
        isMarked(text) ? text.replacing(start) { "$" + $0.output } : text
    }

    // Computed, since a regular expression cannot be shared between threads.
    private static var start: Regex<Substring> { /\$\{[A-Z_]/ }
    private static var variable: Regex<(Substring, Substring, Substring?)> { /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/ }
}

extension JSONNode {
    /// The same with strings that stand for these, for data that a program writes.
    var escapingVariables: JSONNode {
        var node = self
        switch value {
        case .string(let text): node.value = .string(VariableText.escaping(text))
        case .array(let elements): node.value = .array(elements.map(\.escapingVariables))
        case .object(let members):
            node.value = .object(
                members.map { member in
                    var member = member
                    member.node = member.node.escapingVariables
                    return member
                })
        case .null, .bool, .number: break
        }
        return node
    }

    /// Whether a string in it has a variable. Escapes are none.
    var hasVariables: Bool {
        switch value {
        case .string(let text):
            VariableText.isMarked(text)
                && VariableText(text).pieces.contains { if case .variable = $0 { true } else { false } }
        case .array(let elements): elements.contains(where: \.hasVariables)
        case .object(let members): members.contains(where: \.node.hasVariables)
        case .null, .bool, .number: false
        }
    }
}
