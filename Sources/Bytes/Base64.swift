/// Base64 after RFC 4648, read strictly: no white space, no stray characters, unused trailing bits zero, so that every
/// text has one meaning and every meaning one text (section 3.5).
package enum Base64 {
    /// The two alphabets: `+` and `/` (section 4), or `-` and `_` (section 5).
    package enum Alphabet: Sendable {
        case standard
        case url
    }

    private static let standardDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let pad: UInt8 = 61

    /// The text of some bytes.
    /// - Parameter padding: whether `=` fills the last group; by default in the standard alphabet only.
    package static func encode(
        _ bytes: Span<UInt8>, _ alphabet: Alphabet = .standard, padding: Bool? = nil
    ) -> [UInt8] {
        let digits = alphabet == .standard ? standardDigits : urlDigits
        let padded = padding ?? (alphabet == .standard)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count &+ 2) / 3 &* 4)
        var i = 0
        while i &+ 3 <= bytes.count {
            let group = UInt32(bytes[i]) << 16 | UInt32(bytes[i &+ 1]) << 8 | UInt32(bytes[i &+ 2])
            text.append(digits[Int(group >> 18)])
            text.append(digits[Int(group >> 12 & 63)])
            text.append(digits[Int(group >> 6 & 63)])
            text.append(digits[Int(group & 63)])
            i &+= 3
        }
        let rest = bytes.count &- i
        guard rest > 0 else { return text }
        let group = UInt32(bytes[i]) << 16 | (rest == 2 ? UInt32(bytes[i &+ 1]) << 8 : 0)
        text.append(digits[Int(group >> 18)])
        text.append(digits[Int(group >> 12 & 63)])
        if rest == 2 { text.append(digits[Int(group >> 6 & 63)]) }
        if padded { text.append(contentsOf: repeatElement(pad, count: 3 &- rest)) }
        return text
    }

    /// The bytes of a text, or nil where it is not canonical Base64. The standard alphabet needs its padding, the URL
    /// alphabet accepts none (RFC 7515 section 2).
    package static func decode(_ text: Span<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var count = text.count
        if alphabet == .standard {
            guard count & 3 == 0 else { return nil }
            if count > 0, text[count &- 1] == pad { count &-= text[count &- 2] == pad ? 2 : 1 }
        }
        guard count & 3 != 1 else { return nil }
        var groups = DigitGroups(width: 6, count: count)
        for i in 0..<count {
            guard let digit = value(of: text[i], alphabet) else { return nil }
            groups.append(digit)
        }
        return groups.finish()
    }

    private static func value(of character: UInt8, _ alphabet: Alphabet) -> UInt8? {
        if character &- 65 < 26 { return character &- 65 }
        if character &- 97 < 26 { return character &- 71 }
        if ASCII.isDigit(character) { return character &+ 4 }
        switch (alphabet, character) {
        case (.standard, 43), (.url, 45): return 62
        case (.standard, 47), (.url, 95): return 63
        default: return nil
        }
    }
}
