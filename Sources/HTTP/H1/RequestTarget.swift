import Bytes

/// The parts of a request target (RFC 9112 section 3.2).
struct RequestTarget {
    /// Authority of an absolute-form target, nil for the other forms.
    var authority: ByteRange?
    var path: ByteRange
    var query: ByteRange?

    init(_ line: RequestLine, _ bytes: Span<UInt8>) throws(RequestParser.Stop) {
        // CONNECT, the only use of authority-form, is not supported.
        if line.method == .connect { throw .invalid(.connectUnsupported) }
        let target = line.target
        let start = Int(target.start)
        switch bytes[start] {
        case ASCII.slash:
            authority = nil
            (path, query) = Self.split(start..<target.end, bytes)
        case 42:  // "*", for OPTIONS of the server as a whole
            guard target.count == 1, line.method == .options else { throw .invalid(.malformedTarget) }
            authority = nil
            path = target
            query = nil
        default:
            let afterScheme = try Self.afterScheme(target, bytes)
            var authorityEnd = afterScheme
            while authorityEnd < target.end, bytes[authorityEnd] != ASCII.slash, bytes[authorityEnd] != 63 {
                authorityEnd &+= 1
            }
            let host = ByteRange(afterScheme..<authorityEnd)
            guard Authority.isValid(bytes.slice(host)) else { throw .invalid(.malformedTarget) }
            authority = host
            (path, query) = Self.split(authorityEnd..<target.end, bytes)
            // An empty path means `/` (RFC 9110 section 4.2.3): the range of the last slash of `://`.
            if path.isEmpty { path = ByteRange(start: afterScheme &- 1, count: 1) }
        }
    }

    /// Path and query, without the `?`.
    static func split(_ range: Range<Int>, _ bytes: Span<UInt8>) -> (path: ByteRange, query: ByteRange?) {
        var mark = range.lowerBound
        while mark < range.upperBound, bytes[mark] != 63 { mark &+= 1 }
        let path = ByteRange(range.lowerBound..<mark)
        return (path, mark < range.upperBound ? ByteRange((mark &+ 1)..<range.upperBound) : nil)
    }

    /// Start of the authority: after `http://` or `https://`.
    private static func afterScheme(_ target: ByteRange, _ bytes: Span<UInt8>) throws(RequestParser.Stop) -> Int {
        let text = bytes.slice(target)
        if text.count > 7, matches(text.extracting(0..<7), "http://") { return Int(target.start) &+ 7 }
        if text.count > 8, matches(text.extracting(0..<8), "https://") { return Int(target.start) &+ 8 }
        throw .invalid(.malformedTarget)
    }
}
