import Bytes

/// Parameters of a query: pairs with `&` between them. Names are compared percent-decoded, as upstreams read them.
package enum QueryText {
    /// The values of a parameter as they are written: the first, and whether there is another.
    package static func value(
        of name: [UInt8], _ query: ByteRange, _ bytes: Span<UInt8>
    ) -> (value: ByteRange, isOnly: Bool)? {
        var found: ByteRange?
        var rest = Pairs(query)
        while let pair = rest.next(bytes) {
            guard let value = value(of: name, in: pair, bytes) else { continue }
            if let found { return (found, false) }
            found = value
        }
        return found.map { ($0, true) }
    }

    /// Appends `?` and the query without the parameters of these names, the others unchanged; nothing if none is left.
    package static func append(_ query: ByteRange, without names: [[UInt8]], _ bytes: Span<UInt8>, to chunk: Chunk) {
        var separator = UInt8(ascii: "?")
        var rest = Pairs(query)
        while let pair = rest.next(bytes) {
            if names.contains(where: { value(of: $0, in: pair, bytes) != nil }) { continue }
            chunk.append(separator)
            chunk.append(bytes.slice(pair))
            separator = UInt8(ascii: "&")
        }
    }

    /// The value of a pair with this name; empty without an equals sign.
    private static func value(of name: [UInt8], in pair: ByteRange, _ bytes: Span<UInt8>) -> ByteRange? {
        var end = Int(pair.start)
        while end < pair.end, bytes[end] != UInt8(ascii: "=") { end += 1 }
        guard !pair.isEmpty, FormEncoding.matches(bytes.extracting(Int(pair.start)..<end), name) else { return nil }
        return ByteRange(min(end + 1, pair.end)..<pair.end)
    }

    private struct Pairs {
        private var position: Int
        private let end: Int
        private var isAtEnd = false

        init(_ query: ByteRange) { (position, end) = (Int(query.start), query.end) }

        mutating func next(_ bytes: Span<UInt8>) -> ByteRange? {
            if isAtEnd { return nil }
            let start = position
            while position < end, bytes[position] != UInt8(ascii: "&") { position += 1 }
            let pair = ByteRange(start..<position)
            if position == end { isAtEnd = true } else { position += 1 }
            return pair
        }
    }
}
