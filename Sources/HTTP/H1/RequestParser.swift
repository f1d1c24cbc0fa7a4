import Bytes
import Model

/// Result of parsing the bytes received so far.
package enum RequestParseOutcome: Sendable {
    /// The head is not complete.
    case needMore
    /// A head that is valid by itself; its field lines are in the table.
    case head(RequestHead)
    /// Respond with the status of the error and close the connection.
    case invalid(HTTPParseError)
}

/// Parser of HTTP/1 request heads (RFC 9112 sections 2 to 6), strict throughout.
///
/// The parser gets all bytes from the start of the head each time, and returns offsets into them. It only remembers how
/// far it has searched, so that each connection needs its own parser.
package struct RequestParser: Sendable {
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
    package mutating func parse(_ bytes: Span<UInt8>, into table: HeaderTable) -> RequestParseOutcome {
        guard search.isDue(bytes, limit: limits.maximumHeadBytes) else { return .needMore }
        let visible = bytes.extracting(0..<min(bytes.count, limits.maximumHeadBytes))
        table.removeAll()
        do throws(Stop) {
            let head = try parseHead(visible, into: table)
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

    /// The method of a request line, whose rest may be invalid; nil without a method.
    package static func method(atStartOf bytes: Span<UInt8>) -> Method? {
        guard let start = try? RequestLine.skipEmptyLine(bytes) else { return nil }
        var end = start
        while end < bytes.count, end &- start <= RequestLine.maximumMethodBytes, FieldSyntax.isToken(bytes[end]) {
            end &+= 1
        }
        guard end > start, end < bytes.count, bytes[end] == ASCII.space else { return nil }
        return Method(bytes.extracting(start..<end))
    }

    /// Why parsing did not yield a head.
    enum Stop: Error {
        case needMore
        case invalid(HTTPParseError)
    }

    private func parseHead(_ bytes: Span<UInt8>, into table: HeaderTable) throws(Stop) -> RequestHead {
        let line = try RequestLine(bytes, maximumTargetBytes: limits.maximumTargetBytes)
        let target = try RequestTarget(line, bytes)
        let end: Int
        switch FieldSection.parse(bytes, from: line.end, maximumFields: limits.maximumFields, into: table) {
        case .end(let offset): end = offset
        case .needMore: throw .needMore
        case .invalid(let error): throw .invalid(error)
        }
        do throws(HTTPParseError) {
            let host = try Self.host(table, bytes, minorVersion: line.minorVersion)
            let framing = try RequestFraming.framing(table, bytes, minorVersion: line.minorVersion)
            let options = ConnectionOptions(table, bytes)
            guard options.isBounded else { throw .tooManyConnectionOptions }
            let modern = line.minorVersion == 1
            let expects = try Self.expectsContinue(table, bytes, minorVersion: line.minorVersion)
            return RequestHead(
                method: line.method,
                methodText: line.methodText,
                target: line.target,
                path: target.path,
                query: target.query,
                // RFC 9112 section 3.2.2: the authority of an absolute-form target overrides Host.
                authority: target.authority ?? host,
                minorVersion: line.minorVersion,
                framing: framing,
                keepAlive: !options.close && (modern || options.keepAlive),
                expectsContinue: expects && framing != .none && framing != .length(0),
                // RFC 9110 section 7.8: ignored in HTTP/1.0.
                upgrade: modern && options.upgrade && table.occurrences(.upgrade) > 0,
                length: end
            )
        } catch {
            throw .invalid(error)
        }
    }

    /// The one Host field, required from HTTP/1.1 on (RFC 9112 section 3.2).
    private static func host(
        _ table: HeaderTable, _ bytes: Span<UInt8>, minorVersion: UInt8
    ) throws(HTTPParseError) -> ByteRange {
        guard let host = table.value(.host) else {
            if minorVersion == 0 { return .empty }
            throw .missingHost
        }
        guard table.occurrences(.host) == 1 else { throw .duplicateHost }
        guard Authority.isValid(bytes.slice(host)) else { throw .malformedHost }
        return host
    }

    /// Whether the client waits for a 100; any other expectation is refused (RFC 9110 section 10.1.1).
    static func expectsContinue(
        _ table: HeaderTable, _ bytes: Span<UInt8>, minorVersion: UInt8
    ) throws(HTTPParseError) -> Bool {
        guard minorVersion == 1, let value = table.value(.expect) else { return false }
        guard table.occurrences(.expect) == 1, matches(bytes.slice(value), "100-continue") else {
            throw .unknownExpectation
        }
        return true
    }
}
