import Foundation
import Testing

/// The token that the upstream gets in the place of the client's (CACHE-01 to CACHE-07, ISS-01, GW-09).
@Suite struct InjectionTests {
    private func injected(_ fixture: Fixture, _ path: String) throws -> String {
        let value = try #require(fixture.lastRequest(path).only("Authorization"))
        #expect(value.hasPrefix("Bearer "))
        return String(value.dropFirst(7))
    }

    @Test("CACHE-01 CACHE-04 GW-09: a hundred requests need one issuer call; the client's token is not forwarded")
    func hits() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        for _ in 0..<4 {
            let connection = try fixture.connect()
            for _ in 0..<25 {
                let fields: [Field] = [.bearer(token), "X-Gateway-User: root", "x_gateway_roles: Admin"]
                #expect(try connection.exchange("GET", "/inventory/items", fields).status == 200)
            }
        }
        #expect(try fixture.issuerCalls() == 1)
        let requests = fixture.upstream.requests("/inventory/items")
        #expect(requests.count == 100)
        #expect(Set(requests.compactMap { $0.only("Authorization") }).count == 1)
        for request in requests {
            #expect(!request.head.raw.contains(token))
            #expect(request.values("X-Gateway-User") == ["joe"])
            #expect(request.only("X-Gateway-Roles") == "Manager")
            #expect(request.only("X-Gateway-Backend") == "mbe-inv-1")
        }
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_cache_hits_total", ["cache": "issued_tokens"]) == 99)
        #expect(metrics.sum("portcullis_cache_entries", ["cache": "issued_tokens"]) == 1)
    }

    @Test("ISS-01 ISS-02: the embedded issuer's token is signed with a published key, for the upstream")
    func injectedToken() throws {
        let fixture = try Fixture()
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(fixture.token("joe"))]).status == 200)
        let token = JSONWebToken(try injected(fixture, "/inventory/items"))
        #expect(token.claims["sub"].string == "joe")
        #expect(token.claims["exp"].integer! - token.claims["iat"].integer! == 3600)
        let audience = token.claims["aud"].string ?? token.claims["aud"].strings.first
        #expect(audience == "inventory")
        let keys = JSONText(try fixture.request("GET", "/.well-known/jwks.json").text)["keys"].list
        #expect(keys.contains { $0["kid"].string == token.header["kid"].string })
        // It is for the upstream, and no credential here.
        #expect(try fixture.request("GET", "/plain", [.bearer(injected(fixture, "/inventory/items"))]).status == 401)
    }

    @Test("CACHE-02: fifty concurrent first requests share one issuer call")
    func singleFlight() throws {
        // RSA signatures are made off the loops, so that the flight is in the air for a while.
        let fixture = try Fixture { settings in
            settings["issuers"] =
                #"{"local": {"module": "embedded", "algorithm": "RS256", "keyFile": "state/rsa.pem"}}"#
        }
        let request = RawConnection.request("GET", "/inventory/items", [.bearer(try fixture.token("joe"))])
        let connections = try (0..<50).map { _ in try fixture.connect() }
        for connection in connections { try connection.send(request) }
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(try fixture.issuerCalls() == 1)
        #expect(Set(fixture.upstream.requests("/inventory/items").compactMap { $0.only("Authorization") }).count == 1)
    }

    @Test("CACHE-03: users, Webgates and backends have separate tokens")
    func keys() throws {
        let fixture = try Fixture { settings in
            settings.addRoutes(#"{"path": "/free", "upstream": "stub", "webgate": "InventoryWG"}"#)
        }
        let joe = try fixture.token("joe")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(joe)]).status == 200)
        let first = try injected(fixture, "/inventory/items")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(fixture.token("ann"))]).status == 200)
        #expect(try fixture.issuerCalls() == 2)
        let second = try injected(fixture, "/inventory/items")
        #expect(JSONWebToken(second).claims["sub"].string == "ann")
        let high = try fixture.mint("joe", "--level", "3")
        #expect(try fixture.request("GET", "/payroll", [.bearer(high)]).status == 200)
        #expect(try fixture.issuerCalls() == 3)
        let third = try injected(fixture, "/payroll")
        #expect(
            try fixture.request("GET", "/free", [.bearer(fixture.token("joe", client: "sch-client:sch-secret"))]).status
                == 200)
        #expect(try fixture.issuerCalls() == 4)
        let fourth = try injected(fixture, "/free")
        #expect(Set([first, second, third, fourth]).count == 4)
        // The same subject, backend and Webgate on another route share.
        #expect(try fixture.request("GET", "/free", [.bearer(joe)]).status == 200)
        #expect(try injected(fixture, "/free") == first)
        #expect(try fixture.issuerCalls() == 4)
    }

    @Test("CACHE-04: field and format are configurable; the client's Authorization is not forwarded")
    func otherField() throws {
        let fixture = try Fixture { settings in
            settings["issuers"] = #"{"fixed": {"module": "static", "token": "s3cr3t"}}"#
            settings["webgates"] = nil
            settings["routes"] = """
                [{"path": "/a", "upstream": "stub", "injection": {"issuer": "fixed", "header": "X-Access-Token", "format": "{token}"}},
                 {"path": "/b", "upstream": "stub", "injection": {"issuer": "fixed", "format": "Token t={token};"}},
                 {"path": "/c", "upstream": "stub", "forwardCredential": true},
                 {"path": "/d", "upstream": "stub"}]
                """
        }
        let token = try fixture.token("joe")
        let forged: [Field] = ["X-Access-Token: forged", "x_access_token: forged", "X.Access.Token: forged"]
        for path in ["/a", "/b", "/c", "/d"] {
            #expect(try fixture.request("GET", path, [.bearer(token)] + forged).status == 200)
        }
        let a = try fixture.lastRequest("/a")
        #expect(a.only("X-Access-Token") == "s3cr3t")
        #expect(!a.head.raw.contains("forged"))
        #expect(a.values("Authorization").isEmpty)
        #expect(try fixture.lastRequest("/b").values("Authorization") == ["Token t=s3cr3t;"])
        #expect(try fixture.lastRequest("/c").values("Authorization") == ["Bearer \(token)"])
        #expect(try fixture.lastRequest("/d").values("Authorization").isEmpty)
    }

    @Test("CACHE-05: a token is renewed before it expires, by its lifetime less the skew")
    func renewal() throws {
        let fixture = try Fixture { settings in
            settings["issuers"] = #"{"local": {"module": "embedded", "lifetimeSeconds": 32}}"#
            settings["issuedTokenCache"] = #"{"skew": "30s"}"#
        }
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        let first = try injected(fixture, "/inventory/items")
        let deadline = Deadline.usual
        while try fixture.issuerCalls() < 2, !deadline.isPast {
            #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
            Thread.sleep(forTimeInterval: 0.1)
        }
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        #expect(try injected(fixture, "/inventory/items") != first)
        // What was sent was never within the skew of its end.
        for request in fixture.upstream.requests("/inventory/items") {
            let value = try #require(request.only("Authorization"))
            #expect(try #require(JSONWebToken(String(value.dropFirst(7))).claims["exp"].integer) > 0)
        }
    }

    @Test("CACHE-06: the cache is bounded, evicts entries and counts evictions; all requests are served")
    func bounded() throws {
        let fixture = try Fixture { $0["issuedTokenCache"] = #"{"maxEntries": 2}"# }
        for user in ["joe", "ann", "bob"] {
            #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token(user))]).status == 200)
        }
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_cache_evictions_total", ["cache": "issued_tokens"]) == 1)
        #expect(metrics.sum("portcullis_cache_entries", ["cache": "issued_tokens"]) == 2)
        // The least recently used one went: joe has to be issued for again, bob not.
        #expect(try fixture.issuerCalls() == 3)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token("bob"))]).status == 200)
        #expect(try fixture.issuerCalls() == 3)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token("joe"))]).status == 200)
        #expect(try fixture.issuerCalls() == 4)
    }

    @Test("CACHE-07: revocation by subject, token and backend applies immediately, and only there")
    func revocation() throws {
        let fixture = try Fixture()
        let joe = try fixture.token("joe")
        let ann = try fixture.token("ann")
        let status = { try fixture.request("GET", "/inventory/items", [.bearer($0)]).status }
        #expect(try [status(joe), status(ann)] == [200, 200])
        #expect(try fixture.admin("POST", "/admin/revocations", body: #"{"subject":"joe"}"#).status == 204)
        // On both workers: each connection may come to another.
        for _ in 0..<6 { #expect(try [status(joe), status(ann)] == [401, 200]) }
        #expect(try fixture.gateway.metrics().sum("portcullis_cache_entries", ["cache": "issued_tokens"]) == 1)
        let other = try fixture.token("bob")
        let id = try #require(JSONWebToken(other).claims["jti"].string)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(other)]).status == 200)
        #expect(try fixture.admin("POST", "/admin/revocations", body: #"{"jti":"\#(id)"}"#).status == 204)
        for _ in 0..<6 { #expect(try fixture.request("GET", "/inventory/me", [.bearer(other)]).status == 401) }
        #expect(try fixture.admin("POST", "/admin/revocations", body: #"{"clientId":"mbe-inv-1"}"#).status == 204)
        for _ in 0..<6 { #expect(try status(ann) == 401) }
        #expect(try fixture.gateway.metrics().sum("portcullis_cache_entries", ["cache": "issued_tokens"]) == 0)
        #expect(try fixture.admin("POST", "/admin/revocations", body: "{}").status == 400)
        let unasked = try fixture.gateway.request("POST", "/admin/revocations", body: "{}", listener: "admin")
        #expect(unasked.status == 401)
    }

    @Test("CACHE-07: a password change drops the user's issued tokens")
    func passwordChange() throws {
        let fixture = try Fixture()
        for user in ["joe", "ann"] {
            #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token(user))]).status == 200)
        }
        try fixture.reload { $0["users"] = FixtureSettings.users(password: "Changed1") }
        #expect(try fixture.gateway.metrics().sum("portcullis_cache_entries", ["cache": "issued_tokens"]) == 1)
    }
}
