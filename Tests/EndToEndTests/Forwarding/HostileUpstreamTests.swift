import Foundation
import Testing

/// Responses that an upstream sends by malice or by mistake: each is 502, or goes on exactly as it was framed, and what
/// stands behind it is never the answer to another client's request (GW-07, GW-08).
@Suite(.tags(.engine)) struct HostileUpstreamTests {
    enum Outcome: Sendable, Equatable {
        /// 502 with the reason `upstream_invalid_response`.
        case invalid
        /// 502 with the reason `upstream_connection_lost`.
        case lost
        /// This status and body, whole.
        case whole(Int, String)
        /// A response that has begun, and visibly does not come to its end.
        case cut
        /// Either of the two: it depends on where the bytes were cut whether the head had gone on.
        case invalidOrCut
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var outcome: Outcome
        var method = "GET"
        /// Whether the upstream closes behind it; else it waits for the next request.
        var closes = false

        init(_ text: String, _ outcome: Outcome, to method: String = "GET", closes: Bool = false) {
            bytes = Array(text.utf8)
            self.outcome = outcome
            self.method = method
            self.closes = closes
        }

        var testDescription: String {
            "\(method): \(String(decoding: bytes.prefix(90), as: UTF8.self).debugDescription)"
        }
    }

    /// What comes behind the case: a response without a request.
    private static let stray = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"

    private static func head(_ fields: String, _ status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n"
    }

    // MARK: Tables

    private static let lengths: [Case] =
        [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5", "Content-Length: +5",
            "Content-Length: -5",
            "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length:", "Content-Length: 5;",
            "Content-Length: 5.0",
            "Content-Length: 18446744073709551621", "Content-Length: 99999999999999999999999", "Content-Length: \u{b}5",
            "Content-Length : 5", "Content_Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: xchunked",
            "Transfer-Encoding: identity", "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked, identity", "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: \u{b}chunked",
            "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding:",
            "Transfer-Encoding : chunked", "Transfer_Encoding: chunked", " Transfer-Encoding: chunked",
            "X: a\r\n Transfer-Encoding: chunked", "Transfer-Encoding: chun\r\n ked",
        ].map { Case(head($0) + "0\r\n\r\n", .invalid) } + [
            Case("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .invalid),
            Case(head("Content-Length: 5\r\nContent-Length: 5") + "hello", .whole(200, "hello")),
            Case(head("Content-Length: 005") + "hello", .whole(200, "hello")),
        ]

    private static let statusLines: [Case] =
        [
            "HTTP/1.1 200 OK\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 099 OK\r\n",
            "HTTP/1.1 600 OK\r\n",
            "HTTP/1.1 -200 OK\r\n", "HTTP/1.1 +20 OK\r\n", "HTTP/1.1 2 0 OK\r\n", "HTTP/1.1 OK\r\n", "HTTP/1.1\r\n",
            "HTTP/1.1  200 OK\r\n", "HTTP/1.1\t200 OK\r\n", "HTTP/1.1200 OK\r\n", "HTTP/2 200 OK\r\n",
            "HTTP/2.0 200 OK\r\n",
            "HTTP/0.9 200 OK\r\n", "HTTP/1.10 200 OK\r\n", "HTTP/11 200 OK\r\n", "HTTP/ 1.1 200 OK\r\n",
            "HTTPS/1.1 200 OK\r\n",
            "http/1.1 200 OK\r\n", "ICY 200 OK\r\n", "\r\nHTTP/1.1 200 OK\r\n", " HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 O\0K\r\n", "HTTP/1.1 200 O\rK\r\n", "HTTP/1.1 200 O\nSet-Cookie: a=b\r\n",
            "200 OK\r\n", "220 mail.example.com ESMTP\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "-ERR unknown command\r\n",
            "\u{15}\u{3}\u{1}\0\u{2}\u{2}F", "<html>an answer of HTTP/0.9</html>\r\n", "GET / HTTP/1.1\r\n", "\r\n\r\n",
            "\0\0\0\0",
        ].map { Case($0 + "Content-Length: 0\r\n\r\n", .invalid) } + [
            Case("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", .whole(200, "")),
            Case("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", .whole(200, "")),
            Case("HTTP/1.1 599 \u{e9}\u{7fff}\r\nContent-Length: 0\r\n\r\n", .whole(599, "")),
            Case("<html>without a line end</html>", .invalid, closes: true),
            Case("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", .lost, closes: true),
            Case("", .lost, closes: true),
        ]

    private static let fields: [Case] =
        [
            "X: a\r\n b", "X: a\r\n\tb", "X: a\0b", "X: a\rSet-Cookie: b=c", "X: a\nSet-Cookie: b=c", "X: a\u{8}b",
            "X: a\u{7f}b",
            "X\0: a", "X Y: a", "X : a", "X\t: a", ": a", "no colon", "X\u{e9}: a", "\u{1}X: a", "(X): a",
            "X: a\r\r\nY: b",
            "X: \(String(repeating: "x", count: 70_000))", String(repeating: "X: y\r\n", count: 250) + "Y: z",
            String(repeating: "x", count: 70_000),
        ].map { Case(head($0 + "\r\nContent-Length: 0"), .invalid) } + [
            // Nothing here is a line end, though a careless decoder may read one.
            Case(
                head("X: a%0d%0aSet-Cookie: b=c\r\nY: \u{560a}\u{560d}Set-Cookie: d=e\r\nContent-Length: 2") + "ok",
                .whole(200, "ok")),
            Case(head("X:\r\nY:   \r\nContent-Length: 2") + "ok", .whole(200, "ok")),
            // The head of an upstream that never ends it.
            Case("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1 << 20), .invalid),
            Case("HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 100_000), .invalid),
            Case(String(repeating: "x", count: 1 << 20), .invalid),
        ]

    private static let interim: [Case] = [
        Case(head("Upgrade: websocket\r\nConnection: upgrade", "101 Switching Protocols") + "frames", .invalid),
        Case(head("X: y", "101 X"), .invalid),
        Case(head("Content-Length: 5", "100 Continue") + "hello" + stray, .invalid),
        Case(head("Transfer-Encoding: chunked", "103 Early Hints") + "0\r\n\r\n" + stray, .invalid),
        Case(String(repeating: head("Link: </a>", "103 Early Hints"), count: 5000) + stray, .invalid),
        Case(head("X: y", "102 Processing"), .lost, closes: true),
        Case(head("X: y", "102 Processing") + "nonsense\r\n\r\n", .invalid),
        Case(head("X: a\0b", "103 Early Hints") + stray, .invalid),
        Case(head("X: y", "199 Whatever") + head("Content-Length: 2") + "ok", .whole(200, "ok")),
    ]

    private static let bodies: [Case] = [
        Case(head("Content-Length: 5", "204 No Content") + "hello", .whole(204, "")),
        Case(head("Transfer-Encoding: chunked", "204 No Content") + "0\r\n\r\n", .whole(204, "")),
        Case(head("Content-Length: 5", "304 Not Modified") + "hello", .whole(304, "")),
        Case(head("Content-Length: 5"), .whole(200, ""), to: "HEAD"),
        Case(head("Content-Length: 5") + "hello", .whole(200, ""), to: "HEAD"),
        Case(head("Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n", .whole(200, ""), to: "HEAD"),
        Case(head("X: y") + "hello", .whole(200, ""), to: "HEAD"),
        Case(head("Content-Length: 5") + "hello and more", .whole(200, "hello")),
        Case(head("Content-Length: 0") + "hello", .whole(200, "")),
        Case(head("X: y") + "to the end", .whole(200, "to the end"), closes: true),
        Case("HTTP/1.0 200 OK\r\n\r\nto the end", .whole(200, "to the end"), closes: true),
        Case(head("Connection: keep-alive") + "to the end", .whole(200, "to the end"), closes: true),
        Case(head("Content-Length: 10") + "hello", .cut, closes: true),
        Case(head("Transfer-Encoding: chunked") + "5\r\nhello\r\n", .cut, closes: true),
        Case(head("Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n", .cut, closes: true),
        Case(head("Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\nX: y\r\n", .cut, closes: true),
    ]

    /// Broken chunks behind a head that was right.
    private static let chunks: [Case] =
        [
            "+5\r\nhello\r\n", "-5\r\nhello\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n",
            "\r\nhello\r\n",
            "g\r\nhello\r\n", "FFFFFFFFFFFFFFFF\r\nhello\r\n", "10000000000000005\r\nhello\r\n", "5\nhello\r\n",
            "5\r\nhello\n",
            "5\r\nhelloX", "5\r\nhello\r\r\n", "5;\0\r\nhello\r\n", "5;a=b\nX\r\nhello\r\n", "5;a\rb\r\nhello\r\n",
            "5;\(String(repeating: "x", count: 70_000))\r\nhello\r\n",
            String(repeating: "0", count: 100) + "5\r\nhello\r\n",
        ].map { Case(head("Transfer-Encoding: chunked") + $0 + "0\r\n\r\n", .invalidOrCut) }
        + [
            "0\r\nContent_Length: 5\r\n\r\n", "0\n\n", "0\r\nX: y\n\n", "0\r\n X: y\r\n\r\n", "0\r\nX : y\r\n\r\n",
            "0\r\nno colon\r\n\r\n",
            "0\r\nX: a\0b\r\n\r\n",
            "0\r\nX: y\r\n z\r\n\r\n", "0\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n",
            "0\r\n" + String(repeating: "X: y\r\n", count: 5000) + "\r\n",
        ].map { Case(head("Transfer-Encoding: chunked") + "5\r\nhello\r\n" + $0, .invalidOrCut) }

    // MARK: Judging

    private func fixture() throws -> Fixture {
        // One worker, so that a connection which is kept is the one that the next request gets.
        try Fixture { settings in
            settings["workers"] = "1"
            settings["routes"] = #"[{"path": "/**", "upstream": "stub", "public": true}]"#
        }
    }

    /// What a client saw, with the bytes that came behind its response.
    private func outcome(_ test: Case, _ connection: RawConnection) throws -> Outcome {
        try connection.send(RawConnection.request(test.method, "/bad"))
        do {
            let response = try connection.readResponse(to: test.method)
            let code = JSONText(response.text)["code"].string
            if response.status == 502, code == "upstream_invalid_response" { return .invalid }
            if response.status == 502, code == "upstream_connection_lost" { return .lost }
            return .whole(response.status, response.text)
        } catch SocketError.ended, SocketError.reset {
            return .cut
        }
    }

    private func judge(_ test: Case, _ fixture: Fixture) throws {
        fixture.upstream.on("/bad") { _ in
            [.sendBytes(test.bytes + (test.closes ? [] : Array(Self.stray.utf8)))] + (test.closes ? [.close] : [])
        }
        let connection = try fixture.connect()
        let seen = try outcome(test, connection)
        let isExpected = seen == test.outcome || (test.outcome == .invalidOrCut && [.invalid, .cut].contains(seen))
        #expect(isExpected, "\(test.testDescription): \(seen) and not \(test.outcome)")
        if seen != .cut {
            let next = try? connection.exchange("GET", "/next")
            #expect(
                next?.text == "/next" || connection.isClosed(), "\(test.testDescription): \(next?.text ?? "nothing")")
        }
        for _ in 0..<2 { #expect(try fixture.request("GET", "/other").text == "/other", "\(test.testDescription)") }
    }

    @Test(
        "GW-07: hostile responses are 502 or relayed exactly, and answer one request",
        arguments: ["lengths", "status lines", "fields", "interim", "bodies", "chunks"])
    func hostile(_ table: String) throws {
        let tables = [
            "lengths": Self.lengths, "status lines": Self.statusLines, "fields": Self.fields, "interim": Self.interim,
            "bodies": Self.bodies, "chunks": Self.chunks,
        ]
        let cases = try #require(tables[table])
        let fixture = try fixture()
        for test in cases { try judge(test, fixture) }
        #expect(fixture.gateway.program.isRunning)
        #expect(!fixture.gateway.everythingWritten.contains("POISON"))
    }

    @Test("GW-07: the same responses in single bytes have the same result")
    func singleBytes() throws {
        let fixture = try fixture()
        for test in (Self.lengths + Self.bodies + Self.interim) where test.bytes.count < 300 {
            fixture.upstream.on("/bad") { _ in
                test.bytes.map { .sendBytes([$0]) } + (test.closes ? [.close] : [.send(Self.stray)])
            }
            #expect(try outcome(test, fixture.connect()) == test.outcome, "\(test.testDescription)")
            #expect(try fixture.request("GET", "/other").text == "/other", "\(test.testDescription)")
        }
    }

    @Test("GW-07: trailers are relayed without fields for framing, routing or identity")
    func trailers() throws {
        let fixture = try fixture()
        let names = [
            "Content-Length", "Transfer-Encoding", "Host", "Connection", "Trailer", "Authorization", "Set-Cookie",
            "Content-Encoding", "Content-Type", "Content-Range", "Cache-Control", "X-Gateway-User",
            "TE", "Upgrade",
        ]
        let lines = names.map { "\($0): 1\r\n" }.joined()
        fixture.upstream.on("/trailers") { _ in
            [.send(Self.head("Transfer-Encoding: chunked") + "2\r\nok\r\n0\r\nX-Sum: 1\r\n\(lines)\r\n")]
        }
        let response = try fixture.request("GET", "/trailers")
        #expect(response.text == "ok")
        #expect(response.trailers.map(\.name) == ["X-Sum"], "\(response.trailers)")
    }
}
