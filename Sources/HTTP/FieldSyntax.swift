import Bytes

/// Character classes of a head (RFC 9110 section 5.6, RFC 9112 section 3).
package enum FieldSyntax {
    // One bit per ASCII character of `tchar` (RFC 9110 section 5.6.2): letters, digits and !#$%&'*+-.^_`|~
    private static let tokenLow: UInt64 = 0x03ff_6cfa_0000_0000
    private static let tokenHigh: UInt64 = 0x57ff_ffff_c7ff_fffe

    /// A character of a token: method, field name, scheme, list element.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return ((byte & 64 == 0 ? tokenLow : tokenHigh) >> UInt64(byte & 63)) & 1 != 0
    }

    /// A byte of a field value: visible, obs-text, space or tab (RFC 9110 section 5.5).
    @inline(__always)
    static func isValue(_ byte: UInt8) -> Bool {
        byte >= 32 ? byte != 127 : byte == ASCII.tab
    }

    /// A byte of a request target: visible ASCII without `#`, which clients must not send (RFC 9112 section 3.2).
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        byte &- 0x21 < 0x5e && byte != 35
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }

    /// Whether the text is a token (RFC 9110 section 5.6.2).
    package static func isToken(_ text: Span<UInt8>) -> Bool {
        var position = ByteScan.firstBesideName(in: text, from: 0)
        while position < text.count {
            guard isToken(text[position]) else { return false }
            position = ByteScan.firstBesideName(in: text, from: position &+ 1)
        }
        return !text.isEmpty
    }

    /// Whether the text is a valid field value, and so cannot end its line.
    package static func isValue(_ text: Span<UInt8>) -> Bool {
        var position = ByteScan.firstControl(in: text, from: 0)
        while position < text.count {
            guard text[position] == ASCII.tab else { return false }
            position = ByteScan.firstControl(in: text, from: position &+ 1)
        }
        return true
    }

    /// The range without surrounding blanks.
    static func trimmed(_ range: Range<Int>, _ bytes: Span<UInt8>) -> ByteRange {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isBlank(bytes[start]) { start &+= 1 }
        while end > start, isBlank(bytes[end &- 1]) { end &-= 1 }
        return ByteRange(start: start, count: end &- start)
    }
}

/// Whether the bytes equal a literal, ignoring the case of ASCII letters.
func matches(_ text: Span<UInt8>, _ literal: StaticString) -> Bool {
    guard text.count == literal.utf8CodeUnitCount else { return false }
    let name = literal.span
    for i in text.indices {
        // Fast path: most names have the usual spelling.
        let difference = text[i] ^ name[i]
        if difference == 0 { continue }
        guard difference == 32, ASCII.isLetter(text[i]) else { return false }
    }
    return true
}
