/// Base32 after RFC 4648 section 6, as the secrets of one-time codes are written.
package enum Base32 {
    /// The bytes of a text in either case, with its padding or without; nil where it is none, or unused bits are set.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, text[end &- 1] == 61 { end &-= 1 }
        guard text.count &- end < 7, [0, 2, 4, 5, 7].contains(end % 8) else { return nil }
        var bytes: [UInt8] = []
        var group: UInt32 = 0
        var bits = 0
        for i in 0..<end {
            guard let digit = value(of: text[i]) else { return nil }
            group = group << 5 | UInt32(digit)
            bits &+= 5
            if bits >= 8 {
                bits &-= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= 1 << UInt32(bits) &- 1
            }
        }
        return group == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        let letter = character | 32
        if letter &- 97 < 26 { return letter &- 97 }
        return (50...55).contains(character) ? character &- 24 : nil
    }
}
