import Testing

/// HTTP/1.1 on both sides (GW-03, GW-06, GW-07; RFC 9110, RFC 9112).
@Suite(.tags(.engine)) struct ProtocolTests {
    @Test("GW-03: pipelined requests are answered in order, also byte by byte")
    func pipelining() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        let requests = [
            RawConnection.request("GET", "/open/1"), RawConnection.request("POST", "/open/2", body: "body"),
            RawConnection.request("GET", "/inventory/me", [.bearer(token)]),
            RawConnection.request("GET", "/inventory/me"),
            RawConnection.request("GET", "/nowhere"), RawConnection.request("HEAD", "/open/5"),
            RawConnection.request("GET", "/open/6"),
        ].joined()
        for size in [1, 50, requests.utf8.count] {
            let connection = try fixture.connect()
            try connection.send(requests, piecesOf: size)
            let methods = ["GET", "POST", "GET", "GET", "GET", "HEAD", "GET"]
            let statuses = try methods.map { try connection.readResponse(to: $0).status }
            #expect(statuses == [200, 200, 200, 401, 404, 200, 200])
            connection.socket.finishSending()
            #expect(connection.isClosed())
        }
    }

    @Test("GW-03: HTTP/1.0 works with and without keep-alive, as used by ab")
    func http10() throws {
        let fixture = try Fixture()
        let closing = try fixture.connect()
        try closing.send("GET /open/a HTTP/1.0\r\n\r\n")
        let first = try closing.readResponse()
        #expect(first.status == 200)
        #expect(first.only("Content-Length") == "7")
        #expect(closing.isClosed())
        let keeping = try fixture.connect()
        for path in ["/open/a", "/nowhere", "/inventory/me", "/open/b"] {
            try keeping.send("GET \(path) HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: x\r\n\r\n")
            let response = try keeping.readResponse()
            #expect(response.only("Connection")?.lowercased() == "keep-alive")
            #expect(response.only("Content-Length") != nil)
        }
        #expect(fixture.upstream.requests.allSatisfy { $0.head.startLine.hasSuffix("HTTP/1.1") })
    }

    @Test("RFC 9112 7: an HTTP/1.0 client gets a chunked response unchunked, ended by the close")
    func chunkedToHTTP10() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/c") { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")]
        }
        let connection = try fixture.connect()
        try connection.send("GET /open/c HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let text = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
        #expect(text.hasSuffix("\r\n\r\nhello world"))
        #expect(!text.lowercased().contains("transfer-encoding"))
    }

    @Test("RFC 9112 9.6: Connection: close is honoured after a complete response")
    func connectionClose() throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        let response = try connection.exchange("GET", "/open/x", ["Connection: close"])
        #expect(response.only("Connection") == "close")
        #expect(response.text == "/open/x")
        #expect(connection.isClosed())
        #expect(try fixture.lastRequest("/open/x").values("Connection").isEmpty)
    }

    @Test(
        "RFC 9110 9.3.2: a refused HEAD has no body",
        arguments: [
            ("HEAD / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n", 417), ("HEAD / HTTP/1.1\r\n\r\n", 400),
            ("\r\nHEAD / HTTP/3.0\r\nHost: a\r\n\r\n", 505), ("HEAD /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("HEAD / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: 1\r\n", count: 120) + "\r\n", 431),
        ])
    func refusedHead(_ request: String, _ status: Int) throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        try connection.send(request)
        let text = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.hasSuffix("\r\n\r\n") && text.contains("Content-Length: "), "\(text)")
        // The same with another method has one.
        let other = try fixture.connect()
        try other.send(request.replacing("HEAD", with: "GET"))
        #expect(String(decoding: try other.receiveToEnd(), as: UTF8.self).hasSuffix("}"))
    }

    @Test("RFC 9110: HEAD, 204 and 304 have no body, with any announced length", arguments: ["HEAD", "GET"])
    func bodiless(_ method: String) throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/204") { _ in [.send("HTTP/1.1 204 No Content\r\n\r\n")] }
        fixture.upstream.on("/open/304") { _ in
            [.send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 99\r\n\r\n")]
        }
        fixture.upstream.on("/open/200") { request in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + (request.method == "HEAD" ? "" : "hello"))]
        }
        let connection = try fixture.connect()
        for (path, status) in [("/open/204", 204), ("/open/304", 304), ("/open/200", 200), ("/open/204", 204)] {
            let response = try connection.exchange(method, path)
            #expect(response.status == status)
            #expect(response.body.isEmpty == (method == "HEAD" || status != 200))
            if status == 200 { #expect(response.only("Content-Length") == "5") }
            if status == 304 { #expect(response.only("ETag") == "\"x\"") }
        }
    }

    @Test("GW-07: chunks are relayed both ways, with harmless trailers only")
    func chunkedAndTrailers() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/t") { _ in
            [
                .send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Sum: 9\r\nContent-Length: 3\r\n\r\n"
                )
            ]
        }
        let connection = try fixture.connect()
        let text =
            "POST /open/t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=\"y\"\r\ndefg\r\n0\r\n"
            + "X-Sum: 7\r\nX-Gateway-User: root\r\nx_gateway_roles: Manager\r\nAuthorization: Bearer x\r\nHost: b\r\n\r\n"
        for size in [1, 13, text.utf8.count] {
            try connection.send(text, piecesOf: size)
            let response = try connection.readResponse(to: "POST")
            #expect(response.text == "hello")
            #expect(response.trailers == ["X-Sum: 9"])
            let seen = try fixture.lastRequest("/open/t")
            #expect(String(decoding: seen.body, as: UTF8.self) == "abcdefg")
            #expect(seen.trailers == ["X-Sum: 7"])
            #expect(seen.values("Transfer-Encoding") == ["chunked"] && seen.values("Content-Length").isEmpty)
        }
    }

    @Test("RFC 9112 6.3: a response delimited by the close is relayed in chunks")
    func untilClose() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/e") { _ in [.send("HTTP/1.1 200 OK\r\n\r\nto the end"), .close] }
        let connection = try fixture.connect()
        for _ in 0..<2 {
            let response = try connection.exchange("GET", "/open/e")
            #expect(response.text == "to the end")
            #expect(response.only("Transfer-Encoding") == "chunked")
        }
    }

    @Test("RFC 9110 10.1.1: Expect: 100-continue waits for the upstream, or is refused without the body")
    func expectContinue() throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        try connection.send(
            "POST /open/x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try connection.readHead()?.startLine.hasPrefix("HTTP/1.1 100") == true)
        try connection.send("body")
        #expect(try connection.readResponse(to: "POST").status == 200)
        #expect(try fixture.lastRequest("/open/x").body == Array("body".utf8))
        let refused = try fixture.connect()
        try refused.send(
            "POST /inventory/me HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        let response = try refused.readResponse(to: "POST")
        #expect(response.status == 401)
        #expect(response.only("Connection") == "close")
        #expect(refused.isClosed())
        let token = try fixture.connect()
        try token.send(
            "POST /oauth2/token HTTP/1.1\r\nHost: a\r\nAuthorization: \(Field.basic("inv-client:inv-secret").value)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\nExpect: 100-continue\r\n\r\n"
        )
        #expect(try token.readHead()?.startLine.hasPrefix("HTTP/1.1 100") == true)
        try token.send("grant_type=client_credentials")
        #expect(try token.readResponse(to: "POST").status == 200)
    }

    @Test("RFC 9110 15.2: interim responses are relayed to clients that support them")
    func interim() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/hints") { _ in
            [
                .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"),
                .reply(body: "done"),
            ]
        }
        let connection = try fixture.connect()
        try connection.send(RawConnection.request("GET", "/open/hints"))
        var seen: [MessageHead] = []
        #expect(try connection.readResponse { seen.append($0) }.text == "done")
        #expect(seen.map(\.startLine) == ["HTTP/1.1 103 Early Hints", "HTTP/1.1 102 Processing"])
        #expect(seen.first?.only("Link") == "</a>")
        let old = try fixture.connect()
        try old.send("GET /open/hints HTTP/1.0\r\n\r\n")
        #expect(try old.readHead()?.startLine == "HTTP/1.1 200 OK")
    }

    @Test("GW-07: an upgrade is not forwarded, and an unrequested 101 is an upstream error")
    func upgrade() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/ws") { request in
            request.values("Upgrade").isEmpty
                ? [.reply(body: "plain")] : [.send("HTTP/1.1 101 Switching Protocols\r\n\r\n")]
        }
        fixture.upstream.on("/open/forced") { _ in [.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")] }
        let fields: [Field] = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        let response = try fixture.request("GET", "/open/ws", fields)
        #expect(response.status == 200)
        #expect(response.text == "plain")
        let forced = try fixture.request("GET", "/open/forced", fields)
        #expect(forced.status == 502)
        #expect(JSONText(forced.text)["code"].string == "upstream_invalid_response")
    }

    @Test("GW-07: method, path, query, duplicate fields, status and reason are unchanged")
    func transparency() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/t") { _ in
            [
                .reply(
                    "418 I'm a teapot",
                    [
                        "Set-Cookie: a=1", "Set-Cookie: b=2", "X-Empty: ",
                        "X-Long: \(String(repeating: "l", count: 5000))",
                    ], body: "short")
            ]
        }
        let response = try fixture.request(
            "PROPFIND", "/open/t?a=1&a=2&b=%20+;/?x", ["X-A: 1", "X-A: 2", "Accept: */*", "Cookie: c=d"], body: "<x/>")
        #expect(response.head.startLine == "HTTP/1.1 418 I'm a teapot")
        #expect(response.values("Set-Cookie") == ["a=1", "b=2"])
        #expect(response.only("X-Empty") == "")
        #expect(response.only("X-Long")?.count == 5000)
        let seen = try fixture.lastRequest("/open/t")
        #expect(seen.head.startLine == "PROPFIND /open/t?a=1&a=2&b=%20+;/?x HTTP/1.1")
        #expect(seen.values("X-A") == ["1", "2"])
        #expect(seen.only("Cookie") == "c=d")
        #expect(String(decoding: seen.body, as: UTF8.self) == "<x/>")
    }

    @Test("GW-07: hop-by-hop fields, including those in Connection, are dropped; forwarding fields are rewritten")
    func hopByHop() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/h") { _ in
            [
                .reply(
                    "200 OK",
                    ["Connection: X-Back", "X-Back: 1", "Keep-Alive: timeout=5", "Proxy-Authenticate: x", "X-Stay: 1"])
            ]
        }
        let response = try fixture.request(
            "GET", "/open/h",
            [
                "Connection: X-Hop, keep-alive", "X-Hop: 1", "Keep-Alive: 5", "TE: trailers", "Proxy-Authorization: x",
                "Proxy-Connection: close", "Trailer: X", "Upgrade: h2c", "X-Kept: 1",
                "X-Forwarded-For: 6.6.6.6", "X-Forwarded-Proto: https", "Forwarded: for=6.6.6.6", "X-Real-IP: 6.6.6.6",
                "X-Forwarded-Host: evil.net", "x_forwarded_for: 6.6.6.6", "X-Forwarded-User: root",
                "X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-HTTP-Method-Override: DELETE",
                "X-Request-Id: mine",
            ])
        let seen = try fixture.lastRequest("/open/h")
        for name in [
            "X-Hop", "Keep-Alive", "TE", "Proxy-Authorization", "Proxy-Connection", "Trailer", "Upgrade",
            "Connection", "Forwarded", "X-Real-IP", "x_forwarded_for", "X-Forwarded-User",
            "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override",
        ] {
            #expect(seen.values(name).isEmpty, "\(name)")
        }
        #expect(seen.only("X-Kept") == "1")
        #expect(seen.only("X-Forwarded-For") == "127.0.0.1")
        #expect(seen.only("X-Forwarded-Proto") == "http")
        #expect(seen.only("X-Forwarded-Host") == "127.0.0.1")
        #expect(seen.only("Host") == "127.0.0.1")
        #expect(seen.values("Via") == ["1.1 portcullis"])
        #expect(seen.values("X-Request-Id").count == 1)
        #expect(!seen.head.raw.contains("6.6.6.6") && !seen.head.raw.contains("evil.net"))
        for name in ["X-Back", "Keep-Alive", "Proxy-Authenticate"] { #expect(response.values(name).isEmpty, "\(name)") }
        #expect(response.only("X-Stay") == "1")
    }

    @Test("GW-07 RFC 9110 7.6.1: Connection cannot remove fields that gateway or upstream rely on")
    func connectionOptions() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        let response = try fixture.request(
            "POST", "/inventory/me",
            [
                .bearer(token),
                "Connection: Host, Content-Length, Authorization, X-Gateway-User, X-Gateway-Roles, X-Forwarded-For, Content-Type",
                "Content-Type: text/plain",
            ], body: "hello")
        #expect(response.status == 200)
        let seen = try fixture.lastRequest("/inventory/me")
        #expect(seen.only("Host") == "127.0.0.1")
        #expect(seen.only("X-Gateway-User") == "joe")
        #expect(seen.only("X-Gateway-Roles") == "Manager")
        #expect(seen.only("X-Forwarded-For") == "127.0.0.1")
        #expect(seen.only("Authorization")?.hasPrefix("Bearer ") == true)
        #expect(seen.body == Array("hello".utf8))
    }

    @Test(
        "GW-09: managed fields are deleted in every alias, on every route",
        arguments: [
            "X-Gateway-User", "x-gateway-user", "X_Gateway_User", "X.Gateway.User", "x-gateway_roles",
            "X-Gateway-Backend", "X-Gateway-Client",
            "X-GATEWAY-ANYTHING", "X_GATEWAY_LEVEL", "x~gateway~user",
        ])
    func aliases(_ name: String) throws {
        let fixture = try Fixture()
        let forged = Field(name: name, value: "forged")
        #expect(try fixture.request("GET", "/open/x", [forged]).status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [forged, .bearer(fixture.token("joe"))]).status == 200)
        for request in fixture.upstream.requests { #expect(!request.head.raw.contains("forged")) }
        #expect(try fixture.lastRequest("/open/x").values("X-Gateway-User").isEmpty)
    }

    @Test("GW-09: other client credentials are not forwarded")
    func credentials() throws {
        let fixture = try Fixture()
        _ = try fixture.request(
            "GET", "/open/x",
            [
                .bearer("own-word"), "Oracle-Mobile-Social-Access-Token: own-word", "X-Apiomat-Apikey: own-word",
                "authorization_: keep",
            ])
        #expect(!(try fixture.lastRequest("/open/x").head.raw.contains("own-word")))
    }

    @Test("RFC 9112 2.2: an empty line before a request is skipped; absolute form is accepted")
    func leniency() throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        try connection.send("\r\nGET http://other.example.com/open/abs?q HTTP/1.1\r\nHost: a.example.com\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        let seen = try fixture.lastRequest("/open/abs")
        #expect(seen.target == "/open/abs?q")
        #expect(seen.only("Host") == "other.example.com")
    }

    @Test(
        "GW-08: limits of the head are enforced",
        arguments: [
            ("GET /open/x HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
            ("GET /open/x HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 150))\r\n", 431),
            ("GET /open/\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            ("GET /open/x HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 501),
            ("GET /open/x HTTP/1.1\r\n\r\n", 400), ("GET /open/x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
            ("GET /open/x HTTP/1.1\r\nHost: a b\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
        ])
    func limits(_ text: String, _ status: Int) throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        try connection.send(text)
        let response = try connection.readResponse()
        #expect(response.status == status)
        #expect(JSONText(response.text)["status"].integer == status)
        #expect(response.only("Connection") == "close")
        #expect(connection.isClosed())
        #expect(fixture.upstream.requests.isEmpty)
    }
}
