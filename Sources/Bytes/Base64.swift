/// Strict Base64 (RFC 4648): no white space, no other characters, unused trailing bits zero, so that the encoding is
/// unique (section 3.5).
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

    /// Decodes canonical Base64; nil for other text. The standard alphabet requires padding, the URL alphabet forbids
    /// it (RFC 7515 section 2).
    package static func decode(_ text: Span<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var count = text.count
        if alphabet == .standard {
            guard count & 3 == 0 else { return nil }
            if count > 0, text[count &- 1] == pad { count &-= text[count &- 2] == pad ? 2 : 1 }
        }
        guard count & 3 != 1 else { return nil }
        let values = alphabet == .standard ? standardValues : urlValues
        // Invalid characters set a bit above the six of a digit, which is checked once.
        var (bytes, seen) = Base64Groups.decode(text.extracting(0..<count), values)
        let i = count & ~3
        if i < count {
            let (a, b) = (values[Int(text[i])], values[Int(text[i &+ 1])])
            let c = i &+ 2 < count ? values[Int(text[i &+ 2])] : 0
            // Unused bits must be zero (section 3.5).
            let unused = i &+ 2 < count ? c & 3 : b & 15
            seen |= a | b | c | (unused == 0 ? 0 : 64)
            bytes.append(a << 2 | b >> 4)
            if i &+ 2 < count { bytes.append(b << 4 | c >> 2) }
        }
        return seen < 64 ? bytes : nil
    }

    private static let standardValues = values(of: standardDigits)
    private static let urlValues = values(of: urlDigits)

    /// The value of each digit by its character, 255 for other characters.
    private static func values(of digits: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }
}
