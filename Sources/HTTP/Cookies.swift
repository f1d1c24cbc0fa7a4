import Bytes

/// The `Cookie` fields of a request (RFC 6265 section 5.4).
package enum Cookies {
    /// Where the value of a cookie stands; nil where there is none of the name, or more than one: of two that somebody
    /// else may have set one of, neither is believed. Allocates nothing.
    ///
    /// - Parameter bytes: the buffer of `headers`.
    package static func value(of name: [UInt8], _ headers: HeaderTable, _ bytes: Span<UInt8>) -> ByteRange? {
        var found: ByteRange?
        // HTTP/2 may have them in several fields (RFC 9113 section 8.2.3).
        for i in 0..<headers.count where headers[i].token == .cookie {
            let field = headers[i].value
            var start = Int(field.start)
            while start < field.end {
                var end = start
                while end < field.end, bytes[end] != UInt8(ascii: ";") { end &+= 1 }
                if let value = value(of: name, in: start..<end, bytes) {
                    if found != nil { return nil }
                    found = value
                }
                start = end &+ 1
            }
        }
        return found
    }

    /// The value in one pair, where it has the name: case counts.
    private static func value(of name: [UInt8], in pair: Range<Int>, _ bytes: Span<UInt8>) -> ByteRange? {
        let trimmed = FieldSyntax.trimmed(pair, bytes)
        let (start, end) = (Int(trimmed.start), trimmed.end)
        let equals = start &+ name.count
        guard equals < end, bytes[equals] == UInt8(ascii: "=") else { return nil }
        for i in name.indices where bytes[start &+ i] != name[i] { return nil }
        return ByteRange(start: equals &+ 1, count: end &- equals &- 1)
    }
}
