/// A piece of a regular expression or glob for paths.
indirect enum PathToken: Hashable, Sendable {
    case character(Character)
    /// Any text, also an empty one: `.*`.
    case any
    /// Any text but an empty one: `.+`.
    case some
    /// Any text without a slash, `[^/]+`; with `isOptional` also an empty one.
    case segment(isOptional: Bool)
    /// Any one character: `.`.
    case anyCharacter
    /// A text that a conversion does not know exactly.
    case unknown(hasSlash: Bool)
    case choice([[PathToken]])
    /// The end of the text: `$`.
    case end

    static func literal(_ text: some StringProtocol) -> [PathToken] { text.map { .character($0) } }

    /// The sequences without choices that a sequence stands for.
    /// - Returns: nil for more than 64, or deeper choices than a reader makes.
    static func alternatives(_ tokens: [PathToken], depth: Int = 0) -> [[PathToken]]? {
        guard depth <= PathRegex.maximumDepth else { return nil }
        var sequences: [[PathToken]] = [[]]
        for token in tokens {
            guard case .choice(let choices) = token else {
                for index in sequences.indices { sequences[index].append(token) }
                continue
            }
            var inner: [[PathToken]] = []
            for choice in choices {
                guard let alternatives = alternatives(choice, depth: depth + 1) else { return nil }
                inner += alternatives
            }
            sequences = sequences.flatMap { sequence in inner.map { sequence + $0 } }
            guard sequences.count <= 64 else { return nil }
        }
        return sequences
    }

    var mayHaveSlash: Bool {
        switch self {
        case .character(let character): character == "/"
        case .any, .some, .anyCharacter: true
        case .segment, .end: false
        case .unknown(let hasSlash): hasSlash
        case .choice(let choices): choices.contains { $0.contains(where: \.mayHaveSlash) }
        }
    }
}

/// Reads the regular expressions that configurations have for paths. Other parts become `unknown`.
struct PathRegex {
    /// The most groups within each other.
    static let maximumDepth = 32

    private var rest: Substring
    private var isWhole = true
    private var depth = 0

    private init(_ text: some StringProtocol) { rest = Substring(text) }

    /// The tokens of an expression. `^` and `$` stand at its ends only; anything else there is `unknown`.
    static func tokens(_ text: some StringProtocol) -> [PathToken] {
        guard isPlain(text) else { return [.unknown(hasSlash: true)] }
        var reader = PathRegex(text)
        let choices = reader.choices()
        guard reader.rest.isEmpty, reader.isWhole else { return [.unknown(hasSlash: true)] }
        return choices.count == 1 ? choices[0] : [.choice(choices)]
    }

    /// Whether nothing changes the meaning of what follows: neither flags nor the quotes `\Q`.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        // A sign with an accent would be one character here, and two elsewhere.
        !text.contains { $0.unicodeScalars.count > 1 && $0.unicodeScalars.first?.isASCII == true }
            && !text.contains("\\Q") && text.ranges(of: "(?").allSatisfy { text[$0.upperBound...].hasPrefix(":") }
    }

    /// The alternatives of an expression, outside of groups and classes.
    /// - Returns: nil if they cannot be distinguished for certain.
    static func alternatives(_ text: String) -> [Substring]? {
        guard isPlain(text) else { return nil }
        var parts: [Substring] = []
        var (start, depth) = (text.startIndex, 0)
        var classStart: String.Index?
        var isEscaped = false
        for place in text.indices {
            let character = text[place]
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if let begin = classStart {
                // A bracket at the beginning of a class is one of its members.
                let members = text[text.index(after: begin)..<place]
                if character == "[" { return nil }
                if character == "]", !members.isEmpty, members != "^" { classStart = nil }
            } else if character == "[" {
                classStart = place
            } else if character == "(" {
                depth += 1
            } else if character == ")" {
                depth -= 1
                if depth < 0 { return nil }
            } else if character == "|", depth == 0 {
                parts.append(text[start..<place])
                start = text.index(after: place)
            }
        }
        return depth == 0 && classStart == nil && !isEscaped ? parts + [text[start...]] : nil
    }

    private mutating func choices() -> [[PathToken]] {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            (isWhole, rest) = (false, "")
            return [[]]
        }
        var choices: [[PathToken]] = [[]]
        while let first = rest.first, first != ")" {
            rest.removeFirst()
            if first == "|" { choices.append([]) } else { choices[choices.count - 1].append(quantified(token(first))) }
        }
        return choices
    }

    private mutating func token(_ first: Character) -> PathToken {
        switch first {
        case ".":
            guard let sign = rest.first, "*+".contains(sign) else { return .anyCharacter }
            rest.removeFirst()
            if rest.hasPrefix("?") { rest.removeFirst() }
            return sign == "*" ? .any : .some
        case "$": return .end
        case "\\":
            guard let next = rest.popFirst() else {
                isWhole = false
                return .end
            }
            // Letters and digits stand for classes, places and references.
            if !next.isLetter, !next.isNumber { return .character(next) }
            return .unknown(hasSlash: !"dw".contains(next))
        case "[": return bracketed()
        case "(":
            if rest.hasPrefix("?:") { rest.removeFirst(2) }
            let choices = choices()
            if rest.popFirst() != ")" { isWhole = false }
            return .choice(choices)
        case "^", "*", "+", "?", "{", ")":
            isWhole = false
            return .unknown(hasSlash: true)
        default: return .character(first)
        }
    }

    /// A class behind its bracket: `[^/]` is one character of a segment.
    private mutating func bracketed() -> PathToken {
        guard let end = rest.dropFirst(rest.hasPrefix("^") ? 2 : 1).firstIndex(of: "]") else {
            isWhole = false
            return .end
        }
        let members = rest[..<end]
        rest = rest[rest.index(after: end)...]
        if members == "^/" || members == "^\\/" { return .segment(isOptional: false) }
        // Its bracket may be one of the members, so that the class ends elsewhere.
        if members.contains(where: { "\\[".contains($0) }) { isWhole = false }
        if members.hasPrefix("^") { return .unknown(hasSlash: !members.contains("/")) }
        let isPlain = members.allSatisfy { $0.isLetter || $0.isNumber || "-_.~%@:".contains($0) }
        // A range from or to a mark may have the slash: `[+-9]`.
        let ranges = members.matches(of: /(.)-(.)/)
        let isAlphanumeric = ranges.allSatisfy { match in
            let ends = [match.1, match.2].map { $0.first ?? "/" }
            return ends.allSatisfy { $0.isLetter || $0.isNumber }
        }
        return .unknown(hasSlash: !(isPlain && isAlphanumeric))
    }

    /// The token with what follows it: `*`, `+`, `?` or `{…}`, and `?` behind that.
    private mutating func quantified(_ token: PathToken) -> PathToken {
        guard let sign = rest.first, "*+?{".contains(sign) else {
            // One character of a segment is not the segment.
            return token == .segment(isOptional: false) ? .unknown(hasSlash: false) : token
        }
        rest.removeFirst()
        if sign == "{" {
            guard let end = rest.firstIndex(of: "}") else {
                isWhole = false
                return .end
            }
            // Anything else in braces stands for itself.
            if !rest[..<end].allSatisfy({ "0123456789,".contains($0) }) { isWhole = false }
            rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("?") || rest.hasPrefix("+") { rest.removeFirst() }
        switch (token, sign) {
        case (.segment, "*"): return .segment(isOptional: true)
        case (.segment, "+"): return .segment(isOptional: false)
        case (.character, "?"): return .choice([[token], []])
        case (.choice(let choices), "?"): return .choice(choices + [[]])
        case (.end, _):
            isWhole = false
            return .end
        default: return .unknown(hasSlash: token.mayHaveSlash)
        }
    }
}
