import Bytes
import Testing

@testable import HTTP

/// RFC 9112 section 6: one reading of a length, or none.
@Suite struct RequestFramingTests {
    private func outcome(_ fields: String, version: String = "1.1") -> MessageOutcome {
        MessageReader.read("POST / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\r\n".bytes, .request)
    }

    @Test(
        "lengths",
        arguments: [
            ("Content-Length: 0", 0), ("Content-Length: 1", 1), ("Content-Length:42", 42),
            ("Content-Length: \t 42 \t", 42),
            ("content-LENGTH: 0042", 42), ("Content-Length: 999999999999999999", 999_999_999_999_999_999),
        ])
    func lengths(_ fields: String, _ expected: Int) {
        #expect(outcome(fields).framing == .length(expected))
    }

    @Test("no field, no body")
    func noBody() {
        #expect(outcome("X: y").framing == BodyFraming.none)
    }

    @Test("chunked", arguments: ["Transfer-Encoding: chunked", "transfer-encoding:\tCHUNKED \t"])
    func chunked(_ fields: String) {
        #expect(outcome(fields).framing == .chunked)
    }

    @Test(
        "refused",
        arguments: [
            ("Content-Length: +5", HTTPParseError.malformedContentLength),
            ("Content-Length: -1", .malformedContentLength),
            ("Content-Length: 0x5", .malformedContentLength), ("Content-Length: 5,5", .malformedContentLength),
            ("Content-Length: 5, 5", .malformedContentLength), ("Content-Length: 5 5", .malformedContentLength),
            ("Content-Length:", .malformedContentLength), ("Content-Length: 5.0", .malformedContentLength),
            ("Content-Length: 1e3", .malformedContentLength), ("Content-Length: \"5\"", .malformedContentLength),
            ("Content-Length: 1_000", .malformedContentLength), ("Content-Length: \u{0665}", .malformedContentLength),
            ("Content-Length: 9223372036854775808", .malformedContentLength),
            ("Content-Length: 18446744073709551621", .malformedContentLength),
            ("Content-Length: 1000000000000000000", .malformedContentLength),
            ("Content-Length: 5\r\nContent-Length: 5", .duplicateContentLength),
            ("Content-Length: 5\r\nContent-Length: 6", .duplicateContentLength),
            ("Content-Length: 5\r\ncontent-length:", .duplicateContentLength),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthWithTransferEncoding),
            ("Transfer-Encoding: chunked\r\nContent-Length: 5", .lengthWithTransferEncoding),
            ("Transfer-Encoding: identity\r\nContent-Length: 5", .lengthWithTransferEncoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .malformedTransferEncoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", .unknownTransferCoding),
            ("Transfer-Encoding: chunked, chunked", .malformedTransferEncoding),
            ("Transfer-Encoding: chunked,", .malformedTransferEncoding),
            ("Transfer-Encoding: ,chunked", .malformedTransferEncoding),
            ("Transfer-Encoding:", .malformedTransferEncoding),
            ("Transfer-Encoding: \"chunked\"", .malformedTransferEncoding),
            ("Transfer-Encoding: chunked;a=b", .malformedTransferEncoding),
            ("Transfer-Encoding: chunked x", .malformedTransferEncoding),
            ("Transfer-Encoding: \u{0b}chunked", .malformedFieldValue),
            ("Transfer-Encoding: gzip", .unknownTransferCoding),
            ("Transfer-Encoding: identity", .unknownTransferCoding),
            ("Transfer-Encoding: xchunked", .unknownTransferCoding),
            ("Transfer-Encoding: gzip, chunked", .unknownTransferCoding),
            ("Transfer-Encoding: chunked, gzip", .unknownTransferCoding),
            ("Transfer_Encoding: chunked", .framingAlias), ("Transfer.Encoding: chunked", .framingAlias),
            ("TransferEncoding: chunked", .framingAlias), ("Transfer-Encoding!: chunked", .framingAlias),
            ("Content_Length: 5", .framingAlias), ("'Content-Length: 5", .framingAlias),
            ("Content-Length: 5\r\ncontent_length: 6", .framingAlias),
        ])
    func refused(_ fields: String, _ error: HTTPParseError) {
        #expect(outcome(fields).error == error)
    }

    @Test("RFC 9112 6.1: HTTP/1.0 knows no transfer coding")
    func http10() {
        #expect(outcome("Transfer-Encoding: chunked", version: "1.0").error == .transferEncodingOnHTTP10)
        #expect(outcome("Transfer-Encoding: gzip", version: "1.0").error == .transferEncodingOnHTTP10)
        #expect(outcome("Content-Length: 3", version: "1.0").framing == .length(3))
    }

    @Test(
        "names that only look alike are other names",
        arguments: ["Content-Length-X: 5", "X-Transfer-Encoding: chunked"])
    func otherNames(_ fields: String) {
        #expect(outcome(fields).framing == BodyFraming.none)
    }
}
