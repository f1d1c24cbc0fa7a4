/// A part of a template: text, or the name of a placeholder.
enum TemplatePart: Hashable {
    case text(String)
    case placeholder(String)

    /// Splits a template at `${name}`. `$${` stands for `${`. What looks like a variable of the environment is text, since
    /// those were replaced before. Texts in a row may be several parts.
    ///
    /// - Returns: nil for `${` without an end.
    static func split(_ text: String) -> [TemplatePart]? {
        var parts: [TemplatePart] = []
        func append(_ text: Substring) {
            if !text.isEmpty { parts.append(.text(String(text))) }
        }
        var rest = text[...]
        while let dollar = rest.firstRange(of: "${") {
            let isEscaped = rest[..<dollar.lowerBound].last == "$"
            append(isEscaped ? rest[..<dollar.lowerBound].dropLast() : rest[..<dollar.lowerBound])
            rest = rest[dollar.upperBound...]
            if isEscaped || beginsVariable(rest) {
                append("${")
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { return nil }
            parts.append(.placeholder(String(rest[..<end])))
            rest = rest[rest.index(after: end)...]
        }
        append(rest)
        return parts
    }

    private static func beginsVariable(_ text: Substring) -> Bool {
        guard let first = text.utf8.first else { return false }
        return first == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= first
    }
}
