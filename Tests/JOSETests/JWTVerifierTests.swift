import Bytes
import Crypto
import JOSE
import Model
import TestSupport
import Testing

@Suite struct JWTVerifierTests {
    static let now: Int64 = 1_800_000_000
    static let es = SigningKey.generate(.es256)
    static let other = SigningKey.generate(.es256)
    static let rs = SigningKey.generate(.rs256)
    static let ed = SigningKey.generate(.edDSA)
    static let hs = SigningKey.generate(.hs256)

    private static func issuer(
        _ keys: [JSONWebKey], own: Bool = false, audiences: [String] = ["api"],
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    ) -> TrustedIssuer {
        TrustedIssuer(
            name: "main", issuer: "https://issuer.example", audiences: audiences, keys: KeySet(keys: keys),
            algorithms: algorithms, own: own)
    }

    private static let verifier = JWTVerifier(issuers: [issuer([JSONWebKey(es, kid: "e"), JSONWebKey(rs, kid: "r")])])

    /// Claims that pass, with members replaced (nil: left out).
    private static func claims(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "iss": "\"https://issuer.example\"", "sub": "\"ann\"", "aud": "\"api\"", "exp": "\(now + 300)",
            "iat": "\(now)", "jti": "\"1\"",
        ]
        for (name, value) in changes { members[name] = value }
        return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    private static func token(_ claims: String, header: String = "{\"alg\":\"ES256\",\"kid\":\"e\"}") -> String {
        let input = base64URL(header) + "." + base64URL(claims)
        return input + "." + base64URL(es.sign(input))
    }

    private func rejection(_ token: String, _ verifier: JWTVerifier = verifier) -> TokenRejection? {
        if case .rejected(let reason) = verifier.verify(token, now: Self.now) { reason } else { nil }
    }

    @Test func surfacesWhatItVerified() throws {
        let signer = JWTSigner(key: Self.es, keyID: "e")
        let token = String(decoding: signer.sign(claims: Array(Self.claims().utf8), type: "at+jwt"), as: UTF8.self)
        guard case .verified(let verified) = Self.verifier.verify(token, now: Self.now) else {
            Issue.record("a sound token was refused")
            return
        }
        #expect(verified.issuerIndex == 0)
        #expect(verified.subject == "ann")
        #expect(verified.expiresAt == Self.now + 300)
        #expect(verified.issuedAt == Self.now)
        #expect(verified.tokenID == "1")
        #expect(verified.keyID == "e")
        #expect(verified.type == "at+jwt")
        #expect(verified.claims["aud"]?.string == "api")
    }

    @Test("JWT-39: what JWTSigner makes is verified", arguments: [es, rs, ed, hs].indices)
    func roundTrip(index: Int) {
        let key = [Self.es, Self.rs, Self.ed, Self.hs][index]
        let signer = JWTSigner(key: key)
        let verifier = JWTVerifier(issuers: [Self.issuer([signer.publishedKey], own: true)])
        let token = String(decoding: signer.sign(claims: Array(Self.claims().utf8)), as: UTF8.self)
        #expect(rejection(token, verifier) == nil)
    }

    /// RFC 9864 section 2.2: the same algorithm by another name, in tokens and keys.
    @Test(arguments: ["EdDSA", "Ed25519"], ["EdDSA", "Ed25519", nil])
    func fullySpecifiedAlgorithm(_ ofToken: String, _ ofKey: String?) throws {
        let maker = ProofMaker(.edDSA)
        let members = ofKey.map { #","alg":"\#($0)""# } ?? ""
        let keys = try KeySet(jwks: Array(#"{"keys":[\#(maker.jwk.dropLast())\#(members)}]}"#.utf8).span)
        let issuer = TrustedIssuer(
            name: "main", issuer: "https://issuer.example", audiences: ["api"], keys: keys, algorithms: [.edDSA],
            own: false)
        let verifier = JWTVerifier(issuers: [issuer])
        #expect(rejection(maker.signed(#"{"alg":"\#(ofToken)"}"#, Self.claims()), verifier) == nil)
        #expect(rejection(maker.signed(#"{"alg":"Ed448"}"#, Self.claims()), verifier) == .unsupportedAlgorithm)
        #expect(rejection(maker.signed(#"{"alg":"ed25519"}"#, Self.claims()), verifier) == .unsupportedAlgorithm)
    }

    private static let times: [([String: String?], TokenRejection?)] = [
        (["exp": nil], .missingExpiry),
        (["exp": "\"\(now + 300)\""], .malformed),
        (["exp": "null"], .malformed),
        (["exp": "1e400"], .malformed),
        (["exp": "9223372036854775807"], .malformed),
        (["exp": "\(now)"], nil),
        (["exp": "\(now - 59)"], nil),
        (["exp": "\(now - 60)"], .expired),
        (["exp": "\(now - 60).5"], .expired),
        (["exp": "\(now + 300).5"], nil),
        (["exp": "1.8000003e9"], nil),
        (["exp": "-1"], .expired),
        (["exp": "0"], .expired),
        (["nbf": "\(now + 60)"], nil),
        (["nbf": "\(now + 61)"], .notYetValid),
        (["nbf": "\(now + 60).5"], .notYetValid),
        (["nbf": "true"], .malformed),
        (["iat": "\(now + 60)"], nil),
        (["iat": "\(now + 61)"], .issuedInFuture),
        (["iat": "\"now\""], .malformed),
        (["iat": nil], nil),
    ]

    @Test("JWT-39: exp is required; exp, nbf and iat are checked with 60 s of skew", arguments: times.indices)
    func checksTimes(index: Int) {
        let (changes, expected) = Self.times[index]
        #expect(rejection(Self.token(Self.claims(changes))) == expected)
    }

    private static let names: [([String: String?], TokenRejection?)] = [
        (["iss": nil], .unknownIssuer),
        (["iss": "\"\""], .unknownIssuer),
        (["iss": "\"https://issuer.example/\""], .unknownIssuer),
        (["iss": "\"HTTPS://issuer.example\""], .unknownIssuer),
        (["iss": "[\"https://issuer.example\"]"], .malformed),
        (["aud": nil], .wrongAudience),
        (["aud": "[]"], .wrongAudience),
        (["aud": "\"API\""], .wrongAudience),
        (["aud": "\"api \""], .wrongAudience),
        (["aud": "[\"other\",\"api\"]"], nil),
        (["aud": "[\"api\",1]"], .malformed),
        (["aud": "{\"api\":1}"], .malformed),
        (["aud": "null"], .malformed),
        (["sub": "5"], .malformed),
        (["sub": nil], nil),
        (["jti": "5"], .malformed),
    ]

    @Test("JWT-39: issuer and audience are exact and mandatory", arguments: names.indices)
    func checksNames(index: Int) {
        let (changes, expected) = Self.names[index]
        #expect(rejection(Self.token(Self.claims(changes))) == expected)
    }

    @Test func comparesTextByBytes() {
        // U+212A, the Kelvin sign, equals K in Swift's eyes.
        var issuer = Self.issuer([JSONWebKey(Self.es, kid: "K")], audiences: ["K"])
        issuer.issuer = "K"
        let verifier = JWTVerifier(issuers: [issuer])
        func token(iss: String, aud: String, kid: String) -> String {
            Self.token(
                Self.claims(["iss": "\"\(iss)\"", "aud": "\"\(aud)\""]),
                header: "{\"alg\":\"ES256\",\"kid\":\"\(kid)\"}")
        }
        #expect(rejection(token(iss: "K", aud: "K", kid: "K"), verifier) == nil)
        #expect(rejection(token(iss: "\u{212a}", aud: "K", kid: "K"), verifier) == .unknownIssuer)
        #expect(rejection(token(iss: "K", aud: "\u{212a}", kid: "K"), verifier) == .wrongAudience)
        #expect(rejection(token(iss: "K", aud: "K", kid: "\u{212a}"), verifier) == .unknownKey)
    }

    @Test func audienceMayBeLeftToConfiguration() {
        var issuer = Self.issuer([JSONWebKey(Self.es, kid: "e")])
        issuer.requireAudience = false
        let lenient = JWTVerifier(issuers: [issuer])
        #expect(rejection(Self.token(Self.claims(["aud": nil])), lenient) == nil)
        #expect(rejection(Self.token(Self.claims(["aud": "\"other\""])), lenient) == .wrongAudience)
        issuer.audiences = []
        #expect(rejection(Self.token(Self.claims(["aud": "\"other\""])), JWTVerifier(issuers: [issuer])) == nil)
        issuer.requireAudience = true
        #expect(rejection(Self.token(Self.claims()), JWTVerifier(issuers: [issuer])) == .wrongAudience)
    }

    @Test func limitsLifetime() {
        var issuer = Self.issuer([JSONWebKey(Self.es, kid: "e")])
        issuer.maximumLifetimeSeconds = 300
        let verifier = JWTVerifier(issuers: [issuer])
        #expect(rejection(Self.token(Self.claims()), verifier) == nil)
        #expect(rejection(Self.token(Self.claims(["iat": "\(Self.now - 1)"])), verifier) == .lifetimeTooLong)
        #expect(rejection(Self.token(Self.claims(["iat": nil])), verifier) == nil)
        let later = Self.claims(["iat": nil, "exp": "\(Self.now + 301)"])
        #expect(rejection(Self.token(later), verifier) == .lifetimeTooLong)
    }

    private static let headers: [(String, TokenRejection?)] = [
        ("{\"alg\":\"ES256\",\"kid\":\"e\",\"typ\":\"JWT\",\"cty\":\"x\"}", nil),
        ("{\"alg\":\"ES256\"}", nil),
        ("{\"alg\":\"ES256\",\"kid\":\"unknown\"}", .unknownKey),
        ("{\"alg\":\"ES256\",\"kid\":\"\"}", .unknownKey),
        ("{\"alg\":\"ES256\",\"kid\":\"r\"}", .algorithmMismatch),
        ("{\"alg\":\"ES384\"}", .unknownKey),
        ("{\"alg\":\"ES256\",\"kid\":5}", .malformed),
        ("{\"alg\":\"ES256\",\"typ\":5}", .malformed),
        ("{\"alg\":\"ES256\",\"kid\":null}", .malformed),
        ("{\"alg\":\"es256\"}", .unsupportedAlgorithm),
        ("{\"alg\":\"ES256K\"}", .unsupportedAlgorithm),
        ("{\"alg\":[\"ES256\"]}", .malformed),
        ("{\"kid\":\"e\"}", .malformed),
        ("{\"alg\":\"ES256\",\"alg\":\"none\"}", .malformed),
        ("{\"alg\":\"ES256\",\"\\u0061lg\":\"none\"}", .malformed),
        ("{\"alg\":\"ES256\",\"crit\":[\"exp\"],\"exp\":1}", .criticalHeader),
        ("{\"alg\":\"ES256\",\"crit\":[]}", .criticalHeader),
        ("{\"alg\":\"ES256\",\"b64\":false,\"crit\":[\"b64\"]}", .criticalHeader),
        ("{\"alg\":\"ES256\",\"b64\":true}", .criticalHeader),
        ("{\"alg\":\"ES256\",\"enc\":\"A128GCM\"}", .encrypted),
        ("[]", .malformed), ("\"ES256\"", .malformed), ("{\"alg\":\"ES256\"} x", .malformed), ("", .malformed),
        ("\u{feff}{\"alg\":\"ES256\"}", .malformed),
    ]

    @Test("JWT-39: header", arguments: headers.indices)
    func checksHeader(index: Int) {
        let (header, expected) = Self.headers[index]
        #expect(rejection(Self.token(Self.claims(), header: header)) == expected)
    }

    @Test(
        "JWT-39: none is refused in every spelling",
        arguments: ["none", "None", "NONE", "nOnE", "none ", "", "null", "NONE\\u0000", "plain"])
    func refusesNone(name: String) {
        let header = base64URL("{\"alg\":\"\(name)\",\"kid\":\"e\"}")
        let input = header + "." + base64URL(Self.claims())
        #expect(rejection(input + ".") == .unsupportedAlgorithm)
        #expect(rejection(Self.token(Self.claims(), header: "{\"alg\":\"\(name)\"}")) == .unsupportedAlgorithm)
    }

    @Test("JWT-39: HMAC with the text of a public key as secret")
    func refusesPublicKeyAsSecret() throws {
        let set = KeySet(keys: [JSONWebKey(Self.rs, kid: "r")])
        let jwk = try #require(parse(set.jwks())?["keys"]?.array?.first)
        let modulus = try #require(jwk["n"]?.string.flatMap(decodeBase64URL))
        for secret in [Array(text(jwk).utf8), set.jwks(), modulus, Array(Self.rs.pem.utf8)] {
            let forger = try SigningKey(secret: secret, algorithm: .hs256)
            for kid in ["r", "e"] {
                let token = JWTSigner(key: forger, keyID: kid).sign(claims: Array(Self.claims().utf8))
                // The issuer is not our own: a secret verifies nothing there, in any configuration.
                #expect(rejection(String(decoding: token, as: UTF8.self)) == .unsupportedAlgorithm)
                let own = JWTVerifier(issuers: [Self.issuer([JSONWebKey(Self.rs, kid: "r")], own: true)])
                let expected: TokenRejection = kid == "r" ? .algorithmMismatch : .unknownKey
                #expect(rejection(String(decoding: token, as: UTF8.self), own) == expected)
            }
        }
    }

    @Test("DEC-11: HS256 only for our own issuer")
    func secretsVerifyOwnTokensOnly() {
        let token = JWTSigner(key: Self.hs, keyID: "h").sign(claims: Array(Self.claims().utf8))
        let keys = [JSONWebKey(Self.hs, kid: "h")]
        let text = String(decoding: token, as: UTF8.self)
        #expect(rejection(text, JWTVerifier(issuers: [Self.issuer(keys, own: true)])) == nil)
        #expect(rejection(text, JWTVerifier(issuers: [Self.issuer(keys)])) == .unsupportedAlgorithm)
        let asymmetric = Self.issuer(keys, own: true, algorithms: SignatureAlgorithm.asymmetric)
        #expect(rejection(text, JWTVerifier(issuers: [asymmetric])) == .unsupportedAlgorithm)
    }

    @Test("a token never brings its own key")
    func ignoresEmbeddedKeys() throws {
        let forger = JSONWebKey(Self.other, kid: "e")
        let jwk = try #require(parse(KeySet(keys: [forger]).jwks())?["keys"]?.array?.first)
        let header = "{\"alg\":\"ES256\",\"jwk\":\(text(jwk)),\"jku\":\"https://evil.example\",\"x5c\":[\"AA\"]}"
        let input = base64URL(header) + "." + base64URL(Self.claims())
        #expect(rejection(input + "." + base64URL(Self.other.sign(input))) == .badSignature)
        #expect(rejection(Self.token(Self.claims(), header: header)) == nil)
    }

    @Test("split claims: a name twice, also by escapes, and JSON of other readings")
    func refusesAmbiguousClaims() {
        let sound = Self.claims().dropLast()
        for rest in [
            ",\"sub\":\"bob\"}", ",\"\\u0073ub\":\"bob\"}", ",\"x\":{\"a\":1,\"a\":2}}", "}{}", "} ,", ",}",
            ",\"x\":\"\\ud800\"}", ",\"x\":01}", ",\"x\":NaN}",
        ] {
            #expect(rejection(Self.token(sound + rest)) == .malformed, "\(rest)")
        }
        let deep = ",\"x\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
        #expect(rejection(Self.token(sound + deep)) == .malformed)
        #expect(rejection(Self.token("[1]")) == .malformed)
        #expect(rejection(Self.token("")) == .malformed)
    }

    @Test func refusesOtherShapes() throws {
        let token = Self.token(Self.claims())
        let parts = token.split(separator: ".").map(String.init)
        for other in [
            "", ".", "..", parts[0], "\(parts[0]).\(parts[1])", token + ".", "." + token, " " + token, token + "\n",
            token + "=", "\(parts[0])=.\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1])\u{0}.\(parts[2])", "\(parts[0]).\(parts[1]) .\(parts[2])",
        ] {
            #expect(rejection(other) == .malformed, "\(other)")
        }
        #expect(rejection(token + "..") == .encrypted)
        #expect(rejection(token.replacing(".", with: "..")) == .encrypted)
        #expect(rejection("\(parts[0]).\(parts[1]).") == .badSignature)
        #expect(rejection(token + "AAAA") == .badSignature)
        #expect(
            rejection(parts[0] + "." + base64URL(Self.claims(["sub": "\"bob\""])) + "." + parts[2]) == .badSignature)
        let zeros = base64URL([UInt8](repeating: 0, count: 64))
        #expect(rejection("\(parts[0]).\(parts[1]).\(zeros)") == .badSignature)
        let signature = try #require(decodeBase64URL(parts[2]))
        #expect(rejection("\(parts[0]).\(parts[1])." + base64URL(Array(signature.dropLast()))) == .badSignature)
        #expect(
            rejection("\(parts[0]).\(parts[1])." + base64URL(Array(signature[32...] + signature[..<32])))
                == .badSignature)
        // The last digit of a 64-byte signature has four unused bits: another digit must not mean the same.
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(digits.firstIndex { $0 == token.last })
        #expect(rejection(token.dropLast() + String(digits[last ^ 1])) == .malformed)
    }

    @Test func limitsLength() {
        let short = Self.token(Self.claims(["x": "\"\(String(repeating: "a", count: 48_000))\""]))
        #expect(short.utf8.count <= CompactJWS.maximumLength)
        #expect(rejection(short) == nil)
        let long = Self.token(Self.claims(["x": "\"\(String(repeating: "a", count: 49_400))\""]))
        #expect(long.utf8.count > CompactJWS.maximumLength)
        #expect(rejection(long) == .tooLarge)
    }

    @Test("JWT-39: without a kid at most eight fitting keys are tried")
    func limitsTries() {
        let strangers = (0..<KeySet.maximumTries).map { _ in JSONWebKey(SigningKey.generate(.es256), kid: nil) }
        let misfits = (0..<20).map { _ in JSONWebKey(Self.ed, kid: nil) }
        let key = JSONWebKey(Self.es, kid: "e")
        let anonymous = Self.token(Self.claims(), header: "{\"alg\":\"ES256\"}")
        let last = JWTVerifier(issuers: [Self.issuer(misfits + strangers.dropLast() + [key])])
        #expect(rejection(anonymous, last) == nil)
        let beyond = JWTVerifier(issuers: [Self.issuer(strangers + [key])])
        #expect(rejection(anonymous, beyond) == .badSignature)
        #expect(rejection(Self.token(Self.claims()), beyond) == nil)
    }

    @Test func picksAmongKeysOfOneName() {
        let keys = [JSONWebKey(Self.rs, kid: "k"), JSONWebKey(Self.es, kid: "k")]
        let verifier = JWTVerifier(issuers: [Self.issuer(keys)])
        for key in [Self.rs, Self.es] {
            let token = JWTSigner(key: key, keyID: "k").sign(claims: Array(Self.claims().utf8))
            #expect(rejection(String(decoding: token, as: UTF8.self), verifier) == nil)
        }
    }

    @Test func picksAmongEntriesOfOneIssuer() throws {
        var second = Self.issuer([JSONWebKey(Self.es, kid: "e")], audiences: ["other"])
        second.name = "second"
        let verifier = JWTVerifier(issuers: [Self.issuer([JSONWebKey(Self.es, kid: "e")]), second])
        for (audience, index) in [("api", 0), ("other", 1)] {
            let token = Self.token(Self.claims(["aud": "\"\(audience)\""]))
            guard case .verified(let verified) = verifier.verify(token, now: Self.now) else {
                Issue.record("a sound token was refused")
                return
            }
            #expect(verified.issuerIndex == index)
        }
        #expect(rejection(Self.token(Self.claims(["aud": "\"none\""])), verifier) == .wrongAudience)
    }

    @Test func keysOfAnotherIssuerDoNotVerify() {
        var stranger = Self.issuer([JSONWebKey(Self.other, kid: "o")])
        stranger.issuer = "https://other.example"
        let verifier = JWTVerifier(issuers: [Self.issuer([JSONWebKey(Self.es, kid: "e")]), stranger])
        let forged = JWTSigner(key: Self.other, keyID: "o").sign(claims: Array(Self.claims().utf8))
        #expect(rejection(String(decoding: forged, as: UTF8.self), verifier) == .unknownKey)
        let borrowed = JWTSigner(key: Self.other, keyID: "e").sign(claims: Array(Self.claims().utf8))
        #expect(rejection(String(decoding: borrowed, as: UTF8.self), verifier) == .badSignature)
    }
}
