import Bytes

/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.3).
package struct AuthenticationChallenge: Equatable, Sendable {
    package struct Parameter: Equatable, Sendable {
        package var name: String
        /// Unquoted and unescaped.
        package var value: String
    }

    package var scheme: String
    /// The value instead of parameters, as in `Negotiate YII=`.
    package var token68: String?
    package var parameters: [Parameter]

    /// The value of a parameter by case-insensitive name; nil if it is missing or repeated.
    package func parameter(_ name: String) -> String? {
        let matching = parameters.filter { bytesEqualIgnoringCase($0.name.utf8Bytes.span, name.utf8Bytes.span) }
        return matching.count == 1 ? matching[0].value : nil
    }
}

extension String {
    fileprivate var utf8Bytes: [UInt8] { Array(utf8) }
}

/// Parses the challenges of a `WWW-Authenticate` value (RFC 9110 section 11.6.1). Not for the hot path.
package struct ChallengeList {
    /// The challenges of the value; nil if it is malformed.
    package static func parse(_ value: Span<UInt8>) -> [AuthenticationChallenge]? {
        var reader = ChallengeList()
        return reader.read(value) ? reader.challenges : nil
    }

    private var challenges: [AuthenticationChallenge] = []
    private var position = 0

    /// Whether a comma precedes the next item; required for all items but the first.
    private mutating func read(_ value: Span<UInt8>) -> Bool {
        while true {
            let separated = skipCommas(value) || challenges.isEmpty
            if position == value.count { return true }
            guard separated, let word = readToken(value) else { return false }
            let afterWord = position
            skipBlanks(value)
            if position < value.count, value[position] == 61, !challenges.isEmpty {
                position &+= 1
                guard addParameter(word, value) else { return false }
            } else {
                position = afterWord
                guard addScheme(word, value) else { return false }
            }
        }
    }

    private mutating func addScheme(_ scheme: String, _ value: Span<UInt8>) -> Bool {
        var challenge = AuthenticationChallenge(scheme: scheme, token68: nil, parameters: [])
        let start = position
        skipBlanks(value)
        let atEnd = position == value.count || value[position] == ASCII.comma
        if atEnd {
            challenges.append(challenge)
            return true
        }
        guard position > start else { return false }
        challenge.token68 = readToken68(value)
        challenges.append(challenge)
        if challenge.token68 != nil { return true }
        guard let name = readToken(value) else { return false }
        skipBlanks(value)
        guard position < value.count, value[position] == 61 else { return false }
        position &+= 1
        return addParameter(name, value)
    }

    private mutating func addParameter(_ name: String, _ value: Span<UInt8>) -> Bool {
        // Parameters cannot follow a token68.
        guard challenges[challenges.count - 1].token68 == nil else { return false }
        skipBlanks(value)
        let quoted = position < value.count && value[position] == ASCII.quote
        guard let text = quoted ? readQuoted(value) : readToken(value) else { return false }
        challenges[challenges.count - 1].parameters.append(.init(name: name, value: text))
        return true
    }

    private mutating func skipBlanks(_ value: Span<UInt8>) {
        while position < value.count, FieldSyntax.isBlank(value[position]) { position &+= 1 }
    }

    /// Skips blanks and commas; returns whether there was a comma.
    private mutating func skipCommas(_ value: Span<UInt8>) -> Bool {
        var found = false
        while position < value.count, FieldSyntax.isBlank(value[position]) || value[position] == ASCII.comma {
            if value[position] == ASCII.comma { found = true }
            position &+= 1
        }
        return found
    }

    private mutating func readToken(_ value: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        while position < value.count, FieldSyntax.isToken(value[position]) {
            bytes.append(value[position])
            position &+= 1
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// A token68 (RFC 9110 section 11.2) that ends the challenge; nil without consuming anything if there is none.
    private mutating func readToken68(_ value: Span<UInt8>) -> String? {
        var end = position
        while end < value.count, Self.isToken68(value[end]) { end &+= 1 }
        guard end > position else { return nil }
        while end < value.count, value[end] == 61 { end &+= 1 }
        var next = end
        while next < value.count, FieldSyntax.isBlank(value[next]) { next &+= 1 }
        guard next == value.count || value[next] == ASCII.comma else { return nil }
        var bytes: [UInt8] = []
        for i in position..<end { bytes.append(value[i]) }
        position = end
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 45 || byte == 46 || byte == 95 || byte == 126
            || byte == 43 || byte == ASCII.slash
    }

    /// A quoted string (RFC 9110 section 5.6.4). A folded line in it is read as one blank, since challenges of
    /// Webgates may have two lines (CHAL-01).
    private mutating func readQuoted(_ value: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        position &+= 1
        while position < value.count {
            var byte = value[position]
            position &+= 1
            if byte == ASCII.quote { return String(streamSafe: bytes) }
            if byte == ASCII.carriageReturn {
                guard position &+ 1 < value.count, value[position] == ASCII.lineFeed,
                    FieldSyntax.isBlank(value[position &+ 1])
                else { return nil }
                position &+= 1
                skipBlanks(value)
                bytes.append(ASCII.space)
                continue
            }
            if byte == ASCII.backslash {
                guard position < value.count else { return nil }
                byte = value[position]
                position &+= 1
            }
            guard FieldSyntax.isValue(byte) else { return nil }
            bytes.append(byte)
        }
        return nil
    }
}
