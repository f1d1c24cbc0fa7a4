import Bytes
import Crypto
import Identity
import JOSE
import Model
import Testing

/// What an outside token must be (JWT-20, JWT-39, JTX-10).
@Suite struct AssertionVerifierTests {
    private func issuer(_ members: String = "{}") throws -> AssertionIssuer {
        try #require(AssertionPolicy(issuer: try json(members)).first)
    }

    private func claims(_ members: String) throws -> JSONNode {
        Assertion.claims.adding((try json(members).members ?? []).map { ($0.name, $0.node) })
    }

    @Test("a valid token is accepted")
    func goodTokenIsAccepted() throws {
        #expect(Assertion.rejection(Assertion.claims, try issuer()) == nil)
    }

    @Test(
        "JWT-39, T21: `nbf` and `iat` may be 60 seconds ahead; `exp` is exact",
        arguments: [
            (#"{"exp":1800000000}"#, AssertionRejection.expired), (#"{"exp":1800000001}"#, nil),
            (#"{"exp":1800000000.9}"#, .expired), (#"{"nbf":1800000060}"#, nil), (#"{"nbf":1800000061}"#, .notYetValid),
            (#"{"iat":1800000060}"#, nil), (#"{"iat":1800000061}"#, .issuedInFuture),
            (#"{"exp":"1800000100"}"#, .malformed),
        ])
    func time(_ members: String, _ rejection: AssertionRejection?) throws {
        #expect(Assertion.rejection(try claims(members), try issuer()) == rejection)
    }

    @Test(
        "only access tokens and ID tokens are accepted (RFC 8725 section 3.11)",
        arguments: [
            ("JWT", #"{"nonce":"n","azp":"app"}"#, nil), ("at+jwt", "{}", nil),
            ("logout+jwt", "{}", AssertionRejection.wrongType), ("dpop+jwt", "{}", .wrongType),
            ("secevent+jwt", "{}", .wrongType), ("JWT", #"{"events":{}}"#, .wrongType),
            ("JWT", #"{"cnf":{"jkt":"x"}}"#, .proofRequired), ("at+jwt", #"{"cnf":{"x5t#S256":"x"}}"#, .proofRequired),
        ])
    func purpose(_ type: String, _ members: String, _ rejection: AssertionRejection?) throws {
        let token = Assertion.sign(try claims(members), type: type)
        #expect(Assertion.rejection(token: token, try issuer()) == rejection)
    }

    @Test("an audience can be required")
    func audienceMayBeRequired() throws {
        let strict = try issuer(#"{"requireAudience":true}"#)
        #expect(Assertion.rejection(Assertion.claims, strict) == .wrongAudience)
        #expect(Assertion.rejection(try claims(#"{"aud":"https://gw.example.com/mobile"}"#), strict) == nil)
    }

    @Test("unsigned and symmetrically signed tokens are refused")
    func unsignedAndSymmetricTokensAreRefused() throws {
        let payload = Assertion.sign(Assertion.claims).split(separator: UInt8(ascii: "."))[1]
        let none = Array(#"{"alg":"none"}"#.utf8)
        let token = Base64.encode(none.span, .url) + Array(".".utf8) + payload + Array(".".utf8)
        #expect(Assertion.rejection(token: token, try issuer()) != nil)
        // The public key's text taken for a secret (RFC 8725 section 2.1).
        let secret = try SigningKey(secret: fixture("idp-cert.pem"), algorithm: .hs256)
        #expect(
            Assertion.rejection(token: Assertion.sign(Assertion.claims, secret), try issuer()) == .unsupportedAlgorithm)
    }

    @Test("the accepted algorithms can be restricted")
    func algorithmsCanBeNarrowed() throws {
        let rsaOnly = try issuer(#"{"algorithms":["RS256"]}"#)
        #expect(Assertion.rejection(Assertion.claims, rsaOnly) == .unsupportedAlgorithm)
        let keys = KeySet(keys: [JSONWebKey(Assertion.rsaKey, kid: nil)], hasNames: false)
        let token = Assertion.sign(Assertion.claims, Assertion.rsaKey)
        #expect(Assertion.rejection(token: token, rsaOnly, keys: keys) == nil)
    }

    @Test("a modified payload is refused")
    func changedPayloadIsRefused() throws {
        var parts = Assertion.sign(Assertion.claims).split(separator: UInt8(ascii: ".")).map(Array.init)
        let other = Assertion.sign(try claims(#"{"sub":"ann"}"#)).split(separator: UInt8(ascii: ".")).map(Array.init)
        parts[1] = other[1]
        #expect(
            Assertion.rejection(token: Array(parts.joined(separator: Array(".".utf8))), try issuer()) == .badSignature)
    }

    @Test("a certificate's key verifies tokens with any `kid`")
    func certificatesHaveNoKeyNames() throws {
        let issuer = try issuer()
        let keys = try Assertion.store(of: "idp").keys(of: try subjects(issuer), now: Assertion.now)
        #expect(Assertion.rejection(token: Assertion.sign(Assertion.claims, kid: "other"), issuer, keys: keys) == nil)
        let foreign = Assertion.sign(Assertion.claims, Assertion.otherKey)
        #expect(Assertion.rejection(token: foreign, issuer, keys: keys) == .badSignature)
    }

    @Test(
        "JWT-20: keys and certificates in a token's header are ignored",
        arguments: [#""x5c":["MIIB"]"#, #""jwk":{"kty":"EC"}"#, #""jku":"https://evil.example""#])
    func keysInTheHeaderAreNotTrusted(_ member: String) throws {
        let issuer = try issuer()
        let keys = try Assertion.store(of: "idp").keys(of: try subjects(issuer), now: Assertion.now)
        let header = Array(#"{"alg":"ES256",\#(member)}"#.utf8)
        let payload = Assertion.sign(Assertion.claims).split(separator: UInt8(ascii: "."))[1]
        let signed = Base64.encode(header.span, .url) + Array(".".utf8) + payload
        for (key, rejection) in [(Assertion.key, nil), (Assertion.otherKey, AssertionRejection.badSignature)] {
            let token = signed + Array(".".utf8) + Base64.encode(key.sign(signed.span).span, .url)
            #expect(Assertion.rejection(token: token, issuer, keys: keys) == rejection)
        }
    }

    @Test("JTX-10: of several faults the first in the order of checks is reported")
    func orderOfChecks() throws {
        let issuer = try issuer(
            #"{"audience":["a"],"filters":[{"name":"x","values":["y"]}],"clientIdAttribute":"azp"}"#)
        let all = #"{"exp":1,"aud":"b","azp":"zoe","sub":"zoe"}"#
        let foreign = Assertion.sign(try claims(all), Assertion.otherKey)
        #expect(Assertion.rejection(token: foreign, issuer) == .badSignature)
        let steps: [(String, AssertionRejection)] = [
            (all, .expired), (#"{"aud":"b","azp":"zoe","sub":"zoe"}"#, .wrongAudience),
            (#"{"aud":"a","azp":"zoe","sub":"zoe"}"#, .filterNotSatisfied),
            (#"{"aud":"a","x":"y","azp":"zoe","sub":"zoe"}"#, .clientToken),
            (#"{"aud":"a","x":"y","azp":"app","sub":"zoe"}"#, .unknownUser),
        ]
        for (members, rejection) in steps { #expect(Assertion.rejection(try claims(members), issuer) == rejection) }
    }

    private func subjects(_ issuer: AssertionIssuer) throws -> [DistinguishedName] {
        guard case .certificates(let subjects) = issuer.keys else { throw AssertionRejection.unusableKeys }
        return subjects
    }
}
