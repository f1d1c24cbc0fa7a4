import Bytes

/// The framing of a response body (RFC 9112 section 6.3).
struct ResponseFraming {
    var body: BodyFraming
    /// Value of `Content-Length`, if present.
    var declaredLength: Int?
    /// The head announces a body that the status forbids. The following bytes are ambiguous, so that the connection is
    /// not reused.
    var leavesStrayBytes = false

    init(
        _ line: StatusLine, _ table: HeaderTable, _ bytes: Span<UInt8>, requestMethod: Method
    ) throws(HTTPParseError) {
        declaredLength = try Self.length(table, bytes)
        let chunked = table.occurrences(.transferEncoding) > 0
        if chunked {
            guard declaredLength == nil else { throw .lengthWithTransferEncoding }
            try TransferEncoding.requireChunked(table, bytes, minorVersion: line.minorVersion)
        }
        let announced = chunked || (declaredLength ?? 0) > 0
        switch line.status {
        case 100..<200:
            // RFC 9112 section 6.1 and RFC 9110 section 8.6 forbid both fields here.
            if chunked { throw .malformedTransferEncoding }
            if announced { throw .malformedContentLength }
            body = .none
        case 204:
            body = .none
            leavesStrayBytes = announced
        case 304:
            body = .none
        default:
            if requestMethod == .head {
                body = .none
            } else if chunked {
                body = .chunked
            } else if let length = declaredLength {
                body = .length(length)
            } else {
                body = .untilClose
            }
        }
    }

    /// The length that all `Content-Length` lines agree on (RFC 9112 section 6.3, case 5).
    private static func length(_ table: HeaderTable, _ bytes: Span<UInt8>) throws(HTTPParseError) -> Int? {
        guard let first = table.value(.contentLength) else { return nil }
        let length = try ContentLength.parse(bytes.slice(first))
        guard table.occurrences(.contentLength) > 1 else { return length }
        for i in 0..<table.count where table[i].token == .contentLength {
            guard try ContentLength.parse(bytes.slice(table[i].value)) == length else { throw .duplicateContentLength }
        }
        return length
    }
}
