import Bytes

/// Parts of a request head as text.
enum RequestText {
    /// The text up to the next blank.
    @_lifetime(copy head)
    static func word(_ head: Span<UInt8>, from start: Int) -> Span<UInt8> {
        var end = start
        while end < head.count, head[end] != ASCII.space { end &+= 1 }
        return head.extracting(start..<end)
    }

    /// Range of the value of the first field of this name; nil if absent. Names are case-insensitive.
    /// - Parameter start: where a line begins.
    static func field(_ name: [UInt8], in head: Span<UInt8>, from start: Int = 0) -> ByteRange? {
        let count = name.count
        var start = start
        while start < head.count {
            var end = ByteScan.firstControl(in: head, from: start)
            while end < head.count, head[end] != ASCII.carriageReturn {
                end = ByteScan.firstControl(in: head, from: end &+ 1)
            }
            if end &- start > count, head[start &+ count] == ASCII.colon,
                bytesEqualIgnoringCase(head.extracting(start..<start &+ count), name.span)
            {
                return ByteRange(start &+ count &+ 1..<end)
            }
            start = end &+ 2
        }
        return nil
    }

    /// The value of `Host`, which is always the first field.
    @_lifetime(copy head)
    static func host(_ head: Span<UInt8>) -> Span<UInt8> {
        var start = 0
        while start < head.count, head[start] != ASCII.lineFeed { start &+= 1 }
        start = min(start &+ 7, head.count)
        var end = start
        while end < head.count, head[end] != ASCII.carriageReturn { end &+= 1 }
        return head.extracting(start..<end)
    }
}
