import Bytes

/// How long a body is, told from the field lines (RFC 9112 section 6). Two ways to read a length are none.
enum RequestFraming {
    static func framing(
        _ table: HeaderTable, _ bytes: Span<UInt8>, minorVersion: UInt8
    ) throws(HTTPParseError) -> BodyFraming {
        let lengths = table.occurrences(.contentLength)
        if table.occurrences(.transferEncoding) > 0 {
            // RFC 9112 section 6.1 lets a server reject the two together; both at once is how smuggling begins.
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
    /// The number of a `Content-Length`: 1 to 18 digits and nothing else, so that it cannot overflow.
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
    /// Refuses whatever is not exactly one field line with the one coding `chunked` (RFC 9112 section 6.1).
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

    /// Answers a well-formed list that has another coding than chunked with 501, as RFC 9112 section 6.1 asks for.
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
