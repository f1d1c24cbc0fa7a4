import Bytes
import Crypto
import JOSE
import Model
import TestSupport
import Testing

/// Encrypted tokens (RFC 7516) that contain signed ones.
@Suite struct EncryptedTokenTests {
    private static let now: Int64 = 1_800_000_000
    private static let signer = SigningKey.generate(.es256)
    private static let rsa = SigningKey.generate(.rs256)
    private static let p256 = SigningKey.generate(.es256)
    private static let p384 = SigningKey.generate(.es384)
    private static let sealer = TokenSealer(rsa)

    private static func key(_ key: SigningKey, kid: String? = nil) throws -> DecryptionKey {
        DecryptionKey(keyID: kid, key: try RecipientKey(pem: key.pem))
    }

    private static func issuer(
        _ keys: [DecryptionKey], named name: String = "https://issuer.example", isRequired: Bool = false
    ) -> TrustedIssuer {
        var issuer = TrustedIssuer(
            name: name, issuer: name, audiences: ["api"], keys: KeySet(keys: [JSONWebKey(signer, kid: "s")]))
        issuer.decryption = TokenDecryption(keys: keys, isRequired: isRequired)
        return issuer
    }

    private static func verifier() throws -> JWTVerifier {
        try JWTVerifier(issuers: [issuer([key(rsa), key(p256), key(p384)])])
    }

    private static func signed(
        _ issuer: String = "https://issuer.example", subject: String = "ann", expiresAt: Int64 = now + 300,
        more: String = ""
    ) -> String {
        let claims = #"{"iss":"\#(issuer)","sub":"\#(subject)","aud":"api","exp":\#(expiresAt)\#(more)}"#
        return String(decoding: JWTSigner(key: signer, keyID: "s").sign(claims: Array(claims.utf8)), as: UTF8.self)
    }

    private func rejection(_ token: String, _ verifier: JWTVerifier) -> TokenRejection? {
        if case .rejected(let rejection) = verifier.verify(token, now: Self.now) { rejection } else { nil }
    }

    private func verified(_ token: String, _ verifier: JWTVerifier) -> VerifiedToken? {
        if case .verified(let token) = verifier.verify(token, now: Self.now) { token } else { nil }
    }

    @Test("the signed token inside is verified as any other")
    func nested() throws {
        let verifier = try Self.verifier()
        let sealers = [Self.sealer, TokenSealer(Self.p256, curve: .p256), TokenSealer(Self.p384, curve: .p384)]
        for sealer in sealers {
            for more in ["", #","cty":"JWT""#, #","cty":"jwt","kid":"any""#, #","iss":"https://issuer.example""#] {
                let token = try #require(try verified(sealer.seal(Self.signed(), more: more), verifier), "\(more)")
                #expect(token.subject == "ann" && token.algorithm == .es256 && token.expiresAt == Self.now + 300)
            }
            #expect(try rejection(sealer.seal(Self.signed(expiresAt: Self.now - 61)), verifier) == .expired)
            #expect(try rejection(sealer.seal(Self.signed("https://other.example")), verifier) == .unknownIssuer)
        }
        let bound = try verified(Self.sealer.seal(Self.signed(more: #","cnf":{"jkt":"x"}"#)), verifier)
        #expect(bound == nil)
    }

    @Test("without a signature inside, a token is refused, however it is encrypted")
    func unsigned() throws {
        let verifier = try Self.verifier()
        let claims = #"{"iss":"https://issuer.example","sub":"ann","aud":"api","exp":1800000300}"#
        let none = "\(base64URL(#"{"alg":"none"}"#)).\(base64URL(claims))."
        #expect(try rejection(Self.sealer.seal(claims), verifier) == .unsigned)
        #expect(try rejection(Self.sealer.seal(none), verifier) == .unsupportedAlgorithm)
        #expect(try rejection(Self.sealer.seal(""), verifier) == .unsigned)
        #expect(try rejection(Self.sealer.seal(Self.sealer.seal(Self.signed())), verifier) == .unsigned)
        #expect(try rejection(Self.sealer.seal(Self.signed(), more: #","cty":"text/plain""#), verifier) == .unsigned)
        let parts = Self.signed().split(separator: ".")
        let other = claims.replacing("ann", with: "eve")
        let forged = "\(parts[0]).\(base64URL(other)).\(parts[2])"
        #expect(try rejection(Self.sealer.seal(forged), verifier) == .badSignature)
    }

    @Test("what is changed anywhere, or encrypted to another key, is refused in the same way")
    func tampered() throws {
        let verifier = try Self.verifier()
        for sealer in [Self.sealer, TokenSealer(Self.p256, curve: .p256)] {
            let token = try sealer.seal(Self.signed())
            let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            for index in 1..<5 where !parts[index].isEmpty {
                var changed = parts
                changed[index] = "\(parts[index].hasPrefix("A") ? "B" : "A")\(parts[index].dropFirst())"
                #expect(rejection(changed.joined(separator: "."), verifier) == .undecryptable, "\(index)")
                changed[index] = String(parts[index].dropLast(4))
                #expect(rejection(changed.joined(separator: "."), verifier) == .undecryptable, "\(index)")
            }
            // The same header with a space in it: the tag covers its bytes.
            let header = try #require(decodeBase64URL(parts[0]))
            var changed = parts
            changed[0] = base64URL([0x7B, 0x20] + header.dropFirst())
            #expect(rejection(changed.joined(separator: "."), verifier) == .undecryptable)
            changed = parts
            changed[1] = parts[1].isEmpty ? "AAAA" : ""
            #expect(rejection(changed.joined(separator: "."), verifier) == .undecryptable)
        }
        let others = [TokenSealer(SigningKey.generate(.rs256)), TokenSealer(SigningKey.generate(.es256), curve: .p256)]
        for sealer in others { #expect(try rejection(sealer.seal(Self.signed()), verifier) == .undecryptable) }
        let p521 = TokenSealer(SigningKey.generate(.es512), curve: .p521)
        #expect(try rejection(p521.seal(Self.signed()), verifier) == .undecryptable)
    }

    @Test("headers: other algorithms, compression, extensions, foreign keys and long ones")
    func headers() throws {
        let verifier = try Self.verifier()
        for alg in ["RSA-OAEP", "RSA1_5", "dir", "A256KW", "PBES2-HS256+A128KW", "none", "ecdh-es"] {
            #expect(try rejection(Self.sealer.seal(Self.signed(), alg: alg), verifier) == .unsupportedAlgorithm)
        }
        for enc in ["A128GCM", "A256CBC-HS512", "none", ""] {
            #expect(try rejection(Self.sealer.seal(Self.signed(), enc: enc), verifier) == .unsupportedAlgorithm)
        }
        for more in [#","zip":"DEF""#, #","crit":["exp"]"#] {
            #expect(try rejection(Self.sealer.seal(Self.signed(), more: more), verifier) == .criticalHeader)
        }
        for more in [
            #","kid":1"#, #","iss":["https://issuer.example"]"#, #","pad":"\#(String(repeating: "x", count: 4096))""#,
        ] {
            #expect(try rejection(Self.sealer.seal(Self.signed(), more: more), verifier) == .undecryptable)
        }
        #expect(try rejection(Self.sealer.seal(String(repeating: "x", count: 65_536)), verifier) == .tooLarge)
        #expect(
            try rejection(Self.sealer.seal(Self.signed(), more: #","iss":"https://other.example""#), verifier)
                == .undecryptable)
        let agreed = TokenSealer(Self.p256, curve: .p256)
        let (x, y) = (base64URL([UInt8](repeating: 1, count: 32)), base64URL([UInt8](repeating: 2, count: 32)))
        for epk in [
            #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#, #"{"kty":"EC","crv":"P-256","x":"\#(x)"}"#,
            #"{"kty":"OKP","crv":"P-256","x":"\#(x)"}"#, #"{"kty":"EC","crv":"X25519","x":"\#(x)","y":"\#(y)"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"\#(x)"}"#, "null", #""P-256""#,
        ] {
            #expect(try rejection(agreed.seal(Self.signed(), epk: epk), verifier) == .undecryptable, "\(epk)")
        }
    }

    @Test("keys rotate, by name and without")
    func rotation() throws {
        let (old, new) = (SigningKey.generate(.es256), SigningKey.generate(.es256))
        let verifier = try JWTVerifier(issuers: [Self.issuer([Self.key(new, kid: "new"), Self.key(old, kid: "old")])])
        for (key, name) in [(old, "old"), (new, "new")] {
            let sealer = TokenSealer(key, curve: .p256)
            #expect(try verified(sealer.seal(Self.signed(), more: #","kid":"\#(name)""#), verifier) != nil)
            #expect(try verified(sealer.seal(Self.signed()), verifier) != nil)
            #expect(try rejection(sealer.seal(Self.signed(), more: #","kid":"other""#), verifier) == .undecryptable)
        }
        // No more than four keys are tried for one token.
        let many = try (0..<4).map { _ in try Self.key(SigningKey.generate(.es256)) }
        let crowded = try JWTVerifier(issuers: [Self.issuer(many + [Self.key(old)])])
        #expect(try rejection(TokenSealer(old, curve: .p256).seal(Self.signed()), crowded) == .undecryptable)
    }

    @Test("a key decrypts tokens of its own issuers alone")
    func issuers() throws {
        let other = "https://other.example"
        let verifier = try JWTVerifier(issuers: [
            Self.issuer([Self.key(Self.rsa)]), Self.issuer([Self.key(Self.p256)], named: other),
            Self.issuer([Self.key(Self.rsa)], named: "https://third.example"),
            Self.issuer([], named: "https://plain.example"),
        ])
        let agreed = TokenSealer(Self.p256, curve: .p256)
        #expect(try verified(agreed.seal(Self.signed(other)), verifier)?.issuerIndex == 1)
        #expect(try rejection(agreed.seal(Self.signed()), verifier) == .undecryptable)
        #expect(try rejection(Self.sealer.seal(Self.signed(other)), verifier) == .undecryptable)
        #expect(try rejection(Self.sealer.seal(Self.signed("https://plain.example")), verifier) == .undecryptable)
        #expect(try verified(Self.sealer.seal(Self.signed("https://third.example")), verifier)?.issuerIndex == 2)
        let misnamed = try Self.sealer.seal(Self.signed(), more: #","iss":"https://third.example""#)
        #expect(rejection(misnamed, verifier) == .unknownIssuer)
        let none = JWTVerifier(issuers: [Self.issuer([])])
        #expect(try rejection(Self.sealer.seal(Self.signed()), none) == .encrypted)
    }

    @Test("an issuer may require encryption")
    func required() throws {
        let verifier = try JWTVerifier(issuers: [Self.issuer([Self.key(Self.rsa)], isRequired: true)])
        #expect(rejection(Self.signed(), verifier) == .unencrypted)
        #expect(try verified(Self.sealer.seal(Self.signed()), verifier) != nil)
        #expect(try verified(Self.signed(), Self.verifier()) != nil)
    }
}
