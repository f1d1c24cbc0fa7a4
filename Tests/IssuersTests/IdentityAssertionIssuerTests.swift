import Bytes
import Crypto
import Identity
import Issuers
import JOSE
import Model
import Outbound
import TestSupport
import Testing

@Suite struct IdentityAssertionIssuerTests {
    private let now: Int64 = 1_700_000_000
    private let key = SigningKey.generate(.es256)

    private func claims(_ claims: String, subject: String = "joe") throws -> (claims: JSONNode, value: [UInt8]) {
        let issuer = try #require(IdentityAssertionIssuer(audience: "api.example.com", signer: JWTSigner(key: key)))
        let selection = ClaimSelection(IdentityAssertionIssuer.claims, userinfo: false)
        let text = Array(claims.utf8)
        let known = selection.select(try JSONNode.parse(text.span))
        let request = IssueRequest(
            principal: Callers.principal(subject, roles: ["Manager"], claims: known), client: nil, webgate: "",
            selection: selection)
        let token = try #require(issuer.issue(request, now: now).token)
        #expect(token.isFitForHeaders && token.expiresAt == now + 300)
        let value = token.value
        let trusted = TrustedIssuer(
            name: "gateway", issuer: "api.example.com", audiences: ["api.example.com"], requireAudience: true,
            keys: KeySet(keys: [JWTSigner(key: key).publishedKey]))
        guard case .verified(let verified) = JWTVerifier(issuers: [trusted]).verify(value.span, now: now) else {
            throw TokenRejection.unknownKey
        }
        return (verified.claims, token.value)
    }

    /// Claims are text in JSON in Base64: no character of them reaches the field.
    @Test("control characters, quotes and lone surrogates in claims stay within their claim")
    func hostileClaims() throws {
        let hostile = "a\r\nX-Admin: 1\r\n\r\n\u{0}\"},{\"sub\":\"root"
        let text =
            #"{"email": "a\r\nX-Admin: 1\r\n\r\n\u0000\"},{\"sub\":\"root", "name": "\u2028\u007f", "sub": "root"}"#
        let (claims, value) = try claims(text, subject: hostile)
        #expect(claims["email"]?.string == hostile)
        #expect(claims["sub"]?.string == hostile)
        #expect(claims["name"]?.string == "\u{2028}\u{7f}")
        #expect(value.allSatisfy { $0 > 0x20 && $0 < 0x7f })
    }

    @Test("claims that are no text are left out")
    func others() throws {
        let claims = try claims(#"{"email": ["a", "b"], "name": 7}"#).claims
        #expect(claims["email"] == nil && claims["name"] == nil)
        #expect(claims["groups"]?.array?.compactMap(\.string) == ["Manager"])
    }

    @Test("no assertion by a secret: every verifier could forge it")
    func secret() throws {
        let key = try SigningKey(secret: Array(repeating: 7, count: 32), algorithm: .hs256)
        #expect(IdentityAssertionIssuer(audience: "a", signer: JWTSigner(key: key)) == nil)
    }
}
