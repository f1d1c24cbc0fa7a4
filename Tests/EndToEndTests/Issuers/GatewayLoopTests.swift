import Foundation
import Testing

/// Two gateways: one is a Webgate with its own token services, the other is in front of it as its client (CACHE-08).
@Suite struct GatewayLoopTests {
    /// The Webgate, with an API behind it.
    private func inner() throws -> Fixture {
        try Fixture { settings in
            settings["serviceDomains"] = #"{"Gate": {"applications": {"inventory": {"backend": "inventory/1.0"}}}}"#
        }
    }

    private func outer(_ inner: Fixture, login: String = #""username": "joe", "password": "Welcome1""#) throws
        -> Fixture
    {
        let url = try "http://127.0.0.1:\(inner.gateway.port("public"))"
        return try Fixture { settings in
            settings["upstreams"] = #"{"inner": {"url": "\#(url)"}}"#
            settings["issuers"] =
                #"{"inner": {"module": "oam", "url": "\#(url)", "allowHttp": true, "serviceDomain": "Gate", \#(login)}}"#
            settings["webgates"] = "[]"
            settings["routes"] = FixtureSettings.list([
                #"{"path": "/inventory/**", "upstream": "inner", "injection": {"issuer": "inner"}, "upstreamAuth": "oam-challenge"}"#
            ])
        }
    }

    /// How many requests for the API the Webgate has had.
    private func calls(_ inner: Fixture) throws -> Double {
        try inner.gateway.metrics().sum("portcullis_requests_total", ["route": "/inventory/items"]) ?? 0
    }

    @Test("CACHE-08: the first request costs two upstream calls, each later one a single call")
    func calls() throws {
        let inner = try inner()
        let outer = try outer(inner)
        let token = try outer.token("joe")
        #expect(try outer.request("GET", "/inventory/items?x=1", [.bearer(token)]).status == 200)
        #expect(try calls(inner) == 2)
        for _ in 0..<10 { #expect(try outer.request("GET", "/inventory/items", [.bearer(token)]).status == 200) }
        #expect(try calls(inner) == 12)
        #expect(try outer.issuerCalls() == 1)
        // The API behind both knows the account of the session, and neither token nor challenge.
        let request = try inner.lastRequest("/inventory/items")
        #expect(request.only("X-Gateway-User") == "joe")
        #expect(!request.head.raw.contains("OAM-Auth"))
        #expect(!request.head.raw.contains(token))
    }

    @Test("CACHE-02: fifty concurrent first requests cost one token")
    func singleFlight() throws {
        let inner = try inner()
        let outer = try outer(inner)
        let request = RawConnection.request("GET", "/inventory/items", [.bearer(try outer.token("joe"))])
        let connections = try (0..<50).map { _ in try outer.connect() }
        for connection in connections { try connection.send(request) }
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(try outer.issuerCalls() == 1)
    }

    @Test("a session that ended at the Webgate is restarted; an unknown account is 502, not 401")
    func ends() throws {
        let inner = try inner()
        let outer = try outer(inner)
        let token = try outer.token("joe")
        #expect(try outer.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        // MAP-04: revoked by its administration.
        let cutoff = #"{"subject": "joe"}"#
        #expect(try inner.admin("POST", "/admin/revocations", body: cutoff).status < 300)
        try until { try outer.request("GET", "/inventory/items", [.bearer(token)]).status == 200 }
        #expect(try outer.issuerCalls() >= 2)

        let stranger = try self.outer(inner, login: #""username": "joe", "password": "wrong""#)
        let refused = try stranger.request("GET", "/inventory/items", [.bearer(try stranger.token("joe"))])
        #expect(refused.status == 502)
        #expect(JSONText(refused.text)["code"].string == "issuer_misconfigured")
    }

    private func until(_ condition: () throws -> Bool) throws {
        let deadline = Deadline.usual
        while try !condition() { try #require(!deadline.isPast) }
    }
}
