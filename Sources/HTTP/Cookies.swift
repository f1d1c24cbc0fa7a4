import Bytes

/// Cookies in their fields (RFC 6265 sections 4.1 and 5.4). Names are case-sensitive. One that ends with a blank, which no
/// name of a cookie has, stands for all names that begin with the rest of it.
package enum Cookies {
    /// The value of a cookie as a range; nil if the cookie is missing, or if there is more than one, since another site
    /// of the domain may have set one of them. Allocates nothing.
    ///
    /// - Parameter bytes: the buffer of `headers`.
    package static func value(of name: [UInt8], _ headers: HeaderTable, _ bytes: Span<UInt8>) -> ByteRange? {
        var found: ByteRange?
        if headers.occurrences(.cookie) == 0 { return nil }
        for i in 0..<headers.count where headers[i].token == .cookie {
            var rest = Pairs(headers[i].value)
            while let pair = rest.next(bytes) {
                guard let value = value(of: name, in: pair, bytes) else { continue }
                if found != nil { return nil }
                found = value
            }
        }
        return found
    }

    /// The values of all cookies of this name.
    package static func values(of name: [UInt8], _ headers: HeaderTable, _ bytes: Span<UInt8>) -> [ByteRange] {
        var found: [ByteRange] = []
        for i in 0..<headers.count where headers[i].token == .cookie {
            var rest = Pairs(headers[i].value)
            while let pair = rest.next(bytes) {
                if let value = value(of: name, in: pair, bytes) { found.append(value) }
            }
        }
        return found
    }

    /// The same in the value of one `Cookie` field.
    package static func values(of name: [UInt8], in field: String) -> [String] {
        let bytes = Array(field.utf8)
        var found: [String] = []
        var rest = Pairs(ByteRange(0..<bytes.count))
        while let pair = rest.next(bytes.span) {
            guard let value = value(of: name, in: pair, bytes.span) else { continue }
            found.append(String(decoding: bytes[value.range], as: UTF8.self))
        }
        return found
    }

    /// Whether a `Cookie` field has a cookie of one of these names.
    package static func hasAny(_ names: [[UInt8]], _ field: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        var rest = Pairs(field)
        while let pair = rest.next(bytes) {
            if isAny(names, pair, bytes) { return true }
        }
        return false
    }

    /// Appends the value of a `Cookie` field without the cookies of these names, the others unchanged. Returns false if
    /// none is left.
    package static func append(
        _ field: ByteRange, without names: [[UInt8]], _ bytes: Span<UInt8>, to chunk: Chunk
    ) -> Bool {
        var isFirst = true
        var rest = Pairs(field)
        while let pair = rest.next(bytes) {
            if isAny(names, pair, bytes) { continue }
            if isFirst {
                let start = Int(FieldSyntax.trimmed(pair.range, bytes).start)
                chunk.append(bytes.extracting(start..<pair.end))
            } else {
                chunk.append(UInt8(ascii: ";"))
                chunk.append(bytes.slice(pair))
            }
            isFirst = false
        }
        return !isFirst
    }

    /// Whether a `Set-Cookie` field sets a cookie of one of these names in any browser: a cookie without a name is sent
    /// back as its value alone, and so could imitate another one (RFC 6265bis section 5.7).
    package static func sets(_ names: [[UInt8]], _ field: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        var first = Pairs(field)
        guard let pair = first.next(bytes) else { return false }
        var start = Int(pair.start)
        while start < pair.end, FieldSyntax.isBlank(bytes[start]) || bytes[start] == equals { start &+= 1 }
        return isAny(names, ByteRange(start..<pair.end), bytes)
    }

    private static let equals = UInt8(ascii: "=")

    private static func isAny(_ names: [[UInt8]], _ pair: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        for i in names.indices where named(names[i], pair, bytes) != nil { return true }
        return false
    }

    /// The value of a pair with this name.
    private static func value(of name: [UInt8], in pair: ByteRange, _ bytes: Span<UInt8>) -> ByteRange? {
        guard let equals = named(name, pair, bytes) else { return nil }
        return FieldSyntax.trimmed((equals &+ 1)..<pair.end, bytes)
    }

    /// Offset of the equals sign of a pair with this name. Surrounding blanks do not belong to name and value.
    private static func named(_ name: [UInt8], _ pair: ByteRange, _ bytes: Span<UInt8>) -> Int? {
        let start = Int(FieldSyntax.trimmed(pair.range, bytes).start)
        let isPrefix = name.last == ASCII.space
        let count = isPrefix ? name.count &- 1 : name.count
        guard start &+ count < pair.end else { return nil }
        for i in 0..<count where bytes[start &+ i] != name[i] { return nil }
        var end = start &+ count
        while isPrefix, end < pair.end, bytes[end] != equals, !FieldSyntax.isBlank(bytes[end]) { end &+= 1 }
        while end < pair.end, FieldSyntax.isBlank(bytes[end]) { end &+= 1 }
        return end < pair.end && bytes[end] == equals ? end : nil
    }

    /// Iterates over the pieces between semicolons, blanks included.
    private struct Pairs {
        private var position: Int
        private let end: Int

        init(_ field: ByteRange) {
            position = Int(field.start)
            end = field.end
        }

        mutating func next(_ bytes: Span<UInt8>) -> ByteRange? {
            guard position < end else { return nil }
            let start = position
            while position < end, bytes[position] != UInt8(ascii: ";") { position &+= 1 }
            defer { position &+= 1 }
            return ByteRange(start..<position)
        }
    }
}
