import Bytes

/// `method SP request-target SP HTTP-version CRLF` (RFC 9112 section 3).
struct RequestLine {
    var method: Method
    var methodText: ByteRange
    var target: ByteRange
    var minorVersion: UInt8
    /// Where the first field line begins.
    var end: Int

    /// Maximum length of a method; all registered methods are shorter.
    static let maximumMethodBytes = 32

    init(_ bytes: Span<UInt8>, maximumTargetBytes: Int) throws(RequestParser.Stop) {
        let start = try Self.skipEmptyLine(bytes)
        var position = start
        while position < bytes.count, FieldSyntax.isToken(bytes[position]) { position &+= 1 }
        if position &- start > Self.maximumMethodBytes { throw .invalid(.methodTooLong) }
        guard position < bytes.count else { throw .needMore }
        guard bytes[position] == ASCII.space, position > start else { throw .invalid(.malformedRequestLine) }
        methodText = ByteRange(start: start, count: position &- start)
        method = Method(bytes.slice(methodText))
        position &+= 1

        let targetStart = position
        let bound = min(bytes.count, targetStart &+ maximumTargetBytes &+ 1)
        while position < bound, FieldSyntax.isTarget(bytes[position]) { position &+= 1 }
        if position &- targetStart > maximumTargetBytes { throw .invalid(.targetTooLong) }
        guard position < bytes.count else { throw .needMore }
        // A CR or LF here means a line of HTTP/0.9 without version.
        guard bytes[position] == ASCII.space, position > targetStart else { throw .invalid(.malformedTarget) }
        target = ByteRange(start: targetStart, count: position &- targetStart)
        position &+= 1

        minorVersion = try ProtocolVersion.minor(bytes, at: position)
        position &+= ProtocolVersion.length
        guard position &+ 1 < bytes.count else {
            if position == bytes.count || bytes[position] == ASCII.carriageReturn { throw .needMore }
            throw .invalid(bytes[position] == ASCII.lineFeed ? .bareLineFeed : .malformedVersion)
        }
        guard bytes[position] == ASCII.carriageReturn else {
            throw .invalid(bytes[position] == ASCII.lineFeed ? .bareLineFeed : .malformedVersion)
        }
        guard bytes[position &+ 1] == ASCII.lineFeed else { throw .invalid(.bareCarriageReturn) }
        end = position &+ 2
    }

    /// Skips the one empty line that may precede a request (RFC 9112 section 2.2).
    static func skipEmptyLine(_ bytes: Span<UInt8>) throws(RequestParser.Stop) -> Int {
        guard !bytes.isEmpty else { throw .needMore }
        guard bytes[0] == ASCII.carriageReturn else { return 0 }
        guard bytes.count > 1 else { throw .needMore }
        guard bytes[1] == ASCII.lineFeed else { throw .invalid(.bareCarriageReturn) }
        return 2
    }
}

/// `HTTP/1.0` or `HTTP/1.1` (RFC 9112 section 2.3).
enum ProtocolVersion {
    static let length = 8
    private static let prefix: StaticString = "HTTP/"

    /// The minor version of the eight bytes at `start`.
    static func minor(_ bytes: Span<UInt8>, at start: Int) throws(RequestParser.Stop) -> UInt8 {
        for i in 0..<5 {
            guard start &+ i < bytes.count else { throw .needMore }
            guard bytes[start &+ i] == prefix.span[i] else { throw .invalid(.malformedVersion) }
        }
        guard start &+ 7 < bytes.count else { throw .needMore }
        let major = bytes[start &+ 5]
        let minor = bytes[start &+ 7]
        guard ASCII.isDigit(major), bytes[start &+ 6] == ASCII.dot, ASCII.isDigit(minor) else {
            throw .invalid(.malformedVersion)
        }
        // Higher minor versions would have to be read as 1.1, but have no legitimate use.
        guard major == 49, minor &- 48 < 2 else { throw .invalid(.unsupportedVersion) }
        return minor &- 48
    }
}
