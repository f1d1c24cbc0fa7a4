import Foundation
import Testing

/// An upstream that is itself behind a Webgate: the gateway answers its challenges (CACHE-08).
@Suite struct UpstreamWebgateTests {
    private static let route = #"""
        {"path": "/behind", "upstream": "stub", "injection": {"issuer": "local"}, "upstreamAuth": "oam-challenge"}
        """#

    private func fixture(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> (Fixture, StubWebgate) {
        let fixture = try Fixture { settings in
            settings.addRoutes(Self.route)
            change(&settings)
        }
        return (fixture, StubWebgate(fixture.upstream, "/behind"))
    }

    @Test(
        "CACHE-08: the first request costs two upstream calls, later ones one call with the same token")
    func firstAndNext() throws {
        let (fixture, webgate) = try fixture()
        let token = try fixture.token("joe")
        let agent: Field = "User-Agent: curl/8"
        for _ in 0..<5 {
            let response = try fixture.request("GET", "/behind?x=1", [.bearer(token), agent])
            #expect(response.status == 200)
            #expect(response.text == "welcome")
        }
        let sent = webgate.tokens("/behind")
        #expect(sent.count == 6)
        #expect(sent.first == .some(nil))
        #expect(Set(sent.dropFirst()).count == 1)
        #expect(try fixture.issuerCalls() == 1)
        for request in fixture.upstream.requests("/behind") {
            #expect(request.values("User-Agent") == ["OAMMS-Agent"])
            #expect(request.target == "/behind?x=1")
            #expect(!request.head.raw.contains(token))
        }
        // The answer of 401 was read to its end, so that its connection went on.
        #expect(Set(fixture.upstream.requests("/behind").map(\.connection)).count <= 2)
    }

    @Test("CACHE-02 CACHE-08: fifty concurrent first requests cost one token")
    func singleFlight() throws {
        let (fixture, webgate) = try fixture { settings in
            settings["issuers"] =
                #"{"local": {"module": "embedded", "algorithm": "RS256", "keyFile": "state/rsa.pem"}}"#
        }
        let request = RawConnection.request("GET", "/behind", [.bearer(try fixture.token("joe"))])
        let connections = try (0..<50).map { _ in try fixture.connect() }
        for connection in connections { try connection.send(request) }
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(try fixture.issuerCalls() == 1)
        #expect(Set(webgate.tokens("/behind").compactMap { $0 }).count == 1)
    }

    @Test("CACHE-08: both attempts include the body", arguments: ["GET", "POST"])
    func body(_ method: String) throws {
        let (fixture, _) = try fixture()
        let body = String(repeating: "0123456789", count: 3_000)
        let response = try fixture.request(method, "/behind", [.bearer(try fixture.token("joe"))], body: body)
        #expect(response.status == 200)
        let requests = fixture.upstream.requests("/behind")
        #expect(requests.count == 2)
        for request in requests { #expect(request.body == Array(body.utf8)) }
    }

    @Test("CACHE-08: a body too long to keep is sent with the last Webgate's token, or the client retries")
    func longBody() throws {
        let (fixture, webgate) = try fixture()
        let token = try fixture.token("joe")
        let body = String(repeating: "x", count: 100_000)
        // The Webgate is not known: the token is made, and the client is to come again.
        let first = try fixture.request("POST", "/behind", [.bearer(token)], body: body)
        #expect(first.status == 503)
        #expect(first.only("Retry-After") == "1")
        #expect(JSONText(first.text)["code"].string == "upstream_auth_required")
        #expect(try fixture.request("POST", "/behind", [.bearer(token)], body: body).status == 200)
        // Another caller at the same Webgate: the token is had before the body goes.
        let ann = try fixture.token("ann")
        #expect(try fixture.request("POST", "/behind", [.bearer(ann)], body: body).status == 200)
        #expect(webgate.tokens("/behind").count == 3)
        #expect(fixture.upstream.requests("/behind").last?.bodyCount == 100_000)
    }

    @Test(
        "CACHE-08: a refused token is replaced; a second refusal is 502 and drops the token"
    )
    func refused() throws {
        let (fixture, webgate) = try fixture()
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/behind", [.bearer(token)]).status == 200)
        webgate.refuse(webgate.tokens("/behind").compactMap { $0 })
        #expect(try fixture.request("GET", "/behind", [.bearer(token)]).status == 200)
        #expect(try fixture.issuerCalls() == 2)
        #expect(webgate.tokens("/behind").count == 4)

        webgate.refuseAll()
        let response = try fixture.request("GET", "/behind", [.bearer(token)])
        #expect(response.status == 502)
        #expect(JSONText(response.text)["code"].string == "upstream_auth_failed")
        #expect(response.only("WWW-Authenticate") == nil)
        webgate.refuseAll(false)
        #expect(try fixture.request("GET", "/behind", [.bearer(token)]).status == 200)
    }

    @Test("CACHE-03: an upstream never gets a token for another upstream's Webgate, under any name it claims")
    func borrowedName() throws {
        let other = try StubUpstream()
        defer { other.stop() }
        let thief = StubWebgate(other, "/thief", name: "BackWG")
        let (fixture, webgate) = try fixture { settings in
            let stub = settings["upstreams"]!.dropLast()
            settings["upstreams"] = stub + #", "other": {"url": "\#(other.url)"}}"#
            settings.addRoutes(
                Self.route,
                #"{"path": "/thief", "upstream": "other", "injection": {"issuer": "local"}, "upstreamAuth": "oam-challenge"}"#
            )
        }
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/behind", [.bearer(token)]).status == 200)
        #expect(try fixture.request("GET", "/thief", [.bearer(token)]).status == 200)
        let (own, others) = (
            Set(webgate.tokens("/behind").compactMap { $0 }), Set(thief.tokens("/thief").compactMap { $0 })
        )
        #expect(own.count == 1 && others.count == 1)
        #expect(own.isDisjoint(with: others))
        #expect(try fixture.issuerCalls() == 2)
    }

    @Test("CACHE-08: challenges of unlisted Webgates are neither answered nor shown to the client")
    func otherWebgates() throws {
        let fixture = try Fixture { settings in
            settings.addRoutes(
                #"{"path": "/behind", "upstream": "stub", "injection": {"issuer": "local"}, "upstreamAuth": {"kind": "oam-challenge", "webgates": ["BackWG"]}}"#
            )
        }
        let webgate = StubWebgate(fixture.upstream, "/behind")
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/behind", [.bearer(token)]).status == 200)
        webgate.refuseAll()
        webgate.rename("OtherWG")
        let response = try fixture.request("GET", "/behind", [.bearer(token)])
        #expect(response.status == 502)
        #expect(JSONText(response.text)["code"].string == "upstream_auth_failed")
        #expect(response.only("WWW-Authenticate") == nil)
        #expect(try fixture.issuerCalls() == 1)
    }

    @Test("CACHE-08: no token is requested for a host made up by the client")
    func inventedHost() throws {
        let (fixture, webgate) = try fixture()
        let token = try fixture.token("joe")
        for host in ["evil.example.com", "gw.example.com.evil.com:80"] {
            let response = try fixture.request("GET", "/behind", [.bearer(token), Field(name: "Host", value: host)])
            #expect(response.status == 421)
            #expect(JSONText(response.text)["code"].string == "unknown_host")
        }
        #expect(try fixture.issuerCalls() == 0)
        #expect(webgate.tokens("/behind") == [nil, nil])
        for host in ["gw.example.com", "GW.example.com:8080", "127.0.0.1"] {
            let response = try fixture.request("GET", "/behind", [.bearer(token), Field(name: "Host", value: host)])
            #expect(response.status == 200)
        }
    }

    @Test("a 401 without a Webgate challenge is passed to the client")
    func otherRefusal() throws {
        let (fixture, _) = try fixture()
        fixture.upstream.on("/behind") { _ in [.reply("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""])] }
        let response = try fixture.request("GET", "/behind", [.bearer(try fixture.token("joe"))])
        #expect(response.status == 401)
        #expect(try fixture.issuerCalls() == 0)
    }

    @Test("an injected token refused by the upstream is replaced once; a second refusal is passed on")
    func ordinaryRoute() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        let stale = try #require(fixture.lastRequest("/inventory/me").only("Authorization"))
        fixture.upstream.on("/inventory/me") { request in
            [request.only("Authorization") == stale ? .reply("401 Unauthorized") : .reply(body: "fresh")]
        }
        let replaced = try fixture.request("GET", "/inventory/me", [.bearer(token)])
        #expect(replaced.status == 200)
        #expect(replaced.text == "fresh")
        #expect(try fixture.issuerCalls() == 2)

        fixture.upstream.on("/inventory/me") { _ in [.reply("401 Unauthorized", body: "never")] }
        for _ in 0..<20 {
            let response = try fixture.request("GET", "/inventory/me", [.bearer(token)])
            #expect(response.status == 401)
            #expect(response.text == "never")
        }
        // An upstream that refuses them all does not keep the issuer busy.
        #expect(try fixture.issuerCalls() < 8)
    }
}
