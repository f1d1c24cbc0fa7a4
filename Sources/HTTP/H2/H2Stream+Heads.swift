import Bytes
import Model

/// The result of checking a request head.
package enum H2HeadOutcome: Sendable {
    /// A head that is valid by itself; its field lines are in the table.
    case head(RequestHead)
    /// Respond with the status of the error.
    case invalid(HTTPParseError)
}

/// The result of checking a response head.
package enum H2ResponseOutcome: Sendable {
    case head(ResponseHead)
    /// The response is invalid: respond with 502.
    case invalid(HTTPParseError)
}

extension H2Stream {
    /// Fills the table with the field lines of a valid `head`.
    package func load(into table: HeaderTable) {
        table.removeAll()
        let head = head
        _ = FieldSection.parse(head.readable, from: fields.lines, maximumFields: HeaderTable.capacity, into: table)
    }

    /// Checks the request head by the rules of `RequestParser`.
    package func requestHead(into table: HeaderTable, limits: HTTPLimits) -> H2HeadOutcome {
        if let headError { return .invalid(headError) }
        let head = head
        let bytes = head.readable
        table.removeAll()
        let end: Int
        switch FieldSection.parse(bytes, from: fields.lines, maximumFields: limits.maximumFields, into: table) {
        case .end(let offset): end = offset
        case .needMore: return .invalid(.malformedFieldValue)
        case .invalid(let error): return .invalid(error)
        }
        do throws(HTTPParseError) {
            let method = try method(bytes)
            let (path, query) = try target(bytes, method: method, limits: limits)
            let authority = try authority(bytes, table)
            let framing = try framing(bytes, table)
            let expects = try RequestParser.expectsContinue(table, bytes, minorVersion: 1)
            return .head(
                RequestHead(
                    method: method,
                    methodText: fields.method,
                    target: fields.path,
                    path: path,
                    query: query,
                    authority: authority,
                    minorVersion: 1,
                    framing: framing,
                    keepAlive: true,
                    expectsContinue: expects && framing != .none && framing != .length(0),
                    upgrade: false,
                    length: end
                ))
        } catch {
            return .invalid(error)
        }
    }

    private func method(_ bytes: Span<UInt8>) throws(HTTPParseError) -> Method {
        let text = bytes.slice(fields.method)
        guard text.count <= RequestLine.maximumMethodBytes else { throw .methodTooLong }
        guard FieldSyntax.isToken(text) else { throw .malformedRequestLine }
        let method = Method(text)
        // Only the tunnels of RFC 8441 are supported.
        if method == .connect, !isSet(.protocol) { throw .connectUnsupported }
        return method
    }

    /// `:path` in origin-form, or `*` for OPTIONS (RFC 9113 section 8.3.1), and a `:scheme` of HTTP.
    private func target(
        _ bytes: Span<UInt8>, method: Method, limits: HTTPLimits
    ) throws(HTTPParseError) -> (path: ByteRange, query: ByteRange?) {
        let target = bytes.slice(fields.path)
        guard target.count <= limits.maximumTargetBytes else { throw .targetTooLong }
        for i in target.indices where !FieldSyntax.isTarget(target[i]) { throw .malformedTarget }
        let scheme = bytes.slice(fields.scheme)
        guard matches(scheme, "https") || matches(scheme, "http"), !target.isEmpty else { throw .malformedTarget }
        if target[0] == ASCII.slash { return RequestTarget.split(fields.path.range, bytes) }
        guard target.count == 1, target[0] == 42, method == .options else { throw .malformedTarget }
        return (fields.path, nil)
    }

    /// `:authority`, which `Host` must not contradict, or else `Host` (RFC 9113 section 8.3.1).
    private func authority(_ bytes: Span<UInt8>, _ table: HeaderTable) throws(HTTPParseError) -> ByteRange {
        guard table.occurrences(.host) <= 1 else { throw .duplicateHost }
        let host = table.value(.host)
        guard let authority = isSet(.authority) ? fields.authority : host else { throw .missingHost }
        guard Authority.isValid(bytes.slice(authority)) else { throw .malformedHost }
        if let host, !bytesEqualIgnoringCase(bytes.slice(host), bytes.slice(authority)) { throw .malformedHost }
        return authority
    }

    /// The end of the stream ends a body, and must match `Content-Length` (RFC 9113 section 8.1.1).
    private func framing(_ bytes: Span<UInt8>, _ table: HeaderTable) throws(HTTPParseError) -> BodyFraming {
        let framing = try RequestFraming.framing(table, bytes, minorVersion: 1)
        if framing == .chunked { throw .malformedTransferEncoding }
        if endedWithHead { return .none }
        return framing == .none ? .untilClose : framing
    }

    /// Checks the response head by the rules of `ResponseParser`; with `isInterim`, that of `interim`.
    package func responseHead(
        into table: HeaderTable, limits: HTTPLimits, requestMethod: Method, isInterim: Bool = false
    ) -> H2ResponseOutcome {
        if let headError { return .invalid(headError) }
        guard let chunk = isInterim ? interim : head else { return .invalid(.malformedStatusLine) }
        let bytes = chunk.readable
        table.removeAll()
        // The value of :status is the first line.
        guard let line = StatusLine(digits: bytes) else { return .invalid(.malformedStatusLine) }
        let end: Int
        switch FieldSection.parse(bytes, from: line.end, maximumFields: limits.maximumFields, into: table) {
        case .end(let offset): end = offset
        case .needMore: return .invalid(.malformedFieldValue)
        case .invalid(let error): return .invalid(error)
        }
        do throws(HTTPParseError) {
            let framing = try ResponseFraming(line, table, bytes, requestMethod: requestMethod)
            if framing.body == .chunked { throw .malformedTransferEncoding }
            return .head(
                ResponseHead(
                    status: line.status,
                    reason: .empty,
                    minorVersion: 1,
                    framing: !isInterim && endedWithHead ? .none : framing.body,
                    declaredLength: framing.declaredLength,
                    keepAlive: true,
                    length: end
                ))
        } catch {
            return .invalid(error)
        }
    }
}

extension StatusLine {
    /// The line of a `:status` (RFC 9113 section 8.3.2), at the start of the bytes: three digits and CRLF.
    init?(digits bytes: Span<UInt8>) {
        guard bytes.count >= 5, bytes[3] == ASCII.carriageReturn else { return nil }
        guard let status = Decimal.parse(bytes.extracting(0..<3)), status >= 100, status < 600 else { return nil }
        self.status = status
        reason = .empty
        minorVersion = 1
        end = 5
    }
}
