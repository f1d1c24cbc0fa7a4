import Bytes

/// The parts of one serialised origin, `scheme "://" host [":" port]` (RFC 6454 section 6.1), as ranges of its text.
package struct SerializedOrigin {
    package let scheme: ByteRange
    /// With the brackets of an IPv6 literal.
    package let host: ByteRange
    /// Digits; nil for the default port of the scheme.
    package let port: ByteRange?
    /// Whether the host is an IPv6 literal.
    package let isAddress: Bool

    /// The invalid part of a text.
    package enum Problem: Error { case scheme, host, port }

    /// Parses exactly one origin: no `null`, list, path, user information, empty host label or non-numeric port
    /// (CORS-08). Allocates nothing.
    package init(_ text: Span<UInt8>) throws(Problem) {
        guard let schemeEnd = SerializedOrigin.endOfScheme(text) else { throw .scheme }
        let start = schemeEnd + 3
        var hostEnd = start
        if start < text.count, text[start] == UInt8(ascii: "[") {
            guard let end = SerializedOrigin.endOfAddress(text, from: start) else { throw .host }
            hostEnd = end
            isAddress = true
        } else {
            guard let end = SerializedOrigin.endOfName(text, from: start) else { throw .host }
            hostEnd = end
            isAddress = false
        }
        scheme = ByteRange(0..<schemeEnd)
        host = ByteRange(start..<hostEnd)
        if hostEnd == text.count {
            port = nil
            return
        }
        guard text[hostEnd] == ASCII.colon else { throw .host }
        guard SerializedOrigin.isPort(text.extracting((hostEnd + 1)...)) else { throw .port }
        port = ByteRange((hostEnd + 1)..<text.count)
    }

    /// Offset of `://` after a scheme.
    static func endOfScheme(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty, ASCII.isLetter(text[0]) else { return nil }
        var i = 1
        while i < text.count, isSchemeCharacter(text[i]) { i += 1 }
        guard i + 2 < text.count, text[i] == ASCII.colon, text[i + 1] == ASCII.slash, text[i + 2] == ASCII.slash else {
            return nil
        }
        return i
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == ASCII.dot
    }

    /// Offset after the `]` of an IPv6 literal, whose text is only compared.
    package static func endOfAddress(_ text: Span<UInt8>, from start: Int) -> Int? {
        var i = start + 1
        while i < text.count, text[i] != UInt8(ascii: "]") {
            let byte = text[i]
            guard ASCII.hexadecimalValue(byte) != nil || byte == ASCII.colon || byte == ASCII.dot else { return nil }
            i += 1
        }
        return i < text.count && i > start + 1 ? i + 1 : nil
    }

    /// Offset after a host name of non-empty labels.
    private static func endOfName(_ text: Span<UInt8>, from start: Int) -> Int? {
        var i = start
        var labelStart = start
        while i < text.count, text[i] != ASCII.colon {
            if text[i] == ASCII.dot {
                guard i > labelStart else { return nil }
                labelStart = i + 1
            } else if !isNameCharacter(text[i]) {
                return nil
            }
            i += 1
        }
        return i > labelStart ? i : nil
    }

    /// Letters, digits, hyphen and underscore: the characters of host names in browsers.
    package static func isNameCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Whether the text is a port in the form of browsers: 1 to 65535, no leading zero.
    static func isPort(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 1, text.count <= 5, text[0] != UInt8(ascii: "0") else { return false }
        var value = 0
        for i in text.indices {
            guard ASCII.isDigit(text[i]) else { return false }
            value = value * 10 + Int(text[i] - UInt8(ascii: "0"))
        }
        return value <= 65_535
    }
}
