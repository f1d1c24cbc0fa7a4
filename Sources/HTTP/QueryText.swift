import Bytes

/// Parameters of a query as they are written: pairs with `&` between them.
package enum QueryText {
    /// The values of a parameter, by the name as it is written: the first, and whether there is another.
    package static func value(
        of name: [UInt8], _ query: ByteRange, _ bytes: Span<UInt8>
    ) -> (value: ByteRange, isOnly: Bool)? {
        var found: ByteRange?
        var rest = Pairs(query)
        while let pair = rest.next(bytes) {
            guard let start = valueStart(of: name, pair, bytes) else { continue }
            if let found { return (found, false) }
            found = ByteRange(start..<pair.end)
        }
        return found.map { ($0, true) }
    }

    /// Appends `?` and the query without the parameters of these names, the others unchanged; nothing if none is left.
    package static func append(_ query: ByteRange, without names: [[UInt8]], _ bytes: Span<UInt8>, to chunk: Chunk) {
        var separator = UInt8(ascii: "?")
        var rest = Pairs(query)
        while let pair = rest.next(bytes) {
            if names.contains(where: { valueStart(of: $0, pair, bytes) != nil }) { continue }
            chunk.append(separator)
            chunk.append(bytes.slice(pair))
            separator = UInt8(ascii: "&")
        }
    }

    private static func valueStart(of name: [UInt8], _ pair: ByteRange, _ bytes: Span<UInt8>) -> Int? {
        let start = Int(pair.start)
        guard start + name.count < pair.end, bytes[start + name.count] == UInt8(ascii: "=") else { return nil }
        for i in name.indices where bytes[start + i] != name[i] { return nil }
        return start + name.count + 1
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
