/// Base32 (RFC 4648 section 6), for the secrets of one-time codes.
package enum Base32 {
    /// Decodes a case-insensitive text with or without padding; nil if it is malformed or unused bits are set.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, text[end &- 1] == 61 { end &-= 1 }
        // Padding must fill the last group or be absent.
        guard text.count == end || text.count % 8 == 0 && text.count &- end < 7, [0, 2, 4, 5, 7].contains(end % 8)
        else { return nil }
        var groups = DigitGroups(count: end)
        for i in 0..<end {
            guard let digit = value(of: text[i]) else { return nil }
            groups.append(digit)
        }
        return groups.finish()
    }

    private static func value(of character: UInt8) -> UInt8? {
        let letter = character | 32
        if letter &- 97 < 26 { return letter &- 97 }
        return (50...55).contains(character) ? character &- 24 : nil
    }
}

/// Accumulates digits to bytes.
private struct DigitGroups {
    private var bytes: [UInt8] = []
    private var group: UInt32 = 0
    private var bits = 0

    /// - Parameter count: number of digits.
    init(count: Int) { bytes.reserveCapacity(count &* 5 / 8) }

    mutating func append(_ digit: UInt8) {
        group = group << 5 | UInt32(digit)
        bits &+= 5
        if bits >= 8 {
            bits &-= 8
            bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            group &= 1 << UInt32(bits) &- 1
        }
    }

    /// Nil if unused bits are set, so that the encoding is unique (section 3.5).
    consuming func finish() -> [UInt8]? { group == 0 ? bytes : nil }
}
