import Crypto
import Foundation
import JOSE
import Model
import Testing

/// The purpose of a token, and its audience (RFC 8725 section 3.11, RFC 7800): the running gateway.
@Suite struct TokenPurposeTests {
    private func get(_ fixture: Fixture, _ token: String) throws -> Int {
        try fixture.request("GET", "/plain", [.bearer(token)]).status
    }

    private func fixture(_ issuer: StubIssuer, _ members: String = "") throws -> Fixture {
        let fixture = try Fixture { $0["trustedIssuers"] = "[\(issuer.entry(members))]" }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        return fixture
    }

    @Test("only access tokens open routes")
    func onlyAccessTokensOpenRoutes() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer)
        for type in ["at+jwt", "application/at+jwt", "JWT"] {
            #expect(try get(fixture, issuer.token("a", type: type)) == 200)
        }
        let others = ["logout+jwt", "dpop+jwt", "secevent+jwt"].map { issuer.token("a", type: $0) }
        let marks = [
            #""nonce": "n""#, #""at_hash": "h""#, #""c_hash": "h""#, #""token_use": "refresh""#,
            #""token_type": "refresh_token""#, #""type": "Offline""#,
        ]
        for token in others + marks.map({ issuer.token("a", more: ", \($0)") }) {
            #expect(try get(fixture, token) == 401)
        }
        #expect(
            try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": "wrong_token_type"]) == 9)
        // A client that the token is not for got it for the API.
        for client in ["inv-client", "elsewhere"] {
            #expect(try get(fixture, issuer.token("a", more: #", "azp": "\#(client)""#)) == 200)
        }
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "wrong_token_type" } != nil)
    }

    @Test("an issuer's settings may require at+jwt, accept ID tokens, or name authorised parties")
    func issuersMaySayMore() throws {
        let issuer = try StubIssuer(keys: "a")
        let identity = issuer.token("a", more: #", "nonce": "n""#)
        let strict = try fixture(issuer, #""tokenType": "at+jwt""#)
        #expect(try get(strict, issuer.token("a")) == 401)
        #expect(try get(strict, issuer.token("a", type: "at+jwt")) == 200)
        let lenient = try fixture(issuer, #""acceptIdTokens": true"#)
        #expect(try get(lenient, identity) == 200)
        #expect(try get(lenient, issuer.token("a", type: "logout+jwt")) == 401)
        let party = issuer.token("a", more: #", "azp": "shop-app""#)
        let named = try fixture(issuer, #""authorizedParties": ["shop-app"]"#)
        #expect(try get(named, party) == 200)
        #expect(try get(named, issuer.token("a", more: #", "azp": "elsewhere""#)) == 401)
        #expect(try get(named, identity) == 401)
        // Without an audience nothing else tells for which API a token is.
        let open = try Fixture {
            $0["trustedIssuers"] = "[\(issuer.entry(#""requireAudience": false"#))]".replacing(
                #""audience": ["api"], "#, with: "")
        }
        _ = try #require(open.gateway.waitForEvent("keys_fetched"), "\(open.gateway.everythingWritten)")
        #expect(try get(open, issuer.token("a")) == 200)
        #expect(try get(open, issuer.token("a", more: #", "azp": "elsewhere""#)) == 401)
    }

    @Test("a key-bound token is refused as a bearer token")
    func boundTokensAreNoBearerTokens() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer, #""acceptIdTokens": true"#)
        for claim in [#""cnf": {"jkt": "x"}"#, #""cnf": {"x5t#S256": "x"}"#] {
            #expect(try get(fixture, issuer.token("a", type: "at+jwt", more: ", \(claim)")) == 401)
        }
        #expect(try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": "proof_required"]) == 2)
    }

    @Test("tokens of a gateway with the same key whose clock is slightly ahead are accepted")
    func siblingsMayBeAhead() throws {
        let fixture = try Fixture {
            $0["tokenService"] = #"{"resourceServers": [{"clientId": "api", "clientSecret": "api-secret"}]}"#
        }
        let own = try fixture.token("joe")
        let signer = JWTSigner(
            key: try SigningKey(
                pem: fixture.gateway.configuration.read("state/signing.pem"), algorithm: .es256),
            keyID: try #require(JSONWebToken(own).header["kid"].string))
        func token(ahead seconds: Int) throws -> String {
            var text = String(own.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
            while text.count % 4 != 0 { text += "=" }
            let data = try #require(Data(base64Encoded: text))
            var claims = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            claims["iat"] = Int(Date().timeIntervalSince1970) + seconds
            claims["jti"] = "ahead-\(seconds)"
            let bytes = Array(try JSONSerialization.data(withJSONObject: claims))
            return String(decoding: signer.sign(claims: bytes, type: "at+jwt"), as: UTF8.self)
        }
        #expect(try get(fixture, own) == 200)
        #expect(try get(fixture, token(ahead: 3)) == 200)
        #expect(try get(fixture, token(ahead: 60)) == 401)
        // The token endpoints say the same.
        func isActive(_ token: String) throws -> Bool? {
            let reply = try fixture.request(
                "POST", "/oauth2/introspect",
                [.basic("api:api-secret"), "Content-Type: application/x-www-form-urlencoded"],
                body: "token=\(token)")
            return JSONText(reply.text)["active"].bool
        }
        #expect(try isActive(token(ahead: 3)) == true)
        #expect(try isActive(token(ahead: 60)) == false)
    }
}
