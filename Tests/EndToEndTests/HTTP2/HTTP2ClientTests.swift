import Foundation
import Testing

/// Issue B, GW-06: curl over TLS and HTTP/2, and over HTTP/2 without TLS.
@Suite(.tags(.engine)) struct HTTP2ClientTests {
    @Test("GW-06: the 401 of HTTP/2 equals that of HTTP/1.1 apart from its request-ctx")
    func challenge() throws {
        let fixture = try SecureFixture()
        let new = try fixture.curl(["--http2"], "/inventory/items")
        let old = try fixture.curl(["--http1.1"], "/inventory/items")
        #expect(new.version == "HTTP/2" && new.status == 401, "\(new.errors)")
        #expect(old.version == "HTTP/1.1" && old.status == 401, "\(old.errors)")
        let context = /request-ctx="[^"]*"/
        let challenges = try [new, old].map { try #require($0.only("www-authenticate")) }
        for challenge in challenges { #expect(challenge.contains(context)) }
        #expect(challenges[0] != challenges[1])
        #expect(challenges[0].replacing(context, with: "") == challenges[1].replacing(context, with: ""))
        #expect(JSONText(new.body)["code"].string == JSONText(old.body)["code"].string)
        // RFC 9113 section 8.2: names in lower case, nothing that speaks of the connection.
        #expect(new.names.allSatisfy { $0 == $0.lowercased() })
        #expect(!new.names.contains { ["connection", "transfer-encoding", "keep-alive"].contains($0) })
    }

    @Test("a token is accepted on every listener and HTTP version", arguments: ["secure", "public", "old"])
    func bearer(_ listener: String) throws {
        let fixture = try SecureFixture()
        let token = try fixture.mint()
        let version = listener == "old" ? "HTTP/1.1" : "HTTP/2"
        let options = listener == "public" ? ["--http2-prior-knowledge"] : ["--http2"]
        let answer = try fixture.curl(
            options + ["-H", "Authorization: Bearer \(token)"], "/inventory/me?a=1&a=2", listener: listener)
        #expect(answer.version == version, "\(answer.errors)")
        #expect(answer.status == 200)
        #expect(answer.body == "/inventory/me")
        let seen = try #require(fixture.upstream.requests("/inventory/me").last)
        #expect(seen.head.startLine == "GET /inventory/me?a=1&a=2 HTTP/1.1")
        #expect(seen.only("X-Gateway-User") == "joe")
        #expect(seen.only("X-Forwarded-Proto") == (listener == "public" ? "http" : "https"))
        #expect(seen.only("Host") == seen.only("X-Forwarded-Host"))
        #expect(seen.only("Via") == (version == "HTTP/2" ? "2.0 portcullis" : "1.1 portcullis"))
        let line = fixture.gateway.waitForAccess { $0["path"].string == "/inventory/me" }
        #expect(line?["status"].integer == 200)
        #expect(line?["subject"].string == "joe")
        #expect(try fixture.curl(options, "/inventory/me", listener: listener).status == 401)
    }

    @Test("bodies with and without a length are relayed in both directions", arguments: [["--http2"], ["--http1.1"]])
    func bodies(_ version: [String]) throws {
        let fixture = try SecureFixture()
        fixture.upstream.on("/open/length") { request in [.reply(body: String(decoding: request.body, as: UTF8.self))] }
        fixture.upstream.on("/open/chunked") { request in
            let text = String(decoding: request.body, as: UTF8.self)
            let size = String(text.utf8.count, radix: 16)
            return [
                .send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(text)\r\n0\r\nX-Sum: 9\r\n\r\n")
            ]
        }
        let body = String(repeating: "0123456789abcde,", count: 20_000)
        for path in ["/open/length", "/open/chunked"] {
            let known = try fixture.curl(version + ["-X", "POST", "--data-binary", "@-"], path, input: body)
            #expect(known.status == 200, "\(known.errors)")
            #expect(known.body.hasPrefix(body) && known.body.utf8.count - body.utf8.count < 20)
            #expect(fixture.upstream.requests(path).last?.only("Content-Length") == "\(body.utf8.count)")
            let unknown = try fixture.curl(version + ["-X", "POST", "-T", "-", "-H", "Expect:"], path, input: body)
            #expect(unknown.status == 200, "\(unknown.errors)")
            #expect(unknown.body.hasPrefix(body))
            let seen = try #require(fixture.upstream.requests(path).last)
            #expect(seen.only("Transfer-Encoding") == "chunked" && seen.values("Content-Length").isEmpty)
            #expect(seen.bodyCount == body.utf8.count)
        }
    }

    @Test(
        "RFC 9110: HEAD, 204 and 304 have no body over HTTP/2 and HTTP/1.1", arguments: [["--http2"], ["--http1.1"]])
    func bodiless(_ version: [String]) throws {
        let fixture = try SecureFixture()
        fixture.upstream.on("/open/204") { _ in [.send("HTTP/1.1 204 No Content\r\n\r\n")] }
        fixture.upstream.on("/open/304") { _ in
            [.send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 99\r\n\r\n")]
        }
        fixture.upstream.on("/open/head") { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")] }
        let head = try fixture.curl(version + ["-I"], "/open/head")
        #expect(head.status == 200 && head.only("content-length") == "99", "\(head.errors)")
        #expect(head.ending == .exit(0))
        for status in [204, 304] {
            let answer = try fixture.curl(version, "/open/\(status)")
            #expect(answer.status == status && answer.body.isEmpty && answer.ending == .exit(0), "\(answer.errors)")
        }
    }

    @Test("RFC 7301: the negotiated protocol is used")
    func negotiation() throws {
        let fixture = try SecureFixture()
        let cases: [(listener: String, options: [String], version: String)] = [
            ("secure", ["--http2"], "HTTP/2"), ("secure", ["--http1.1"], "HTTP/1.1"),
            ("secure", ["--no-alpn", "--http2"], "HTTP/1.1"), ("old", ["--http2"], "HTTP/1.1"),
            ("public", ["--http2-prior-knowledge"], "HTTP/2"), ("public", ["--http1.1"], "HTTP/1.1"),
            // RFC 9113 section 3.1: the upgrade to h2c is no more.
            ("public", ["--http2"], "HTTP/1.1"),
        ]
        for (listener, options, version) in cases {
            let answer = try fixture.curl(options, "/open/x", listener: listener)
            #expect(answer.version == version, "\(listener) \(options) \(answer.errors)")
            #expect(answer.status == 200)
        }
        // The same port speaks both, and each of them on its own connections.
        let connection = try fixture.gateway.connect()
        try connection.send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")
        #expect(connection.isClosed() || (try? connection.receiveToEnd()) != nil)
        #expect(try fixture.gateway.request("GET", "/open/x").status == 200)
    }

    @Test("CORS-01: a preflight over HTTP/2 is answered as over HTTP/1.1")
    func preflight() throws {
        let fixture = try SecureFixture { $0["policies"] = #"{"Security_AllowOrigin": "https://app.example.com"}"# }
        let fields = [
            "-X", "OPTIONS", "-H", "Origin: https://app.example.com", "-H", "Access-Control-Request-Method: GET", "-H",
            "Access-Control-Request-Headers: authorization",
        ]
        let (new, old) = try (
            fixture.curl(fields + ["--http2"], "/inventory/items"),
            fixture.curl(fields + ["--http1.1"], "/inventory/items")
        )
        #expect(new.version == "HTTP/2" && new.status == 204, "\(new.status) \(new.body)")
        #expect(new.only("access-control-allow-origin") == "https://app.example.com")
        for name in old.names.map({ $0.lowercased() }) where name.hasPrefix("access-control-") || name == "vary" {
            #expect(new.values(name) == old.values(name), "\(name)")
        }
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test(
        "GW-08: 413 and 431 are answered over HTTP/2 too",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/nghttp")))
    func limits() throws {
        let fixture = try SecureFixture { $0["limits"] = #"{"maxBodyBytes": "64KiB", "maxHeaderBytes": "8KiB"}"# }
        let body = String(repeating: "b", count: 100_000)
        // RFC 9113 section 8.1: the whole answer, and then RST_STREAM with NO_ERROR. This version of curl may take that for an
        // error where it comes during an upload; nghttp reads on.
        try Data(body.utf8).write(to: URL(fileURLWithPath: fixture.file("tls/body")))
        for options in [["-v"], ["-v", "--no-content-length"]] {
            let refused = try Program.run(
                "/usr/bin/nghttp", options + ["-d", fixture.file("tls/body"), "\(try fixture.url())/open/x"])
            #expect(refused.output.contains(":status: 413"), "\(refused.output)")
        }
        let large = try fixture.curl(["--http2", "-H", "X-Large: \(String(repeating: "l", count: 9000))"], "/open/x")
        #expect(large.status == 431 && large.version == "HTTP/2", "\(large.errors)")
        #expect(try fixture.curl(["--http2"], "/open/x").status == 200)
        #expect(fixture.upstream.requests("/open/x").allSatisfy { $0.bodyCount <= 65_536 })
    }
}
