import Bytes

/// The framing of a request body (RFC 9112 section 6). Ambiguous framing is an error.
enum RequestFraming {
    static func framing(
        _ table: HeaderTable, _ bytes: Span<UInt8>, minorVersion: UInt8
    ) throws(HTTPParseError) -> BodyFraming {
        let lengths = table.occurrences(.contentLength)
        if table.occurrences(.transferEncoding) > 0 {
            // RFC 9112 section 6.1 allows a server to reject the combination, which is used for request smuggling.
            if lengths > 0 { throw .lengthWithTransferEncoding }
            try TransferEncoding.requireChunked(table, bytes, minorVersion: minorVersion)
            return .chunked
        }
        guard lengths > 0, let value = table.value(.contentLength) else { return .none }
        guard lengths == 1 else { throw .duplicateContentLength }
        return .length(try ContentLength.parse(bytes.slice(value)))
    }
}

enum ContentLength {
    /// The value of `Content-Length`: 1 to 18 digits, which cannot overflow.
    static func parse(_ text: Span<UInt8>) throws(HTTPParseError) -> Int {
        guard !text.isEmpty, text.count <= 18 else { throw .malformedContentLength }
        var value = 0
        for i in text.indices {
            guard ASCII.isDigit(text[i]) else { throw .malformedContentLength }
            value = value &* 10 &+ Int(text[i] &- 48)
        }
        return value
    }
}

enum TransferEncoding {
    /// Requires exactly one field line with the single coding `chunked` (RFC 9112 section 6.1).
    static func requireChunked(
        _ table: HeaderTable, _ bytes: Span<UInt8>, minorVersion: UInt8
    ) throws(HTTPParseError) {
        guard minorVersion == 1 else { throw .transferEncodingOnHTTP10 }
        guard let value = table.value(.transferEncoding) else { return }
        if table.occurrences(.transferEncoding) == 1, matches(bytes.slice(value), "chunked") { return }
        for i in 0..<table.count where table[i].token == .transferEncoding {
            try requireTokens(table[i].value, bytes)
        }
        throw .malformedTransferEncoding
    }

    /// Distinguishes well-formed lists with unsupported codings, for status 501 (RFC 9112 section 6.1).
    private static func requireTokens(_ value: ByteRange, _ bytes: Span<UInt8>) throws(HTTPParseError) {
        var list = FieldList(value)
        var others = 0
        while let element = list.next(bytes) {
            let coding = bytes.slice(element)
            guard FieldSyntax.isToken(coding) else { throw .malformedTransferEncoding }
            if !matches(coding, "chunked") { others &+= 1 }
        }
        if others > 0 { throw .unknownTransferCoding }
    }
}
