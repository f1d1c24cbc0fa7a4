import Testing

/// Issue B: limits and whose word is taken about a client, from the JSON to the wire.
@Suite(.tags(.engine)) struct LimitTests {
    @Test("a named limit is shared by routes and workers, and kept across a reload")
    func rateLimit() throws {
        func limited(_ settings: inout FixtureSettings) {
            settings["rateLimits"] = #"{"few": {"requests": 3, "per": "1h"}}"#
            settings.addRoutes(
                #"{"path": "/limited/a", "upstream": "stub", "public": true, "rateLimit": "few"}"#,
                #"{"path": "/limited/b", "upstream": "stub", "public": true, "rateLimit": "few"}"#)
        }
        let fixture = try Fixture { limited(&$0) }
        // Each request on a connection of its own, so that it may come to either worker.
        let statuses = try ["a", "b", "a", "b", "a", "b"].map { try fixture.request("GET", "/limited/\($0)").status }
        #expect(statuses == [200, 200, 200, 429, 429, 429])
        try fixture.reload { limited(&$0) }
        let refused = try fixture.request("GET", "/limited/a", [.origin("https://evil.net")])
        #expect(refused.status == 403)
        let response = try fixture.request("GET", "/limited/a")
        #expect(response.status == 429)
        #expect(JSONText(response.text)["code"].string == "rate_limited")
        let wait = try #require(response.only("Retry-After").flatMap { Int($0) })
        #expect((1...1200).contains(wait))
        #expect(try fixture.gateway.metrics().sum("portcullis_limited_total", ["limit": "request_rate"]) == 4)
        #expect(try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": "rate_limited"]) == 4)
    }

    @Test("the gateway's own endpoints are rate limited before authentication")
    func endpointLimits() throws {
        func limited(_ settings: inout FixtureSettings) {
            settings["tokenService"] = #"{"rateLimit": {"requests": 3, "per": "1h", "key": "address"}}"#
        }
        let fixture = try Fixture { limited(&$0) }
        #expect(try fixture.grant("grant_type=client_credentials").status == 200)
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:no").status == 401)
        #expect(try fixture.request("GET", "/.well-known/jwks.json").status == 200)
        for path in ["/oauth2/token", "/mobile/platform/users/~"] {
            let refused = try fixture.request(path.hasSuffix("~") ? "GET" : "POST", path)
            #expect(refused.status == 429 && refused.only("Retry-After") != nil)
        }
        // Routes are not concerned, and a reload refills nothing.
        #expect(try fixture.request("GET", "/open/x").status == 200)
        try fixture.reload { limited(&$0) }
        #expect(try fixture.grant("grant_type=client_credentials").status == 429)
    }

    @Test("forwarding fields are accepted from trusted proxies only, and rewritten")
    func trustedProxies() throws {
        let fields: [Field] = ["X-Forwarded-For: 203.0.113.9, 192.0.2.7", "X-Forwarded-Proto: https"]
        let trusting = try Fixture { $0["trustedProxies"] = #"["127.0.0.0/8"]"# }
        #expect(try trusting.request("GET", "/open/a", fields).status == 200)
        let believed = try trusting.lastRequest("/open/a")
        #expect(believed.only("X-Forwarded-For") == "192.0.2.7, 127.0.0.1")
        #expect(believed.only("X-Forwarded-Proto") == "https")
        let doubting = try Fixture()
        #expect(try doubting.request("GET", "/open/a", fields).status == 200)
        let own = try doubting.lastRequest("/open/a")
        #expect(own.only("X-Forwarded-For") == "127.0.0.1")
        #expect(own.only("X-Forwarded-Proto") == "http")
    }

    @Test("a PROXY header is required from the peers of proxyProtocol")
    func proxyProtocol() throws {
        let fixture = try Fixture {
            $0["listeners"] =
                #"[{"name": "public", "address": "127.0.0.1", "port": 0, "proxyProtocol": ["127.0.0.1"]}]"#
        }
        let connection = try fixture.connect()
        try connection.send("PROXY TCP4 192.0.2.7 198.51.100.2 5555 443\r\nGET /open/a HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try #require(try connection.receive(through: "\r\n\r\n")).starts(with: "HTTP/1.1 200 ".utf8))
        #expect(try fixture.lastRequest("/open/a").only("X-Forwarded-For") == "192.0.2.7")
        let bare = try fixture.connect()
        try bare.send("GET /open/b HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect((try? bare.receiveSome().isEmpty) ?? true)
        #expect(fixture.upstream.requests("/open/b").isEmpty)
        #expect(try fixture.gateway.metrics().sum("portcullis_limited_total", ["limit": "proxy_header"]) == 1)
    }

    @Test("the limit of connections per address applies across workers")
    func connectionsPerAddress() throws {
        let fixture = try Fixture { $0["limits"] = #"{"maxConnectionsPerAddress": 4}"# }
        let connections = try (0..<4).map { number in
            let connection = try fixture.connect()
            try connection.send("GET /open/\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try #require(try connection.receive(through: "\r\n\r\n")).starts(with: "HTTP/1.1 200 ".utf8))
            return connection
        }
        let fifth = try fixture.connect()
        try? fifth.send("GET /open/5 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect((try? fifth.receiveSome().isEmpty) ?? true)
        #expect(connections.count == 4)
        #expect(fixture.upstream.requests("/open/5").isEmpty)
    }
}
