import Bytes
import Model

/// Result of parsing the bytes received so far.
package enum ResponseParseOutcome: Sendable {
    /// The head is not complete.
    case needMore
    /// A head that is valid by itself; its field lines are in the table. May be an interim one (1xx).
    case head(ResponseHead)
    /// The response is invalid: respond with 502 and close the connection to the upstream.
    case invalid(HTTPParseError)
}

/// Parser of HTTP/1 response heads (RFC 9112 sections 2 to 6), as strict as that of requests: a response of ambiguous
/// length could mix the responses of two users.
package struct ResponseParser: Sendable {
    private let limits: HTTPLimits
    private var search = HeadSearch()

    package init(limits: HTTPLimits) { self.limits = limits }

    /// Forgets the bytes seen; automatic after `head` or `invalid`.
    package mutating func reset() { search.reset() }

    /// Parses the head that begins at the first byte.
    ///
    /// - Parameters:
    ///   - bytes: all bytes since the previous message; bytes after the head are ignored.
    ///   - table: filled with the field lines; valid only together with `head`.
    ///   - requestMethod: the method of the request; a response to HEAD has no body.
    package mutating func parse(
        _ bytes: Span<UInt8>, into table: HeaderTable, requestMethod: Method
    ) -> ResponseParseOutcome {
        guard search.isDue(bytes, limit: limits.maximumHeadBytes) else { return .needMore }
        let visible = bytes.extracting(0..<min(bytes.count, limits.maximumHeadBytes))
        table.removeAll()
        do throws(RequestParser.Stop) {
            let head = try parseHead(visible, into: table, requestMethod: requestMethod)
            search.reset()
            return .head(head)
        } catch {
            guard case .invalid(let reason) = error else {
                if visible.count == limits.maximumHeadBytes {
                    search.reset()
                    return .invalid(.headTooLarge)
                }
                search.foundNothing(in: visible, limit: limits.maximumHeadBytes)
                return .needMore
            }
            search.reset()
            return .invalid(reason)
        }
    }

    private func parseHead(
        _ bytes: Span<UInt8>, into table: HeaderTable, requestMethod: Method
    ) throws(RequestParser.Stop) -> ResponseHead {
        let line = try StatusLine(bytes)
        let end: Int
        switch FieldSection.parse(bytes, from: line.end, maximumFields: limits.maximumFields, into: table) {
        case .end(let offset): end = offset
        case .needMore: throw .needMore
        case .invalid(let error): throw .invalid(error)
        }
        do throws(HTTPParseError) {
            let framing = try ResponseFraming(line, table, bytes, requestMethod: requestMethod)
            let options = ConnectionOptions(table, bytes)
            guard options.isBounded else { throw .tooManyConnectionOptions }
            let persistent = !options.close && (line.minorVersion == 1 || options.keepAlive)
            return ResponseHead(
                status: line.status,
                reason: line.reason,
                minorVersion: line.minorVersion,
                framing: framing.body,
                declaredLength: framing.declaredLength,
                keepAlive: persistent && framing.body != .untilClose && !framing.leavesStrayBytes,
                length: end
            )
        } catch {
            throw .invalid(error)
        }
    }
}

/// `HTTP-version SP status-code [SP [reason-phrase]] CRLF` (RFC 9112 section 4).
struct StatusLine {
    var status: Int
    var reason: ByteRange
    var minorVersion: UInt8
    /// Where the first field line begins.
    var end: Int

    init(_ bytes: Span<UInt8>) throws(RequestParser.Stop) {
        minorVersion = try ProtocolVersion.minor(bytes, at: 0)
        var position = ProtocolVersion.length
        guard position < bytes.count else { throw .needMore }
        guard bytes[position] == ASCII.space else { throw .invalid(.malformedStatusLine) }
        status = 0
        for i in 1...3 {
            guard position &+ i < bytes.count else { throw .needMore }
            guard ASCII.isDigit(bytes[position &+ i]) else { throw .invalid(.malformedStatusLine) }
            status = status &* 10 &+ Int(bytes[position &+ i] &- 48)
        }
        guard status >= 100, status < 600 else { throw .invalid(.malformedStatusLine) }
        position &+= 4
        guard position < bytes.count else { throw .needMore }
        // Some servers omit the space without a reason phrase.
        if bytes[position] == ASCII.space {
            position &+= 1
        } else if bytes[position] != ASCII.carriageReturn {
            throw .invalid(bytes[position] == ASCII.lineFeed ? .bareLineFeed : .malformedStatusLine)
        }
        let reasonStart = position
        while position < bytes.count, FieldSyntax.isValue(bytes[position]) { position &+= 1 }
        reason = ByteRange(start: reasonStart, count: position &- reasonStart)
        guard position < bytes.count else { throw .needMore }
        guard bytes[position] == ASCII.carriageReturn else {
            throw .invalid(bytes[position] == ASCII.lineFeed ? .bareLineFeed : .malformedStatusLine)
        }
        guard position &+ 1 < bytes.count else { throw .needMore }
        guard bytes[position &+ 1] == ASCII.lineFeed else { throw .invalid(.bareCarriageReturn) }
        end = position &+ 2
    }
}
