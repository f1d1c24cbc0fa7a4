import Bytes
import Crypto
import Identity
import Issuers
import JOSE
import Model
import Outbound
import TestSupport
import Testing

@Suite struct EmbeddedIssuerTests {
    private let now: Int64 = 1_700_000_000

    private func verified(_ token: IssuedToken, _ key: SigningKey, audience: [String]) throws -> VerifiedToken {
        let issuer = TrustedIssuer(
            name: "gateway", issuer: "https://gw.example.com", audiences: audience, requireAudience: !audience.isEmpty,
            keys: KeySet(keys: [JWTSigner(key: key).publishedKey]))
        let text = token.value
        switch JWTVerifier(issuers: [issuer]).verify(text.span, now: now) {
        case .verified(let token): return token
        case .rejected(let rejection): throw rejection
        case .needsKeys, .keysUnavailable: throw TokenRejection.unknownKey
        }
    }

    @Test("ISS-02, ISS-06, AMB-28: the token identifies the caller")
    func tokenTellsWhoCalls() throws {
        let key = SigningKey.generate(.es256)
        let issuer = try #require(EmbeddedIssuer.sample(key, audience: ["https://api.example.com"]))
        let principal = Callers.principal(roles: ["Manager", "Clerk"], level: 3)
        let request = IssueRequest(principal: principal, client: Callers.client, webgate: "InventoryWG")
        let issued = try #require(issuer.issue(request, now: now).token)
        #expect(issued.expiresAt == now + 3600)
        let token = try verified(issued, key, audience: ["https://api.example.com"])
        #expect(token.subject == "joe")
        #expect(token.issuedAt == now)
        #expect(token.expiresAt == now + 3600)
        let claims = token.claims
        #expect(claims["kind"]?.string == "user")
        #expect(claims["backend_id"]?.string == "mbe-inv-1")
        #expect(claims["backend_name"]?.string == "inventory")
        #expect(claims["backend_version"]?.string == "1.0")
        #expect(claims["webgate"]?.string == "InventoryWG")
        #expect(claims["roles"]?.array?.compactMap(\.string) == ["Manager", "Clerk"])
        #expect(claims["level"]?.integer == 3)
        #expect(claims["aud"]?.string == "https://api.example.com")
        #expect(claims["virtual"]?.bool == false)
    }

    @Test("RFC 8725 section 3.11: the gateway refuses its own upstream tokens")
    func tokenIsNoAccessToken() throws {
        let key = SigningKey.generate(.es256)
        let issuer = try #require(EmbeddedIssuer.sample(key))
        let request = IssueRequest(principal: Callers.principal(), client: Callers.client, webgate: "WG")
        let token = try verified(try #require(issuer.issue(request, now: now).token), key, audience: [])
        #expect(token.type == "JWT")
        #expect(token.type != AccessTokenClaims.type)
        #expect(AccessTokenClaims(verified: token.claims) == nil)
    }

    @Test("absent values are omitted")
    func absentFactsAreLeftOut() throws {
        let key = SigningKey.generate(.edDSA)
        let issuer = try #require(EmbeddedIssuer.sample(key, audience: []))
        let request = IssueRequest(principal: Callers.principal(client: nil), client: nil, webgate: "")
        let token = try verified(try #require(issuer.issue(request, now: now).token), key, audience: [])
        for name in ["aud", "backend_id", "backend_name", "backend_version", "webgate"] {
            #expect(token.claims[name] == nil)
        }
    }

    @Test("DEC-11: a shared secret is refused", arguments: [SignatureAlgorithm.hs256, .hs384, .hs512])
    func sharedSecretIsRefused(_ algorithm: SignatureAlgorithm) {
        #expect(EmbeddedIssuer.sample(SigningKey.generate(algorithm)) == nil)
    }

    @Test(
        "only slow signatures (RSA) are made off the event loop",
        arguments: [SignatureAlgorithm.es256, .edDSA, .rs256, .ps256])
    func slowSignaturesAloneAreMadeOffTheLoop(_ algorithm: SignatureAlgorithm) throws {
        let issuer = try #require(EmbeddedIssuer.sample(SigningKey.generate(algorithm)))
        let request = IssueRequest(principal: Callers.principal(), client: nil, webgate: "")
        let offloaded = if case .offload = issuer.issue(request, now: now) { true } else { false }
        #expect(offloaded == (algorithm == .rs256 || algorithm == .ps256))
    }

    @Test("every setting changes the configuration id")
    func configurationIDDiffersWithEverySetting() {
        let key = SigningKey.generate(.es256)
        let issuers = [
            EmbeddedIssuer.sample(key), EmbeddedIssuer.sample(key, issuer: "https://other.example.com"),
            EmbeddedIssuer.sample(key, audience: ["a"]), EmbeddedIssuer.sample(key, audience: ["a", "b"]),
            EmbeddedIssuer.sample(key, audience: ["a,b"]), EmbeddedIssuer.sample(key, lifetime: 60),
            EmbeddedIssuer.sample(key, keyID: "k"), EmbeddedIssuer.sample(SigningKey.generate(.es256), keyID: "k"),
        ]
        #expect(Set(issuers.compactMap { $0?.configurationID }).count == issuers.count)
    }

    @Test("the configuration id does not contain the static token")
    func staticTokenIsNotInItsConfigurationID() {
        let issuer = StaticIssuer(token: "secret-token")
        #expect(!issuer.configurationID.contains("secret"))
        #expect(issuer.configurationID != StaticIssuer(token: "secret-token2").configurationID)
    }
}
