/// A recursive descent parser of one JSON text with bounded depth.
struct JSONReader: ~Escapable {
    private let text: Span<UInt8>
    private let maximumDepth: Int
    private var position = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>, maximumDepth: Int) {
        self.text = text
        self.maximumDepth = maximumDepth
    }

    /// Reads the one value of the text, with white space around it.
    mutating func readText() throws(JSONError) -> JSONNode {
        // That of UTF-8, or of UTF-16, whose bytes are unexpected everywhere else as well.
        if let first = peek(), first >= 0xEF, text.startsWithByteOrderMark { throw error(.byteOrderMark) }
        let node = try readValue(depth: 0)
        skipWhiteSpace()
        guard position == text.count else { throw error(.trailingCharacters) }
        return node
    }

    private mutating func readValue(depth: Int) throws(JSONError) -> JSONNode {
        skipWhiteSpace()
        let start = position
        guard let character = peek() else { throw error(.unexpectedEnd) }
        switch character {
        case UInt8(ascii: "{"): return JSONNode(try readObject(depth: depth), offset: start)
        case UInt8(ascii: "["): return JSONNode(try readArray(depth: depth), offset: start)
        case ASCII.quote: return JSONNode(.string(try readString()), offset: start)
        case UInt8(ascii: "t"): return JSONNode(try readLiteral("true", .bool(true)), offset: start)
        case UInt8(ascii: "f"): return JSONNode(try readLiteral("false", .bool(false)), offset: start)
        case UInt8(ascii: "n"): return JSONNode(try readLiteral("null", .null), offset: start)
        case UInt8(ascii: "-"): return JSONNode(try readNumber(), offset: start)
        case _ where ASCII.isDigit(character): return JSONNode(try readNumber(), offset: start)
        default: throw error(.unexpectedCharacter)
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        position &+= 1
        var members: [JSONMember] = []
        var names = UniqueNames()
        skipWhiteSpace()
        if take(UInt8(ascii: "}")) { return .object([]) }
        members.reserveCapacity(4)
        while true {
            skipWhiteSpace()
            let nameOffset = position
            guard let character = peek() else { throw error(.unexpectedEnd) }
            guard character == ASCII.quote else { throw error(.expectedName) }
            let name = try readString()
            guard names.insert(name, after: members) else {
                throw JSONError(kind: .duplicateName, offset: nameOffset)
            }
            skipWhiteSpace()
            guard take(ASCII.colon) else { throw error(position < text.count ? .expectedColon : .unexpectedEnd) }
            members.append(JSONMember(name: name, nameOffset: nameOffset, node: try readValue(depth: depth &+ 1)))
            skipWhiteSpace()
            if take(ASCII.comma) { continue }
            if take(UInt8(ascii: "}")) { return .object(members) }
            throw error(position < text.count ? .expectedCommaOrEnd : .unexpectedEnd)
        }
    }

    private mutating func readArray(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        position &+= 1
        var elements: [JSONNode] = []
        skipWhiteSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            elements.append(try readValue(depth: depth &+ 1))
            skipWhiteSpace()
            if take(ASCII.comma) { continue }
            if take(UInt8(ascii: "]")) { return .array(elements) }
            throw error(position < text.count ? .expectedCommaOrEnd : .unexpectedEnd)
        }
    }

    private mutating func readLiteral(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let start = position
        for character in word.utf8 {
            guard take(character) else { throw JSONError(kind: .invalidLiteral, offset: start) }
        }
        return value
    }

    /// `[ minus ] int [ frac ] [ exp ]`, RFC 8259 section 6.
    private mutating func readNumber() throws(JSONError) -> JSONValue {
        let start = position
        let malformed = JSONError(kind: .invalidNumber, offset: start)
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard skipDigits() else { throw malformed }
        }
        if take(ASCII.dot) {
            guard skipDigits() else { throw malformed }
        }
        if let character = peek(), character | 32 == UInt8(ascii: "e") {
            position &+= 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() else { throw malformed }
        }
        if let next = peek(), ASCII.isDigit(next) || ASCII.isLetter(next) || next == ASCII.dot { throw malformed }
        return .number(try string(of: text.extracting(start..<position), offset: start))
    }

    private mutating func readString() throws(JSONError) -> String {
        let start = position
        position &+= 1
        let first = position
        position = ByteScan.firstEscaped(in: text, from: first)
        guard let character = peek() else { throw error(.unexpectedEnd) }
        switch character {
        case ASCII.quote:
            position &+= 1
            return try string(of: text.extracting(first..<position &- 1), offset: start)
        case ASCII.backslash: return try readEscapedString(from: start)
        default: throw error(.controlCharacter)
        }
    }

    /// Continues a string from its first escape.
    private mutating func readEscapedString(from start: Int) throws(JSONError) -> String {
        var bytes = [UInt8](copying: text.extracting(start &+ 1..<position))
        while let character = peek() {
            switch character {
            case ASCII.quote:
                position &+= 1
                return try string(of: bytes.span, offset: start)
            case ASCII.backslash:
                try readEscape(into: &bytes)
            case 0..<32:
                throw error(.controlCharacter)
            default:
                bytes.append(character)
                position &+= 1
            }
        }
        throw error(.unexpectedEnd)
    }

    private mutating func readEscape(into bytes: inout [UInt8]) throws(JSONError) {
        let start = position
        guard position &+ 1 < text.count else { throw JSONError(kind: .unexpectedEnd, offset: text.count) }
        let character = text[position &+ 1]
        position &+= 2
        switch character {
        case ASCII.quote, ASCII.backslash, ASCII.slash: bytes.append(character)
        case UInt8(ascii: "b"): bytes.append(8)
        case UInt8(ascii: "f"): bytes.append(12)
        case UInt8(ascii: "n"): bytes.append(ASCII.lineFeed)
        case UInt8(ascii: "r"): bytes.append(ASCII.carriageReturn)
        case UInt8(ascii: "t"): bytes.append(ASCII.tab)
        case UInt8(ascii: "u"): bytes.append(contentsOf: try readUnicodeEscape(from: start).utf8)
        default: throw JSONError(kind: .invalidEscape, offset: start)
        }
    }

    /// The character of `uXXXX`, or of two of them that are a surrogate pair (RFC 8259 section 7).
    private mutating func readUnicodeEscape(from start: Int) throws(JSONError) -> Character {
        let lone = JSONError(kind: .loneSurrogate, offset: start)
        let first = try readFourDigits(from: start)
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard first < 0xDC00, take(ASCII.backslash), take(UInt8(ascii: "u")) else { throw lone }
        let second = try readFourDigits(from: start)
        guard second &- 0xDC00 < 0x400 else { throw lone }
        guard let scalar = Unicode.Scalar(0x10000 &+ (first &- 0xD800) << 10 &+ (second &- 0xDC00)) else { throw lone }
        return Character(scalar)
    }

    private mutating func readFourDigits(from start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek().flatMap(ASCII.hexadecimalValue) else {
                throw JSONError(kind: .invalidEscape, offset: start)
            }
            value = value << 4 | UInt32(digit)
            position &+= 1
        }
        return value
    }

    private func string(of raw: Span<UInt8>, offset: Int) throws(JSONError) -> String {
        guard let checked = try? UTF8Span(validating: raw) else { throw JSONError(kind: .invalidUTF8, offset: offset) }
        let text = String(copying: checked)
        guard checked.isKnownASCII || StreamSafeText.holds(text) else {
            throw JSONError(kind: .tooManyMarks, offset: offset)
        }
        return text
    }

    private func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind: kind, offset: position) }

    private func peek() -> UInt8? { position < text.count ? text[position] : nil }

    private mutating func take(_ character: UInt8) -> Bool {
        guard position < text.count, text[position] == character else { return false }
        position &+= 1
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < text.count, ASCII.isDigit(text[position]) { position &+= 1 }
        return position > start
    }

    private mutating func skipWhiteSpace() {
        while position < text.count {
            switch text[position] {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: position &+= 1
            default: return
            }
        }
    }
}

/// The names of one object so far: compared one by one while they are few, then by hash, so that large objects take
/// linear time.
private struct UniqueNames {
    private static let few = 16
    private var many: Set<ExactText> = []

    /// Adds a name; returns false if one of the `members` has it already.
    mutating func insert(_ name: String, after members: [JSONMember]) -> Bool {
        if members.count < UniqueNames.few {
            let name = name.utf8.span
            for i in members.indices where bytesEqual(members[i].name.utf8.span, name) { return false }
            return true
        }
        if many.isEmpty { many = Set(members.lazy.map { ExactText($0.name) }) }
        return many.insert(ExactText(name)).inserted
    }
}
