import Bytes
import Crypto
import Model
import TestSupport
import Testing

@Suite struct SigningKeyTests {
    /// One key of each algorithm, made once: RSA keys take their time.
    static let keys = Dictionary(
        uniqueKeysWithValues: SignatureAlgorithm.allCases.map { ($0, SigningKey.generate($0)) })

    static let message = Array("header.payload".utf8)

    private static func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        try #require(keys[algorithm])
    }

    @Test("JWT-39", arguments: SignatureAlgorithm.allCases)
    func verifiesWhatItSigned(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(algorithm)
        let other = SigningKey.generate(algorithm.digest == nil || algorithm.isSymmetric ? algorithm : .es256)
        for _ in 0..<3 {
            let signature = key.sign(Self.message)
            #expect(key.verificationKey.verify(signature, of: Self.message, algorithm))
            #expect(!key.verificationKey.verify(signature, of: Self.message + [0], algorithm))
            #expect(!key.verificationKey.verify(signature, of: Array(Self.message.dropLast()), algorithm))
            #expect(!other.verificationKey.verify(signature, of: Self.message, algorithm))
        }
        #expect(key.verificationKey.verify(key.sign([]), of: [], algorithm))
        #expect(key.isSlow == (algorithm.rawValue.hasPrefix("RS") || algorithm.rawValue.hasPrefix("PS")))
    }

    @Test("JWT-39: the key's type and curve decide, not the caller", arguments: SignatureAlgorithm.allCases)
    func supportsFittingAlgorithmsOnly(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(algorithm)
        let signature = key.sign(Self.message)
        for other in SignatureAlgorithm.allCases where other != algorithm {
            #expect(!key.verificationKey.verify(signature, of: Self.message, other), "\(other)")
        }
        let fitting: Set<SignatureAlgorithm> =
            switch algorithm {
            case .hs256: [.hs256]
            case .hs384: [.hs256, .hs384]
            case .hs512: [.hs256, .hs384, .hs512]
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
            default: [algorithm]
            }
        #expect(Set(SignatureAlgorithm.allCases.filter { key.verificationKey.supports($0) }) == fitting)
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func refusesDamagedSignatures(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(algorithm)
        let signature = key.sign(Self.message)
        let step = max(1, signature.count / 24)
        for i in stride(from: 0, to: signature.count, by: step) {
            var damaged = signature
            damaged[i] ^= 1
            #expect(!key.verificationKey.verify(damaged, of: Self.message, algorithm), "byte \(i)")
        }
        let shapes: [[UInt8]] = [
            [], [0], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0], [0] + signature,
            signature + signature, Array(repeating: 0, count: signature.count),
            Array(repeating: 0xff, count: signature.count),
        ]
        for shape in shapes {
            #expect(!key.verificationKey.verify(shape, of: Self.message, algorithm), "\(shape.count) bytes")
        }
        #expect(key.verificationKey.verify(signature, of: Self.message, algorithm), "a failure spoilt the context")
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func comesBackFromPEM(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(algorithm)
        let read = try SigningKey(pem: key.pem, algorithm: algorithm)
        #expect(read.algorithm == algorithm)
        #expect(read.verificationKey.publicKey == key.verificationKey.publicKey)
        #expect(key.verificationKey.verify(read.sign(Self.message), of: Self.message, algorithm))
        #expect(read.pem == key.pem)
    }

    @Test func readsKeysOfOpenSSL() throws {
        for (file, algorithm) in [
            ("rsa2048", SignatureAlgorithm.rs256), ("rsa2048", .ps512), ("rsa2048-pkcs1", .rs384),
            ("p256-sec1", .es256), ("ed25519", .edDSA),
        ] {
            let key = try SigningKey(pem: Fixture.text("crypto/keys/\(file).pem"), algorithm: algorithm)
            #expect(key.verificationKey.verify(key.sign(Self.message), of: Self.message, algorithm), "\(file)")
        }
        for (file, algorithm) in [("rsa2048", SignatureAlgorithm.rs256), ("ed25519", .edDSA)] {
            let key = try SigningKey(pem: Fixture.text("crypto/keys/\(file).pem"), algorithm: algorithm)
            let published = try VerificationKey(pem: Fixture.text("crypto/keys/\(file)-public.pem"))
            #expect(published.verify(key.sign(Self.message), of: Self.message, algorithm), "\(file)")
        }
    }

    @Test(arguments: [
        ("rsa1024", SignatureAlgorithm.rs256, KeyError.tooShort(bits: 1024, required: 2048)),
        ("secp256k1", .es256, .unsupportedKey), ("x25519", .edDSA, .unsupportedKey),
        ("rsa2048", .es256, .algorithmMismatch), ("p256-sec1", .es384, .algorithmMismatch),
        ("p256-sec1", .rs256, .algorithmMismatch), ("ed25519", .es256, .algorithmMismatch),
        ("rsa-pss", .ps256, .unsupportedKey), ("rsa2048-encrypted", .rs256, .malformedPEM),
        ("rsa2048-public", .rs256, .malformedPEM), ("rsa2048", .hs256, .malformedPEM),
    ])
    func refusesOtherKeys(file: String, algorithm: SignatureAlgorithm, error: KeyError) {
        #expect(throws: error) {
            try SigningKey(pem: Fixture.text("crypto/keys/\(file).pem"), algorithm: algorithm)
        }
    }

    /// A private key with any damaged byte is refused, or signs what its public part verifies. Never does it
    /// end the process at the first signature.
    @Test(arguments: [SignatureAlgorithm.rs256, .ps512, .es256, .edDSA])
    func refusesDamagedKeys(algorithm: SignatureAlgorithm) throws {
        let isRSA = algorithm.family == .rsaPKCS1 || algorithm.family == .rsaPSS
        let pem = isRSA ? Fixture.text("crypto/keys/rsa2048.pem") : SigningKey.generate(algorithm).pem
        let lines = pem.split(separator: "\n")
        let encoded = Array(lines.dropFirst().dropLast().joined().utf8)
        let decoded = Base64.decode(encoded.span)
        let der = try #require(decoded)
        var refusals: [KeyError] = []
        for place in stride(from: isRSA ? 30 : 0, to: der.count, by: isRSA ? 13 : 1) {
            var damaged = der
            damaged[place] ^= 0x10
            // One damage of an RSA key is made up for by what it has twice; so one more, in what is for speed alone.
            if isRSA { damaged[der.count - 20] ^= 0x10 }
            let text = Base64.encode(damaged.span)
            let rows = stride(from: 0, to: text.count, by: 64).map {
                String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
            }
            let body = ([String(lines[0])] + rows + [String(lines[lines.count - 1])]).joined(separator: "\n") + "\n"
            let key: SigningKey
            do throws(KeyError) {
                key = try SigningKey(pem: body, algorithm: algorithm)
            } catch {
                refusals.append(error)
                continue
            }
            #expect(key.verificationKey.verify(key.sign(Self.message), of: Self.message, algorithm), "\(place)")
        }
        // An Ed25519 key has no public part beside the private one, so that any 32 bytes are one.
        #expect(refusals.contains(.inconsistent) == (algorithm != .edDSA))
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----", "-----BEGIN HMAC SECRET-----\nAAAA\n", "\u{0}"])
    func refusesOtherText(text: String) {
        #expect(throws: KeyError.malformedPEM) { try SigningKey(pem: text, algorithm: .rs256) }
        #expect(throws: KeyError.malformedPEM) { try SigningKey(pem: text, algorithm: .hs256) }
        #expect(throws: KeyError.malformedPEM) { try VerificationKey(pem: text) }
    }

    @Test("RFC 7518 section 3.2: a secret is as long as the hash")
    func refusesShortSecrets() {
        for algorithm in [SignatureAlgorithm.hs256, .hs384, .hs512] {
            let length = algorithm.digest?.length ?? 0
            let short = [UInt8](repeating: 1, count: length - 1)
            #expect(throws: KeyError.tooShort(bits: (length - 1) * 8, required: length * 8)) {
                try SigningKey(secret: short, algorithm: algorithm)
            }
        }
        #expect(throws: KeyError.algorithmMismatch) {
            try SigningKey(secret: [UInt8](repeating: 1, count: 64), algorithm: .rs256)
        }
        #expect(throws: KeyError.tooShort(bits: 0, required: 256)) { try VerificationKey(secret: []) }
    }

    @Test func isUsedByManyThreads() async throws {
        for algorithm in [SignatureAlgorithm.hs256, .es256, .edDSA, .rs256] {
            let key = try Self.key(algorithm)
            let wrong = await withTaskGroup(of: Int.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        (0..<20).count { round in
                            let text: [UInt8] = [UInt8(task), UInt8(round)]
                            return !key.verificationKey.verify(key.sign(text), of: text, algorithm)
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0, "\(algorithm)")
        }
    }
}
