/// Base32 after RFC 4648 section 6, as the secrets of one-time codes are written.
package enum Base32 {
    /// The bytes of a text in either case, with its padding or without; nil where it is none, or unused bits are set.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, text[end &- 1] == 61 { end &-= 1 }
        // Padding fills the last group, or there is none.
        guard text.count == end || text.count % 8 == 0 && text.count &- end < 7, [0, 2, 4, 5, 7].contains(end % 8)
        else { return nil }
        var groups = DigitGroups(width: 5, count: end)
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
