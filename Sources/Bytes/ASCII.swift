/// ASCII characters and character classes.
@usableFromInline
package enum ASCII {
    @inlinable
    package static var tab: UInt8 { 9 }
    @inlinable
    package static var lineFeed: UInt8 { 10 }
    @inlinable
    package static var carriageReturn: UInt8 { 13 }
    @inlinable
    package static var space: UInt8 { 32 }
    @inlinable
    package static var quote: UInt8 { 34 }
    @inlinable
    package static var percent: UInt8 { 37 }
    @inlinable
    package static var comma: UInt8 { 44 }
    @inlinable
    package static var dot: UInt8 { 46 }
    @inlinable
    package static var slash: UInt8 { 47 }
    @inlinable
    package static var colon: UInt8 { 58 }
    @inlinable
    package static var backslash: UInt8 { 92 }

    /// The lower-case form of an ASCII letter; any other byte as it is.
    @inlinable
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 32 : byte
    }

    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    @inlinable
    package static func isLetter(_ byte: UInt8) -> Bool { (byte | 32) &- 97 < 26 }

    /// The byte of an escape (RFC 3986 section 2.1); nil if none stands there.
    package static func percentDecoded(_ text: Span<UInt8>, at position: Int) -> UInt8? {
        guard position + 2 < text.count, text[position] == percent, let high = hexadecimalValue(text[position + 1]),
            let low = hexadecimalValue(text[position + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Value of a hexadecimal digit, or nil.
    @inlinable
    package static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 48 }
        let letter = (byte | 32) &- 97
        return letter < 6 ? letter &+ 10 : nil
    }
}

/// Whether two pieces of text are the same bytes.
package func bytesEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for i in left.indices where left[i] != right[i] { return false }
    return true
}

/// Whether two pieces of text are the same but for the case of ASCII letters.
package func bytesEqualIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for i in left.indices where ASCII.lowercased(left[i]) != ASCII.lowercased(right[i]) { return false }
    return true
}
