import Bytes
import Model
import Testing

@testable import HTTP

@Suite struct ResponseParserTests {
    private func outcome(_ text: String, to method: Method = .get) -> MessageOutcome {
        MessageReader.read(text.bytes, .response(to: method))
    }

    @Test("RFC 9112 4: parts of a response head")
    func parts() throws {
        let source = "HTTP/1.1 404 Not \u{e9} Found\r\nServer: x\r\nContent-Length: 3\r\n\r\nabcHTTP"
        let message = try #require(outcome(source).message)
        let head = try #require(message.response)
        #expect(head.status == 404)
        #expect(text(head.reason, source.bytes) == "Not \u{e9} Found")
        #expect(head.minorVersion == 1)
        #expect(head.framing == .length(3))
        #expect(head.declaredLength == 3)
        #expect(head.keepAlive)
        #expect(message.body == "abc".bytes)
        #expect(message.rest == "HTTP".bytes)
        expectSameWhenCut(source.bytes, .response(to: .get))
    }

    @Test("the reason phrase may be empty or missing", arguments: ["HTTP/1.1 200 \r\n\r\n", "HTTP/1.1 200\r\n\r\n"])
    func emptyReason(_ source: String) throws {
        let head = try #require(outcome(source).message?.response)
        #expect(head.status == 200)
        #expect(head.reason.isEmpty)
        expectSameWhenCut(source.bytes, .response(to: .get))
    }

    @Test(
        "RFC 9112 4: malformed status lines",
        arguments: [
            ("HTTP/1.1 99 OK", HTTPParseError.malformedStatusLine), ("HTTP/1.1 099 OK", .malformedStatusLine),
            ("HTTP/1.1 600 OK", .malformedStatusLine), ("HTTP/1.1 2000 OK", .malformedStatusLine),
            ("HTTP/1.1 20x OK", .malformedStatusLine), ("HTTP/1.1 +20 OK", .malformedStatusLine),
            ("HTTP/1.1  200 OK", .malformedStatusLine), ("HTTP/1.1\t200 OK", .malformedStatusLine),
            ("HTTP/1.1 200\tOK", .malformedStatusLine), ("HTTP/1.1 200 O\0K", .malformedStatusLine),
            ("HTTP/1.1 200 OK\n", .bareLineFeed), ("HTTP/1.1 200\n", .bareLineFeed),
            ("HTTP/1.1 200 O\rK", .bareCarriageReturn),
            ("HTTP/2.0 200 OK", .unsupportedVersion), ("HTTP/1.2 200 OK", .unsupportedVersion),
            ("http/1.1 200 OK", .malformedVersion), ("ICY 200 OK", .malformedVersion),
            ("\r\nHTTP/1.1 200 OK", .malformedVersion),
        ])
    func malformedStatusLine(_ line: String, _ error: HTTPParseError) {
        let source = "\(line)\r\nContent-Length: 0\r\n\r\n"
        #expect(outcome(source).error == error)
        expectSameWhenCut(source.bytes, .response(to: .get))
    }

    struct Framing: Sendable, CustomTestStringConvertible {
        var status: Int
        var fields: String
        var method: Method = .get
        var version = "1.1"
        var body: BodyFraming
        var keepAlive: Bool
        var testDescription: String { "\(version) \(status) to \(method): \(fields)" }
    }

    @Test(
        "RFC 9112 6.3: framing and persistence",
        arguments: [
            Framing(status: 200, fields: "Content-Length: 5\r\n", body: .length(5), keepAlive: true),
            Framing(status: 200, fields: "Content-Length: 0\r\n", body: .length(0), keepAlive: true),
            Framing(status: 200, fields: "Transfer-Encoding: Chunked\r\n", body: .chunked, keepAlive: true),
            Framing(status: 200, fields: "", body: .untilClose, keepAlive: false),
            Framing(status: 200, fields: "Connection: keep-alive\r\n", body: .untilClose, keepAlive: false),
            Framing(
                status: 200, fields: "Connection: close\r\nContent-Length: 5\r\n", body: .length(5), keepAlive: false),
            Framing(status: 200, fields: "Content-Length: 5\r\n", version: "1.0", body: .length(5), keepAlive: false),
            Framing(
                status: 200, fields: "Content-Length: 5\r\nConnection: keep-alive\r\n", version: "1.0",
                body: .length(5), keepAlive: true),
            Framing(
                status: 200, fields: "Content-Length: 5\r\nContent-Length: 5\r\n", body: .length(5), keepAlive: true),
            Framing(status: 200, fields: "Content-Length: 5\r\n", method: .head, body: .none, keepAlive: true),
            Framing(status: 200, fields: "Transfer-Encoding: chunked\r\n", method: .head, body: .none, keepAlive: true),
            Framing(status: 200, fields: "", method: .head, body: .none, keepAlive: true),
            Framing(status: 100, fields: "", body: .none, keepAlive: true),
            Framing(status: 103, fields: "Link: x\r\n", body: .none, keepAlive: true),
            Framing(status: 204, fields: "", body: .none, keepAlive: true),
            Framing(status: 204, fields: "Content-Length: 0\r\n", body: .none, keepAlive: true),
            Framing(status: 204, fields: "Content-Length: 5\r\n", body: .none, keepAlive: false),
            Framing(status: 204, fields: "Transfer-Encoding: chunked\r\n", body: .none, keepAlive: false),
            Framing(status: 304, fields: "Content-Length: 5\r\n", body: .none, keepAlive: true),
            Framing(status: 500, fields: "Content-Length: 5\r\n", body: .length(5), keepAlive: true),
        ])
    func framing(_ test: Framing) throws {
        let source = "HTTP/\(test.version) \(test.status) X\r\n\(test.fields)\r\n"
        let head = try #require(outcome(source, to: test.method).message?.response)
        #expect(head.framing == test.body)
        #expect(head.keepAlive == test.keepAlive)
        #expect((head.declaredLength != nil) == test.fields.contains("Content-Length"))
        expectSameWhenCut(source.bytes, .response(to: test.method))
    }

    @Test(
        "framing that another hop could read otherwise is an upstream's error",
        arguments: [
            ("200", "Content-Length: 5\r\nContent-Length: 6", HTTPParseError.duplicateContentLength),
            ("200", "Content-Length: 5, 5", .malformedContentLength),
            ("200", "Content-Length: +5", .malformedContentLength),
            ("200", "Content-Length: 5\r\nContent-Length: x", .malformedContentLength),
            ("200", "Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthWithTransferEncoding),
            ("304", "Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthWithTransferEncoding),
            ("200", "Transfer-Encoding: gzip", .unknownTransferCoding),
            ("200", "Transfer-Encoding: identity", .unknownTransferCoding),
            ("200", "Transfer-Encoding: gzip, chunked", .unknownTransferCoding),
            ("200", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .malformedTransferEncoding),
            ("204", "Transfer-Encoding: chunked, chunked", .malformedTransferEncoding),
            ("100", "Transfer-Encoding: chunked", .malformedTransferEncoding),
            ("100", "Content-Length: 5", .malformedContentLength),
            ("200", "Transfer_Encoding: chunked", .framingAlias), ("200", "X: a\r\n b", .obsoleteFold),
            ("200", "X : a", .spaceBeforeColon), ("200", "X: a\0", .malformedFieldValue),
        ])
    func refused(_ status: String, _ fields: String, _ error: HTTPParseError) {
        let source = "HTTP/1.1 \(status) X\r\n\(fields)\r\n\r\n"
        #expect(outcome(source).error == error)
        #expect(outcome(source, to: .head).error == error)
        expectSameWhenCut(source.bytes, .response(to: .get))
    }

    @Test("HTTP/1.0 knows no transfer coding")
    func http10() {
        #expect(outcome("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").error == .transferEncodingOnHTTP10)
    }

    @Test("a head over the limit is refused, whole or in single bytes")
    func limit() {
        var limits = HTTPLimits()
        limits.maximumHeadBytes = 64
        let bytes = "HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 100))\r\n\r\n".bytes
        #expect(MessageReader.read(bytes, .response(to: .get), limits: limits).error == .headTooLarge)
        #expect(MessageReader.readByteByByte(bytes, .response(to: .get), limits: limits).error == .headTooLarge)
    }
}
