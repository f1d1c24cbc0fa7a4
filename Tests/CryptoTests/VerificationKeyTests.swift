import Crypto
import Model
import TestSupport
import Testing

@Suite struct VerificationKeyTests {
    private static let message = Array("message".utf8)

    private static func elliptic() throws -> (SigningKey, x: [UInt8], y: [UInt8]) {
        let key = SigningKey.generate(.es256)
        guard case .elliptic(.p256, let x, let y) = key.verificationKey.publicKey else {
            throw KeyError.unsupportedKey
        }
        return (key, x, y)
    }

    /// RFC 8032 section 7.1, tests 1 to 3.
    @Test(arguments: [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                + "387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ])
    func verifiesKnownEd25519Signatures(key: String, message: String, signature: String) throws {
        let key = try VerificationKey(ed25519: bytes(hexadecimal: key))
        var signature = bytes(hexadecimal: signature)
        #expect(key.verify(signature, of: bytes(hexadecimal: message), .edDSA))
        signature[63] ^= 0x10
        #expect(!key.verify(signature, of: bytes(hexadecimal: message), .edDSA))
    }

    /// RFC 6979 appendix A.2.5: P-256 with SHA-256, message "sample".
    @Test func verifiesKnownECDSASignature() throws {
        let key = try VerificationKey(
            .p256,
            x: bytes(hexadecimal: "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
            y: bytes(hexadecimal: "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"))
        let signature = bytes(
            hexadecimal: "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
        #expect(key.verify(signature, of: Array("sample".utf8), .es256))
        #expect(!key.verify(signature, of: Array("test".utf8), .es256))
        #expect(!key.verify(Array(signature[32...] + signature[..<32]), of: Array("sample".utf8), .es256))
    }

    @Test("CVE-2022-21449: halves of zero, one and the order are no signature")
    func refusesPsychicSignatures() throws {
        let (key, _, _) = try Self.elliptic()
        let zero = [UInt8](repeating: 0, count: 32)
        let one = Array(zero.dropLast()) + [1]
        let order = bytes(hexadecimal: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let all = [UInt8](repeating: 0xff, count: 32)
        for r in [zero, one, order, all] {
            for s in [zero, one, order, all] {
                #expect(!key.verificationKey.verify(r + s, of: Self.message, .es256))
            }
        }
    }

    @Test("ECDSA: r and s of the wrong length, and the DER form, are refused")
    func refusesOtherSignatureForms() throws {
        let (key, _, _) = try Self.elliptic()
        let signature = key.sign(Self.message)
        let r = Array(signature[..<32])
        let s = Array(signature[32...])
        let zero: [UInt8] = [0]
        let sequence: [UInt8] = [0x30, 0x46]
        let integer: [UInt8] = [0x02, 0x21, 0x00]
        let others: [[UInt8]] = [
            sequence + integer + r + integer + s, zero + r + zero + s, r, r + s.dropLast(), s + r,
        ]
        for other in others {
            #expect(!key.verificationKey.verify(other, of: Self.message, .es256))
        }
    }

    @Test("the DER conversion holds for signatures with short halves", arguments: EllipticCurve.allCases)
    func convertsAllLengths(curve: EllipticCurve) {
        let key = SigningKey.generate(curve.algorithm)
        // One half in 128 starts with a zero byte: with 300 signatures short halves occur.
        for i in 0..<300 {
            let text: [UInt8] = [UInt8(i & 255), UInt8(i >> 8)]
            let signature = key.sign(text)
            #expect(signature.count == 2 * curve.coordinateLength)
            #expect(key.verificationKey.verify(signature, of: text, curve.algorithm))
        }
    }

    @Test func refusesPointsOffTheCurve() throws {
        let (_, x, y) = try Self.elliptic()
        var wrong = y
        wrong[31] ^= 1
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: KeyError.invalidPoint) { try VerificationKey(.p256, x: x, y: wrong) }
        #expect(throws: KeyError.invalidPoint) { try VerificationKey(.p256, x: zero, y: zero) }
        #expect(throws: KeyError.invalidPoint) { try VerificationKey(.p256, x: [], y: []) }
        #expect(throws: KeyError.invalidPoint) { try VerificationKey(.p256, x: [0] + x, y: y) }
        #expect(throws: KeyError.invalidPoint) { try VerificationKey(.p384, x: x, y: y) }
        #expect(throws: KeyError.invalidPoint) { try VerificationKey(ed25519: Array(x.dropLast())) }
        #expect(throws: Never.self) { try VerificationKey(.p256, x: x, y: y) }
    }

    @Test func refusesWeakRSAKeys() throws {
        let pem = Fixture.text("crypto/keys/rsa2048-public.pem")
        guard case .rsa(let n, let e) = try VerificationKey(pem: pem).publicKey else {
            throw KeyError.unsupportedKey
        }
        #expect(e == [1, 0, 1])
        #expect(throws: Never.self) { try VerificationKey(rsaModulus: [0] + n, exponent: [0] + e) }
        #expect(throws: KeyError.invalidRSAKey) { try VerificationKey(rsaModulus: n, exponent: [1]) }
        #expect(throws: KeyError.invalidRSAKey) { try VerificationKey(rsaModulus: n, exponent: []) }
        #expect(throws: KeyError.invalidRSAKey) { try VerificationKey(rsaModulus: n, exponent: [2]) }
        #expect(throws: KeyError.invalidRSAKey) {
            try VerificationKey(rsaModulus: n, exponent: [UInt8](repeating: 1, count: 9))
        }
        #expect(throws: KeyError.invalidRSAKey) { try VerificationKey(rsaModulus: n.dropLast() + [4], exponent: e) }
        #expect(throws: KeyError.tooShort(bits: 0, required: 2048)) {
            try VerificationKey(rsaModulus: [], exponent: e)
        }
        #expect(throws: KeyError.tooShort(bits: 2040, required: 2048)) {
            try VerificationKey(rsaModulus: [UInt8](repeating: 0xff, count: 255), exponent: e)
        }
        #expect(throws: KeyError.tooLong(bits: 16384)) {
            try VerificationKey(rsaModulus: [UInt8](repeating: 0xff, count: 2048), exponent: e)
        }
    }
}
