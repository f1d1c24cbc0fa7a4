import Bytes
import Testing

@testable import HTTP

/// A request and what is to come of it.
struct RequestCase: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var error: HTTPParseError?

    init(_ name: String, _ text: String, _ error: HTTPParseError? = nil) {
        self.name = name
        bytes = text.bytes
        self.error = error
    }

    var testDescription: String { name }
}

@Suite struct RequestParserTests {
    private func request(_ text: String) throws -> MessageOutcome.Message {
        try #require(MessageReader.read(text.bytes, .request).message)
    }

    @Test("RFC 9112 3: parts of a request head")
    func parts() throws {
        let source = "GET /a/b?c=d?e HTTP/1.1\r\nHost: example.com:8080\r\nX-One: \t two words \t\r\nEmpty:\r\n\r\nrest"
        let message = try request(source)
        let head = try #require(message.request)
        #expect(head.method == .get)
        #expect(text(head.methodText, source.bytes) == "GET")
        #expect(text(head.target, source.bytes) == "/a/b?c=d?e")
        #expect(text(head.path, source.bytes) == "/a/b")
        #expect(text(head.query, source.bytes) == "c=d?e")
        #expect(text(head.authority, source.bytes) == "example.com:8080")
        #expect(head.minorVersion == 1)
        #expect(head.framing == .none)
        #expect(head.keepAlive)
        #expect(!head.expectsContinue)
        #expect(!head.upgrade)
        #expect(head.length == source.utf8.count - 4)
        #expect(message.fields.map(\.name) == ["Host", "X-One", "Empty"])
        #expect(message.fields.map(\.value) == ["example.com:8080".bytes, "two words".bytes, []])
        #expect(message.fields.map(\.token) == [.host, .other, .other])
        #expect(message.rest == "rest".bytes)
    }

    @Test("RFC 9112 2.2: one empty line ahead of a request is passed over")
    func leadingEmptyLine() throws {
        let source = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let head = try #require(try request(source).request)
        #expect(text(head.target, source.bytes) == "/")
        #expect(head.length == source.utf8.count)
    }

    @Test("RFC 9110 9.1: methods are tokens compared with case")
    func methods() throws {
        for method in Method.allCases where method != .extension && method != .connect {
            let name = try #require(method.name)
            #expect(try request("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n").request?.method == method)
        }
        #expect(try request("get / HTTP/1.1\r\nHost: a\r\n\r\n").request?.method == .extension)
        #expect(try request("M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n").request?.method == .extension)
    }

    static let accepted = [
        RequestCase("asterisk-form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        RequestCase("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n"),
        RequestCase("an unknown name with underscore", "GET / HTTP/1.1\r\nHost: a\r\nX_Y: 1\r\n\r\n"),
        RequestCase("obs-text in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: D\u{fc}sseldorf\r\n\r\n"),
        RequestCase(
            "two Authorization fields are for the policy",
            "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: B x\r\nAuthorization: B y\r\n\r\n"),
        RequestCase(
            "chunked", "POST / HTTP/1.1\r\nHost: a\r\ntransfer-ENCODING: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        RequestCase("length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 005\r\n\r\nhelloGET"),
        RequestCase(
            "trailers",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\nDigest: y\r\n\r\n"),
    ]

    static let refused = [
        // RFC 9112 section 3
        RequestCase("empty method", " / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        RequestCase("method with a separator", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        RequestCase("tab after the method", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        RequestCase("two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        RequestCase("two spaces after the target", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .malformedVersion),
        RequestCase(
            "long method", String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", .methodTooLong),
        RequestCase("two empty lines ahead", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        RequestCase("line feed ahead", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        RequestCase("CR ahead", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareCarriageReturn),
        RequestCase("HTTP/0.9", "GET /\r\n\r\n", .malformedTarget),
        RequestCase("lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n", .malformedVersion),
        RequestCase("another protocol", "OPTIONS / RTSP/1.0\r\nHost: a\r\n\r\n", .malformedVersion),
        RequestCase("long version", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", .malformedVersion),
        RequestCase("space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .malformedVersion),
        RequestCase("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion),
        RequestCase("HTTP/2.0 with a path", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        RequestCase("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", .unsupportedVersion),
        RequestCase("HTTP/0.9 spelled out", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", .unsupportedVersion),
        RequestCase("bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", .bareLineFeed),
        RequestCase("bare CR after the request line", "GET / HTTP/1.1\rHost: a\r\n\r\n", .bareCarriageReturn),
        // RFC 9112 section 5
        RequestCase("space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", .spaceBeforeColon),
        RequestCase("tab before the colon", "GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", .spaceBeforeColon),
        RequestCase("fold", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", .obsoleteFold),
        RequestCase("fold by tab", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\r\n\r\n", .obsoleteFold),
        RequestCase("blank before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", .obsoleteFold),
        RequestCase("empty name", "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", .malformedFieldName),
        RequestCase("no colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n", .malformedFieldName),
        RequestCase("separator in a name", "GET / HTTP/1.1\r\nHost: a\r\nX(: x\r\n\r\n", .malformedFieldName),
        RequestCase("NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0: x\r\n\r\n", .malformedFieldName),
        RequestCase("obs-text in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\u{fc}: x\r\n\r\n", .malformedFieldName),
        RequestCase("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", .malformedFieldValue),
        RequestCase("DEL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7f}b\r\n\r\n", .malformedFieldValue),
        RequestCase("bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", .bareCarriageReturn),
        RequestCase("bare LF after a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n", .bareLineFeed),
        RequestCase("bare LF as the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed),
        RequestCase("CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", .bareCarriageReturn),
        // RFC 9112 section 3.2
        RequestCase("no Host", "GET / HTTP/1.1\r\nX: a\r\n\r\n", .missingHost),
        RequestCase("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .duplicateHost),
        RequestCase("two Hosts in 1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .duplicateHost),
        RequestCase(
            "two Hosts beside an absolute target", "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            .duplicateHost),
        RequestCase("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", .malformedHost),
        RequestCase("Host list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .malformedHost),
        RequestCase("Host with user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .malformedHost),
        RequestCase("Host with path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .malformedHost),
        RequestCase("authority-form", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", .connectUnsupported),
        // RFC 9110 section 10.1.1
        RequestCase(
            "another expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\nx",
            .unknownExpectation),
        RequestCase(
            "two expectations",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
            .unknownExpectation),
    ]

    @Test("accepted, and the same however it is cut", arguments: accepted)
    func accepts(_ request: RequestCase) {
        let outcome = MessageReader.read(request.bytes, .request)
        #expect(outcome.message?.ended == true)
        expectSameWhenCut(request.bytes, .request)
    }

    @Test("RFC 9112: refused, whole or cut", arguments: refused)
    func refuses(_ request: RequestCase) {
        #expect(MessageReader.read(request.bytes, .request).error == request.error)
        expectSameWhenCut(request.bytes, .request)
    }

    @Test(
        "RFC 9112 9.3: persistence",
        arguments: [
            ("1.1", "X: y", true), ("1.1", "Connection: close", false), ("1.1", "Connection: foo, CLOSE", false),
            ("1.1", "Connection: keep-alive", true), ("1.1", "Connection: keep-alive\r\nConnection: close", false),
            ("1.0", "X: y", false), ("1.0", "Connection: Keep-Alive", true),
            ("1.0", "Connection: close, keep-alive", false),
            ("1.1", "Connection: closed", true), ("1.1", "Proxy-Connection: close", true),
        ])
    func keepAlive(_ version: String, _ fields: String, _ expected: Bool) throws {
        #expect(try request("GET / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\r\n").request?.keepAlive == expected)
    }

    @Test(
        "RFC 9110 10.1.1: Expect",
        arguments: [
            ("1.1", "Expect: 100-continue\r\nContent-Length: 3", true),
            ("1.1", "expect: 100-Continue\r\nTransfer-Encoding: chunked", true),
            ("1.1", "Expect: 100-continue", false), ("1.1", "Expect: 100-continue\r\nContent-Length: 0", false),
            ("1.0", "Expect: 100-continue\r\nContent-Length: 3", false),
            ("1.0", "Expect: miracles\r\nContent-Length: 3", false),
        ])
    func expect(_ version: String, _ fields: String, _ expected: Bool) throws {
        #expect(
            try request("POST / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\r\n").request?.expectsContinue == expected)
    }

    @Test(
        "RFC 9110 7.8: Upgrade counts only with the connection option",
        arguments: [
            ("1.1", "Connection: Upgrade\r\nUpgrade: websocket", true), ("1.1", "Upgrade: websocket", false),
            ("1.1", "Connection: upgrade", false), ("1.0", "Connection: upgrade\r\nUpgrade: h2c", false),
        ])
    func upgrade(_ version: String, _ fields: String, _ expected: Bool) throws {
        #expect(try request("GET / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\r\n").request?.upgrade == expected)
    }
}
