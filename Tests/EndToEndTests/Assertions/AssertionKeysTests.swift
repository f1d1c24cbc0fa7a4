import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Keys that the gateway fetches for token exchange (JWT-30 to JWT-40).
@Suite struct AssertionKeysTests {
    private static let idp = Result { try OutsideIssuer() }
    private let idp: OutsideIssuer
    private let server: StubUpstream

    init() throws {
        idp = try Self.idp.get()
        server = try StubUpstream()
        let (url, keys) = (server.url, idp.keySet)
        server.on("/discovery") { _ in
            [.reply(body: #"{"issuer": "https://idp.example.com", "jwks_uri": "\#(url)/keys"}"#)]
        }
        server.on("/other") { _ in
            [.reply(body: #"{"issuer": "https://other.example.com", "jwks_uri": "\#(url)/keys"}"#)]
        }
        server.on("/keys") { _ in [.reply(body: keys)] }
    }

    private func fixture(_ jwks: String, more: String = "") throws -> Fixture {
        let entry = #"{"issuerName": "https://idp.example.com", "jwks": {\#(jwks)}}"#
        return try Fixture(exchanging: #"{"issuers": [\#(entry)\#(more.isEmpty ? "" : ", ")\#(more)]}"#, idp)
    }

    private func count(_ path: String) -> Int { server.requests(path).count }

    @Test("JWT-30: discovery document and keys are fetched once each")
    func discovery() throws {
        let fixture = try fixture(#""discoveryUri": "\#(server.url)/discovery", "allowHttp": true"#)
        #expect(try fixture.exchange(idp.token()).status == 200)
        #expect(count("/discovery") == 1 && count("/keys") == 1)
        #expect(try fixture.exchange(idp.token()).status == 200)
        #expect(count("/discovery") == 1 && count("/keys") == 1)
    }

    @Test("JWT-31: jwksUri takes precedence over discoveryUri")
    func bothAddresses() throws {
        let fixture = try fixture(
            #""discoveryUri": "\#(server.url)/discovery", "jwksUri": "\#(server.url)/keys", "allowHttp": true"#)
        #expect(try fixture.exchange(idp.token()).status == 200)
        #expect(count("/discovery") == 0 && count("/keys") == 1)
    }

    @Test("JWT-30: the discovery document of another issuer is refused")
    func wrongIssuer() throws {
        let fixture = try fixture(#""discoveryUri": "\#(server.url)/other", "allowHttp": true"#)
        let response = try fixture.exchange(idp.token())
        #expect(response.status == 400 && response.text.contains("invalid_grant"))
        #expect(count("/keys") == 0)
        #expect(fixture.gateway.waitForEvent("keys_failed")?["reason"].string == "discovery_issuer")
    }

    @Test("JWT-32: keys are not fetched over plain HTTP unless allowed")
    func plainHTTP() throws {
        let fixture = try fixture(#""jwksUri": "\#(server.url)/keys""#)
        #expect(try fixture.exchange(idp.token()).status == 400)
        #expect(count("/keys") == 0)
    }

    @Test("JWT-35: an issuer that does not answer is 503; other issuers are served")
    func silentIssuer() throws {
        let gate = Gate()
        defer { gate.open() }
        server.on("/slow") { _ in [.wait(gate)] }
        let other = "https://quick.example.com"
        let fixture = try fixture(
            #""jwksUri": "\#(server.url)/slow", "allowHttp": true, "readTimeout": 1"#,
            more: OutsideIssuer.entry(name: other))
        #expect(try fixture.exchange(idp.token(issuer: other)).status == 200)
        let response = try fixture.exchange(idp.token())
        #expect(response.status == 503 && response.text.contains("temporarily_unavailable"))
    }

    @Test("JWT-37: the key request carries the configured Authorization, which is never logged")
    func authorization() throws {
        let keys = idp.keySet
        server.on("/guarded") { request in
            request.only("Authorization") == "Basic dGVzdDp0ZXN0"
                ? [.reply(body: keys)] : [.reply("401 Unauthorized")]
        }
        let members = #""jwksUri": "\#(server.url)/guarded", "allowHttp": true"#
        #expect(try fixture(members).exchange(idp.token()).status == 503)
        let fixture = try fixture(members + #", "authorizationHeader": "Basic dGVzdDp0ZXN0""#)
        #expect(try fixture.exchange(idp.token()).status == 200)
        #expect(!fixture.gateway.everythingWritten.contains("dGVzdDp0ZXN0"))
    }

    @Test("a key that is replaced under its kid is found, and assertions of the former one are refused")
    func replacedKey() throws {
        let fixture = try fixture(
            #""jwksUri": "\#(server.url)/keys", "allowHttp": true, "minReloadInterval": 1"#)
        #expect(try fixture.exchange(idp.token()).status == 200)
        let other = JWTSigner(key: SigningKey.generate(.es256), keyID: "first")
        server.on("/keys") { _ in
            [.reply(body: String(decoding: KeySet(keys: [other.publishedKey]).jwks(), as: UTF8.self))]
        }
        let deadline = Deadline.usual
        while try fixture.exchange(idp.token(signer: other)).status != 200 { try #require(!deadline.isPast) }
        #expect(try fixture.exchange(idp.token()).status == 400)
    }

    @Test("JWT-40: the shipped sample policies work", arguments: ["minimal", "audience", "username", "certificate"])
    func samples(_ name: String) throws {
        let sample = Vectors.text("config/examples/\(name).json")
        #expect(sample.contains("issuerName"))
        let adapted = sample.replacing(
            #""discoveryUri": "https://idp.example.com/.well-known/openid-configuration""#,
            with: #""discoveryUri": "\#(server.url)/discovery", "allowHttp": true"#)
        let fixture = try Fixture(exchanging: adapted, idp)
        let hasAudience = name == "audience" || name == "username"
        let audience = hasAudience ? "GUID-12345678-ABCD-EFAB-CDEF-123456789ABC" : "http://gw.example.com/mobile"
        // A user without an account. Only the sample for names has its name from another claim.
        let more = #""unique_name": "zoe", "dept": "eng-core", "roles": ["Clerk", "Unknown"]"#
        let response = try fixture.exchange(idp.token(#""aud": "\#(audience)", \#(more)"#))
        let token = try #require(JSONText(response.text)["access_token"].string, "\(response.text)")
        let claims = JSONWebToken(token).claims
        #expect((claims["sub"].string == "zoe") == (name == "username"))
        #expect(claims["virtual"].bool == true && claims["roles"].strings == ["Clerk"])
        #expect(try fixture.exchange(idp.token(#""aud": "https://else.example.com", \#(more)"#)).status == 400)
        try fixture.gateway.configuration.write("examples/\(name).json", sample)
        try fixture.gateway.configuration.write(
            "policies.json", OutsideIssuer.policies("\"file:examples/\(name).json\""))
        let check = try Program.run(GatewayProcess.binary, ["check", fixture.gateway.configuration.path])
        #expect(check.ending == .exit(0), "\(check.errors)")
        #expect(!check.errors.contains("Security_AuthTokenConfiguration"), "\(check.errors)")
    }
}
