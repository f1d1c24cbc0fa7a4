import Bytes
import Crypto
import JOSE
import Model
import TestSupport
import Testing

@Suite struct KeySetTests {
    /// The key of RFC 7638 section 3.1.
    private static let modulus =
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj"
        + "hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQv"
        + "RL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnq"
        + "DKgw"
    private static let rsa = "\"kty\":\"RSA\",\"n\":\"\(modulus)\",\"e\":\"AQAB\""
    /// The key of RFC 7517 appendix A.1.
    private static let elliptic =
        "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","
        + "\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\""
    private static let edwards =
        "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\""

    private static func set(_ keys: String...) -> String {
        "{\"keys\":[\(keys.map { "{\($0)}" }.joined(separator: ","))]}"
    }

    @Test("RFC 7638 section 3.1, RFC 8037 appendix A.3")
    func thumbprints() throws {
        let keys = try KeySet(Self.set(Self.rsa, Self.edwards)).keys
        #expect(keys[0].thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(keys[1].thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        let secret = try VerificationKey(secret: [UInt8](repeating: 7, count: 32))
        #expect(JSONWebKey(kid: nil, algorithm: nil, key: secret).thumbprint == nil)
    }

    @Test func readsWhatItPublishes() throws {
        let keys = [SignatureAlgorithm.es256, .es384, .es512, .edDSA, .hs256].map { algorithm in
            JSONWebKey(SigningKey.generate(algorithm), kid: "key of \(algorithm.rawValue)")
        }
        let published = String(decoding: KeySet(keys: keys).jwks(), as: UTF8.self)
        #expect(!published.contains("\"oct\"") && !published.contains("HS256") && !published.contains("\"d\""))
        let read = try KeySet(published)
        #expect(read.keys.count == 4)
        for (key, original) in zip(read.keys, keys) {
            #expect(key.kid == original.kid)
            #expect(key.algorithm == original.algorithm)
            #expect(key.key.publicKey == original.key.publicKey)
        }
        #expect(read.jwks() == Array(published.utf8))
    }

    @Test("public keys and certificates in PEM form verify tokens of any `kid`")
    func pemFile() throws {
        let keys = [SignatureAlgorithm.rs256, .es256, .es384, .edDSA].map { SigningKey.generate($0) }
        let blocks = try keys.map { try KeyPair.publicPEM(ofPrivate: $0.pem) }
        let all = blocks.joined()
        for text in [all, "  \n" + blocks.joined(separator: "\n# another\n"), all.replacing("\n", with: "\r\n")] {
            let set = try KeySet(file: Array(text.utf8).span)
            #expect(set.keys.count == 4)
            for key in keys {
                let token = String(decoding: JWTSigner(key: key).sign(claims: Array("{}".utf8)), as: UTF8.self)
                #expect(try payload(token, set) == Array("{}".utf8))
            }
            let stranger = JWTSigner(key: .generate(.es256)).sign(claims: Array("{}".utf8))
            #expect(throws: TokenRejection.badSignature) {
                try payload(String(decoding: stranger, as: UTF8.self), set)
            }
        }
        let certificate = String(decoding: Fixture.data("identity/idp-cert.pem"), as: UTF8.self)
        #expect(try KeySet(file: Array((all + certificate).utf8).span).keys.count == 5)
        #expect(try KeySet(file: Array(Self.set(Self.rsa).utf8).span).keys.count == 1)
    }

    @Test("a file in another form has a message with the command that converts it")
    func otherForms() throws {
        func message(_ bytes: [UInt8]) -> String {
            do throws(KeySetError) {
                return "\(try KeySet(file: bytes.span).keys.count) keys"
            } catch {
                return error.description
            }
        }
        let pem = String(decoding: Fixture.data("identity/idp-cert.pem"), as: UTF8.self)
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let der = Base64.decode(Array(body.utf8).span) ?? []
        let said = message(der)
        #expect(said.hasPrefix("neither a JWK set nor PEM; it looks like DER: `openssl x509 -inform der`"), "\(said)")
        for text in ["secret", "ssh-rsa AAAA joe", "0 keys", "MIIB", "\"{}\"", ""] {
            #expect(message(Array(text.utf8)) == "neither a JWK set nor PEM", "\(text)")
        }
        let pkcs1 = "-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----\n"
        #expect(
            message(Array(pkcs1.utf8)).hasSuffix(": `openssl rsa -RSAPublicKey_in -in FILE -pubout` converts it"))
        // JSON keeps its own message.
        #expect(message(Array("{".utf8)).contains("not JSON"))
        #expect(message(Array("\u{FEFF}{}".utf8)).contains("not JSON"))
        // Tools write explanations in front of PEM.
        let explained = Array(("subject=CN = idp\n\n" + pem).utf8)
        #expect(try KeySet(file: explained.span).keys.count == 1)
        let (certificates, none) = (
            KeySet.certificates(in: explained.span), KeySet.certificates(in: Array(Self.set(Self.rsa).utf8).span)
        )
        #expect(certificates.count == 1 && none.isEmpty)
    }

    @Test("a PEM block that is no usable public key spoils the file")
    func pemRefused() throws {
        let pem = SigningKey.generate(.es256).pem
        let good = try KeyPair.publicPEM(ofPrivate: pem)
        let refused: [(String, KeySetError.Reason)] = [
            (pem, .privateKey), (pem.replacing("PRIVATE KEY", with: "RSA PRIVATE KEY"), .privateKey),
            (good.replacing("PUBLIC KEY", with: "RSA PUBLIC KEY"), .otherBlock("RSA PUBLIC KEY")),
            (good.replacing("MF", with: "MG"), .key(.malformedPEM)), (String(good.dropLast(60)), .key(.malformedPEM)),
            (good.replacing("PUBLIC KEY", with: "CERTIFICATE"), .certificate(.malformedCertificate(position: 1))),
        ]
        for (block, reason) in refused {
            let error = #expect(throws: KeySetError.self) { try KeySet(file: Array((good + block).utf8).span) }
            #expect(error?.reason == reason && error?.keyIndex == 1, "\(block)")
        }
        #expect(throws: KeySetError.self) { try KeySet(file: Array("-".utf8).span) }
        let most = Array(String(repeating: good, count: KeySet.maximumTries).utf8)
        #expect(try KeySet(file: most.span).keys.count == KeySet.maximumTries)
        let tooMany = #expect(throws: KeySetError.self) { try KeySet(file: (most + Array(good.utf8)).span) }
        #expect(tooMany?.reason == .tooManyUnnamed)
        #expect(throws: KeySetError.self) { try KeySet(file: Array(" ".utf8).span) }
    }

    @Test("JWT-39: type, curve and alg of a key say what it accepts")
    func pinsAlgorithms() throws {
        let set = try KeySet(
            Self.set(
                Self.rsa, Self.rsa + ",\"alg\":\"PS384\"", Self.elliptic, Self.edwards,
                Self.elliptic + ",\"alg\":\"ES256\""))
        let accepted = set.keys.map { key in Set(SignatureAlgorithm.allCases.filter { key.accepts($0) }) }
        #expect(
            accepted == [
                [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512], [.ps384], [.es256], [.edDSA], [.es256],
            ])
    }

    @Test(
        "RFC 7517 section 5: keys of no use for signatures are passed over",
        arguments: [
            rsa + ",\"use\":\"enc\"", rsa + ",\"key_ops\":[\"encrypt\",\"wrapKey\"]", rsa + ",\"key_ops\":[]",
            rsa + ",\"alg\":\"RSA-OAEP\"", rsa + ",\"alg\":\"none\"", rsa + ",\"alg\":\"rs256\"",
            "\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"AA\",\"y\":\"AA\"",
            "\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"",
            "\"kty\":\"AKP\",\"pub\":\"AA\"",
        ])
    func ignores(key: String) throws {
        let set = try KeySet(Self.set(key, Self.elliptic))
        #expect(set.keys.count == 1)
        #expect(set.ignored.map(\.index) == [0])
        #expect(throws: KeySetError.Reason.noUsableKey) { try reading(Self.set(key)) }
    }

    private func reading(_ text: String, _ content: KeySet.Content = .publicKeys) throws(KeySetError.Reason) {
        do throws(KeySetError) { _ = try KeySet(text, content) } catch { throw error.reason }
    }

    private static let refused: [(String, KeySetError.Reason)] = [
        ("\"kty\":\"oct\",\"k\":\"\(String(repeating: "A", count: 43))\"", .secret),
        ("\"kty\":\"RSA\",\"e\":\"AQAB\"", .missing("n")),
        ("\"n\":\"\(modulus)\",\"e\":\"AQAB\"", .missing("kty")),
        ("\"kty\":1", .malformed("kty")),
        (rsa + ",\"kid\":1", .malformed("kid")),
        (rsa + ",\"use\":null", .malformed("use")),
        (rsa + ",\"key_ops\":\"verify\"", .malformed("key_ops")),
        (rsa + ",\"alg\":[\"RS256\"]", .malformed("alg")),
        (rsa + ",\"d\":\"AQAB\"", .privateKey),
        (elliptic + ",\"d\":\"AQAB\"", .privateKey),
        (rsa + ",\"alg\":\"ES256\"", .key(.algorithmMismatch)),
        (rsa + ",\"alg\":\"HS256\"", .key(.algorithmMismatch)),
        (elliptic + ",\"alg\":\"ES384\"", .key(.algorithmMismatch)),
        (elliptic.replacing("4Etl6", with: "4Etl7"), .key(.invalidPoint)),
        (elliptic.replacing("P-256", with: "P-384"), .key(.invalidPoint)),
        (rsa.replacing("AQAB", with: "AQ"), .key(.invalidRSAKey)),
        (rsa.replacing("AQAB", with: "AQAB="), .malformed("e")),
        (rsa.replacing("AQAB", with: ""), .key(.invalidRSAKey)),
        (
            "\"kty\":\"RSA\",\"n\":\"\(modulus.prefix(168))\",\"e\":\"AQAB\"",
            .key(.tooShort(bits: 1008, required: 2048))
        ),
    ]

    @Test("JWT-39: weak, malformed, private and symmetric keys spoil the set", arguments: 0..<refused.count)
    func refuses(index: Int) throws {
        let (key, reason) = Self.refused[index]
        #expect(throws: reason) { try reading(Self.set(key)) }
        let error = #expect(throws: KeySetError.self) { try KeySet(Self.set(Self.edwards, key)) }
        #expect(error?.reason == reason)
        #expect(error?.keyIndex == 1)
    }

    @Test func namesTheKeyInWords() {
        do throws(KeySetError) {
            _ = try KeySet(Self.set(Self.edwards, Self.rsa + ",\"d\":\"AQAB\""))
            Issue.record("a private key was accepted")
        } catch {
            #expect(error.keyIndex == 1)
            #expect(error.description.hasPrefix("key 1 is a private key"))
            #expect(error.offset == Self.set(Self.edwards).utf8.count - 1)
        }
    }

    @Test(arguments: ["", "[]", "{}", "{\"keys\":{}}", "{\"keys\":[]}", "{\"keys\":[1]}", "{\"keys\":[],\"keys\":[]}"])
    func refusesOtherDocuments(text: String) {
        #expect(throws: KeySetError.self) { try KeySet(text) }
    }

    @Test("RFC 7517 section 4.5: one kid for two keys only where the algorithm tells them apart")
    func refusesAmbiguousNames() throws {
        let kid = ",\"kid\":\"k\""
        #expect(throws: KeySetError.Reason.duplicateKeyID) { try reading(Self.set(Self.rsa + kid, Self.rsa + kid)) }
        #expect(throws: Never.self) { try reading(Self.set(Self.rsa + kid, Self.elliptic + kid)) }
        #expect(throws: Never.self) {
            try reading(Self.set(Self.rsa + kid + ",\"alg\":\"RS256\"", Self.rsa + kid + ",\"alg\":\"PS256\""))
        }
    }

    @Test func bounds() {
        let keys = Array(repeating: "{\"kty\":\"AKP\"}", count: KeySet.maximumCount + 1).joined(separator: ",")
        #expect(throws: KeySetError.Reason.tooManyKeys) { try reading("{\"keys\":[\(keys)]}") }
    }
}
