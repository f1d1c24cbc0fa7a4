import Foundation
import Testing

/// RFC 7662 toward an outside server: opaque tokens open routes as long as their server calls them good.
@Suite struct IntrospectionTests {
    /// The gateway, and a server that it asks.
    private struct Setup {
        let fixture: Fixture
        let server: StubUpstream

        init(cache: String = "60s", _ answer: @escaping @Sendable (RecordedRequest) -> String) throws {
            let server = try StubUpstream()
            server.on("/introspect") { request in
                [.reply("200 OK", ["Content-Type: application/json"], body: answer(request))]
            }
            self.server = server
            fixture = try Fixture { settings in
                settings["trustedIssuers"] = """
                    [{"name": "as", "issuer": "https://as.example.com", "audience": ["gateway"],
                      "roleAttributes": ["roles"], "client": "inventory/1.0", "level": 2,
                      "introspection": {"url": "\(server.url)/introspect", "clientId": "gateway", "clientSecret": "gs",
                                        "allowHttp": true, "cache": "\(cache)"}}]
                    """
            }
        }

        func status(_ token: String, _ path: String = "/inventory/me") throws -> Int {
            try fixture.request("GET", path, [.bearer(token)]).status
        }
    }

    private static func active(_ more: String = "") -> String {
        let end = Int(Date().timeIntervalSince1970) + 600
        return #"{"active": true, "sub": "eve", "exp": \#(end), "aud": "gateway", "roles": ["Clerk"]\#(more)}"#
    }

    @Test("an opaque token is introspected once, and its user passed to the upstream")
    func opaqueToken() throws {
        let setup = try Setup { String(decoding: $0.body, as: UTF8.self).contains("good") ? Self.active() : "{}" }
        #expect(try setup.status("good-1") == 200)
        let seen = try setup.fixture.lastRequest("/inventory/me")
        #expect(seen.only("X-Gateway-User") == "eve" && seen.only("X-Gateway-Roles") == "Clerk")
        #expect(seen.only("X-Gateway-Backend") == "mbe-inv-1")
        #expect(seen.only("Authorization")?.contains("good-1") == false)
        let asked = try #require(setup.server.requests("/introspect").first)
        #expect(asked.method == "POST")
        #expect(asked.only("Authorization") == "Basic \(JSONWebToken.base64("gateway:gs"))")
        #expect(String(decoding: asked.body, as: UTF8.self) == "token=good-1&token_type_hint=access_token")
        // ROLE-01: rights are checked as for any token.
        #expect(try setup.status("good-1", "/inventory/items") == 200)
        #expect(try setup.fixture.request("POST", "/inventory/items", [.bearer("good-1")], body: "x").status == 403)
        // The gateway's own tokens are none of its business.
        #expect(try setup.status(setup.fixture.token("joe")) == 200)
        #expect(setup.server.requests("/introspect").count == 1)
    }

    @Test(
        "a refresh token that its server reports as active opens no route",
        arguments: [#""token_use": "refresh_token""#, #""token_type": "refresh_token""#, #""typ": "Refresh""#])
    func refreshToken(_ member: String) throws {
        let setup = try Setup { _ in Self.active(", \(member)") }
        #expect(try setup.status("token") == 401)
        #expect(setup.fixture.gateway.waitForAccess { $0["reason"].string == "wrong_token_type" } != nil)
    }

    @Test("a token revoked at its server is refused once the cached answer is too old")
    func revokedThere() throws {
        let isGood = Monitor(true)
        let setup = try Setup(cache: "1s") { _ in isGood.current ? Self.active() : #"{"active": false}"# }
        #expect(try setup.status("token") == 200)
        isGood.withLock { $0 = false }
        let deadline = Deadline.usual
        var status = 200
        while status == 200, !deadline.isPast { status = try setup.status("token") }
        #expect(status == 401)
        #expect(setup.fixture.gateway.waitForAccess { $0["reason"].string == "invalid_token" } != nil)
    }

    @Test("an outage of the server is 503 with Retry-After, not 401, and ends by itself")
    func outage() throws {
        let isDown = Monitor(true)
        let setup = try Setup { _ in isDown.current ? "<html>" : Self.active() }
        let response = try setup.fixture.request("GET", "/inventory/me", [.bearer("token")])
        #expect(response.status == 503)
        #expect(response.only("Retry-After") == "1")
        #expect(response.only("WWW-Authenticate") == nil)
        #expect(JSONText(response.text)["code"].string == "introspection_unavailable")
        isDown.withLock { $0 = false }
        #expect(try setup.status("token") == 200)
        setup.server.stop()
        #expect(try setup.status("other") == 503)
        let metrics = try setup.fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_introspection_up", ["issuer": "as"]) == 0)
        #expect(metrics.sum("portcullis_introspection_requests_total", ["outcome": "unusable"]) == 1)
        #expect(metrics.sum("portcullis_introspection_requests_total", ["outcome": "active"]) == 1)
        #expect(metrics.sum("portcullis_introspection_cache_total", ["outcome": "miss"]) == 3)
        // Who is known by other means is not held up.
        #expect(try setup.status(setup.fixture.token("joe")) == 200)
    }

    @Test("concurrent requests with one token share one introspection")
    func singleFlight() throws {
        let server = try StubUpstream()
        let gate = Gate()
        server.on("/introspect") { _ in
            [.wait(gate), .reply("200 OK", ["Content-Type: application/json"], body: Self.active())]
        }
        let fixture = try Fixture { settings in
            settings["trustedIssuers"] = """
                [{"name": "as", "issuer": "https://as.example.com", "audience": ["gateway"],
                  "client": "inventory/1.0",
                  "introspection": {"url": "\(server.url)/introspect", "clientId": "g", "clientSecret": "s",
                                    "allowHttp": true}}]
                """
        }
        let clients = try (0..<6).map { _ in try fixture.connect() }
        for client in clients {
            try client.send("GET /inventory/me HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer same\r\n\r\n")
        }
        let deadline = Deadline.usual
        while try fixture.gateway.metrics().sum("portcullis_requests_in_flight") ?? 0 < 7, !deadline.isPast {}
        gate.open()
        for client in clients { #expect(try client.readResponse().status == 200) }
        #expect(server.requests("/introspect").count == 1)
    }
}
