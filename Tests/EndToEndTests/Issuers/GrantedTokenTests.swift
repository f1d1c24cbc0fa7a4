import Foundation
import Testing

/// A backend whose tokens an issuer module makes: what `/oauth2/token` gives out for it opens its routes, and no others, until
/// it ends (OAUTH-09).
@Suite struct GrantedTokenTests {
    private static let client = "inv-client:inv-secret"

    /// - Parameter answer: the token for a login, by the number of those before.
    private func gateway(
        store: String = "memory", _ answer: @escaping @Sendable (Int) -> [StubUpstream.Step]
    ) throws -> (Fixture, StubUpstream) {
        let server = try StubUpstream()
        let count = Monitor(0)
        server.on("/token") { _ in
            answer(
                count.withLock { count in
                    defer { count += 1 }
                    return count
                })
        }
        let fixture = try Fixture { settings in
            settings["store"] = #"{"kind": "\#(store)"}"#
            settings["issuers"] = """
                {"local": {"module": "embedded"},
                 "elsewhere": {"module": "oauth2", "tokenEndpoint": "\(server.url)/token", "allowHttp": true,
                               "grant": "client_credentials", "clientId": "gateway", "clientSecret": "secret"}}
                """
            settings["backends"] = FixtureSettings.backends.replacing(
                #""mobileBackendId": "mbe-inv-1","#,
                with: #""mobileBackendId": "mbe-inv-1", "issuer": "elsewhere", "introspection": true,"#)
        }
        return (fixture, server)
    }

    private static let login = "grant_type=password&username=joe&password=Welcome1"

    private func logIn(_ fixture: Fixture, _ form: String = GrantedTokenTests.login) throws -> JSONText {
        let reply = try fixture.grant(form)
        try #require(reply.status == 200, "\(reply.text)")
        return JSONText(reply.text)
    }

    private func status(_ fixture: Fixture, _ token: String, _ target: String = "/inventory/me") throws -> Int {
        try fixture.request("GET", target, [.bearer(token)]).status
    }

    private func isActive(_ fixture: Fixture, _ token: String) throws -> Bool {
        let reply = try fixture.request(
            "POST", "/oauth2/introspect",
            [.basic(Self.client), "Content-Type: application/x-www-form-urlencoded"], body: "token=\(token)")
        try #require(reply.status == 200, "\(reply.text)")
        return JSONText(reply.text)["active"].bool == true
    }

    private func revoke(_ fixture: Fixture, _ token: String, client: String = Self.client) throws -> Int {
        try fixture.request(
            "POST", "/oauth2/revoke", [.basic(client), "Content-Type: application/x-www-form-urlencoded"],
            body: "token=\(token)"
        ).status
    }

    @Test(
        "an opaque token opens its backend's routes for its user until revoked",
        arguments: ["memory", "sqlite"])
    func opaque(_ store: String) throws {
        let (fixture, server) = try gateway(store: store) { IssuedElsewhere.token("opaque/\($0)+=") }
        defer { server.stop() }
        let token = try #require(try logIn(fixture)["access_token"].string)
        #expect(token == "opaque/0+=")
        #expect(try status(fixture, token) == 200)
        let seen = try fixture.lastRequest("/inventory/me")
        #expect(seen.only("X-Gateway-User") == "joe" && seen.only("X-Gateway-Roles") == "Manager")
        #expect(try fixture.request("POST", "/inventory/items", [.bearer(token)], body: "x").status == 200)
        #expect(try status(fixture, "opaque/1+=") == 401, "nobody was given it")
        let encoded = "opaque%2F0%2B%3D"
        #expect(try isActive(fixture, encoded))
        #expect(try revoke(fixture, encoded, client: "sch-client:sch-secret") == 400)
        #expect(try status(fixture, token) == 200)
        #expect(try revoke(fixture, encoded) == 200)
        #expect(try status(fixture, token) == 401 && !isActive(fixture, encoded))
    }

    @Test("a JWT of an untrusted issuer is accepted only if it equals an issued token")
    func jwt() throws {
        let claims = JSONWebToken.base64(#"{"iss":"https://elsewhere.example","sub":"somebody","exp":4102444800}"#)
        let jwt = "\(JSONWebToken.base64(#"{"alg":"RS256","kid":"k"}"#)).\(claims).c2lnbmF0dXJl"
            .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        let (fixture, server) = try gateway { _ in IssuedElsewhere.token(jwt) }
        defer { server.stop() }
        #expect(try status(fixture, jwt) == 401)
        #expect(try logIn(fixture)["access_token"].string == jwt)
        #expect(try status(fixture, jwt) == 200)
        #expect(try fixture.lastRequest("/inventory/me").only("X-Gateway-User") == "joe")
        #expect(try status(fixture, String(jwt.dropLast()) + "x") == 401)
    }

    @Test("a granted token ends with its lifetime and with its user")
    func ends() throws {
        let (fixture, server) = try gateway { IssuedElsewhere.token("t-\($0)", seconds: $0 == 0 ? 2 : 3600) }
        defer { server.stop() }
        let short = try #require(try logIn(fixture)["access_token"].string)
        #expect(try status(fixture, short) == 200)
        let deadline = Deadline.usual
        while try status(fixture, short) == 200, !deadline.isPast {}
        #expect(try status(fixture, short) == 401)
        let long = try #require(try logIn(fixture)["access_token"].string)
        #expect(try status(fixture, long) == 200)
        #expect(try fixture.admin("POST", "/admin/revocations", body: #"{"subject": "joe"}"#).status == 204)
        #expect(try status(fixture, long) == 401 && !isActive(fixture, long))
    }

    @Test("a token issued to several users identifies none of them")
    func shared() throws {
        let (fixture, server) = try gateway { _ in IssuedElsewhere.token("one-for-all") }
        defer { server.stop() }
        _ = try logIn(fixture)
        _ = try logIn(fixture)
        #expect(try status(fixture, "one-for-all") == 200, "the same user twice")
        _ = try logIn(fixture, "grant_type=password&username=ann&password=Welcome2")
        #expect(try status(fixture, "one-for-all") == 401)
        _ = try logIn(fixture)
        #expect(try status(fixture, "one-for-all") == 401)
    }
}
