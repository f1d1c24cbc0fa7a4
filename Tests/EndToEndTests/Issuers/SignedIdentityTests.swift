import Foundation
import Testing

/// The preset `pomerium-jwt`: upstreams get a signed assertion of who is calling.
@Suite struct SignedIdentityTests {
    private static let field = "X-Pomerium-Jwt-Assertion"

    private func fixture(_ more: String = "") throws -> Fixture {
        try Fixture { settings in
            settings["issuers"] = #"{"local": {"module": "embedded"}}"#
            settings.addRoutes(
                #"{"path": "/signed/**", "upstream": "stub", "requestHeaders": {"preset": "pomerium-jwt"}\#(more)}"#,
                #"{"path": "/unsigned", "upstream": "stub", "public": true}"#)
        }
    }

    @Test("the assertion says who is calling, is signed once, and with a published key")
    func assertion() throws {
        let fixture = try fixture()
        let token = try fixture.token("joe")
        for _ in 0..<5 { #expect(try fixture.request("GET", "/signed/a", [.bearer(token)]).status == 200) }
        let sent = fixture.upstream.requests("/signed/a")
        #expect(Set(sent.map { $0.only(Self.field) }).count == 1)
        #expect(sent.allSatisfy { $0.values("Authorization").isEmpty })
        let assertion = JSONWebToken(try #require(sent[0].only(Self.field)))
        let claims = assertion.claims
        for name in ["iss", "aud"] { #expect(claims[name].string == "gw.example.com") }
        for name in ["sub", "user"] { #expect(claims[name].string == "joe") }
        #expect(claims["email"].string == "joe@example.com")
        #expect(claims["name"].string == "Joe Example")
        #expect(claims["groups"].strings == ["Manager"])
        #expect(try #require(claims["exp"].integer) - #require(claims["iat"].integer) == 300)
        #expect(assertion.header["alg"].string == "ES256")
        let keys = try fixture.request("GET", "/.well-known/pomerium/jwks.json")
        #expect(keys.status == 200)
        #expect(try fixture.request("GET", "/.well-known/jwks.json").text == keys.text)
        #expect(JSONText(keys.text)["keys"].list.contains { $0["kid"].string == assertion.header["kid"].string })
        // It is no credential here.
        let replayed = try fixture.request("GET", "/signed/a", [.bearer(sent[0].only(Self.field) ?? "")])
        #expect(replayed.status == 401)
        // Another caller has another one.
        #expect(try fixture.request("GET", "/signed/b", [.bearer(fixture.token("ann"))]).status == 200)
        let other = try #require(fixture.lastRequest("/signed/b").only(Self.field))
        #expect(JSONWebToken(other).claims["sub"].string == "ann")
    }

    @Test(
        "a client's field of this name is removed in all spellings, on all routes",
        arguments: [
            "X-Pomerium-Jwt-Assertion", "x-pomerium-jwt-assertion", "X_Pomerium_Jwt_Assertion",
            "X.Pomerium-JWT.Assertion", "HTTP_X_POMERIUM_JWT_ASSERTION",
        ])
    func forged(_ name: String) throws {
        let fixture = try fixture()
        let forged = Field(name: name, value: "forged")
        #expect(try fixture.request("GET", "/signed/a", [.bearer(fixture.token("joe")), forged]).status == 200)
        #expect(try fixture.request("GET", "/unsigned", [forged]).status == 200)
        #expect(try fixture.lastRequest("/signed/a").values(Self.field).count == 1)
        for path in ["/signed/a", "/unsigned"] { #expect(try !fixture.lastRequest(path).head.raw.contains("forged")) }
    }

    @Test("stands beside a token for the upstream, and beside a credential that is passed on")
    func beside() throws {
        let injected = try fixture(#", "injection": {"issuer": "local"}, "hosts": ["api.example.com"]"#)
        let host: Field = "Host: api.example.com"
        #expect(try injected.request("GET", "/signed/a", [host, .bearer(injected.token("joe"))]).status == 200)
        let request = try injected.lastRequest("/signed/a")
        let assertion = JSONWebToken(try #require(request.only(Self.field)))
        #expect(assertion.claims["aud"].string == "api.example.com")
        #expect(request.only("Authorization")?.hasPrefix("Bearer ") == true)
        let passed = try fixture(#", "forwardCredential": true"#)
        let token = try passed.token("joe")
        #expect(try passed.request("GET", "/signed/a", [.bearer(token)]).status == 200)
        #expect(try passed.lastRequest("/signed/a").only("Authorization") == "Bearer \(token)")
        #expect(try passed.lastRequest("/signed/a").values(Self.field).count == 1)
    }

    @Test("RSA signatures are made off the loops")
    func slowKey() throws {
        let fixture = try Fixture { settings in
            settings["tokenService"] = #"{"algorithm": "RS256", "keyFile": "state/rsa.pem"}"#
            settings["issuers"] = #"{"local": {"module": "embedded", "keyFile": "state/own.pem"}}"#
            settings.addRoutes(
                #"{"path": "/signed/**", "upstream": "stub", "requestHeaders": {"preset": "pomerium-jwt"}}"#)
        }
        #expect(try fixture.request("GET", "/signed/a", [.bearer(fixture.token("joe"))]).status == 200)
        let assertion = JSONWebToken(try #require(fixture.lastRequest("/signed/a").only(Self.field)))
        #expect(assertion.header["alg"].string == "RS256")
    }
}
