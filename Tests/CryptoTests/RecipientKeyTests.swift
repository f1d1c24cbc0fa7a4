import Bytes
import Crypto
import Model
import TestSupport
import Testing

/// Key agreement, key derivation and key wrapping for encrypted tokens, by the examples of their RFCs.
@Suite struct RecipientKeyTests {
    private static func decoded(_ text: String) throws -> [UInt8] {
        let text = Array(text.utf8)
        let bytes = Base64.decode(text.span, .url)
        return try #require(bytes)
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> String {
        let text = String(decoding: Base64.encode(der.span), as: UTF8.self)
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }

    /// An ECPrivateKey (RFC 5915) of P-256.
    private static func key(d: String, x: String, y: String) throws -> RecipientKey {
        let point = try [4] + decoded(x) + decoded(y)
        let der = try bytes(hexadecimal: "30770201010420") + decoded(d)
        let named = bytes(hexadecimal: "a00a06082a8648ce3d030107a144034200")
        return try RecipientKey(pem: pem("EC PRIVATE KEY", der + named + point))
    }

    private static let ephemeral = (
        d: "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo", x: "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0",
        y: "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps"
    )
    private static let recipient = (
        d: "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw", x: "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
        y: "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck"
    )

    @Test("RFC 7518 appendix C: both sides of ECDH-ES derive the key of the example")
    func agreement() throws {
        let (alice, bob) = (Self.ephemeral, Self.recipient)
        let parties = ["Alice", "Bob"].map { Array($0.utf8) }
        for (own, other) in [(alice, bob), (bob, alice)] {
            let key = try Self.key(d: own.d, x: own.x, y: own.y)
            #expect(key.curve == "P-256")
            let secret = try #require(key.sharedSecret(x: Self.decoded(other.x), y: Self.decoded(other.y)))
            let derived = ConcatKDF.key(secret, for: "A128GCM", parties, bits: 128)
            #expect(try derived == Self.decoded("VqqN6vgjbSBcIijNcacQGg"))
        }
    }

    @Test("a public key that is not on the curve gives no secret")
    func points() throws {
        let key = try Self.key(d: Self.recipient.d, x: Self.recipient.x, y: Self.recipient.y)
        let (x, y) = (try Self.decoded(Self.ephemeral.x), try Self.decoded(Self.ephemeral.y))
        var other = y
        other[31] ^= 1
        #expect(key.sharedSecret(x: x, y: y) != nil)
        #expect(key.sharedSecret(x: x, y: other) == nil)
        #expect(key.sharedSecret(x: x, y: []) == nil)
        #expect(key.sharedSecret(x: [], y: []) == nil)
        #expect(key.sharedSecret(x: x + [0], y: y) == nil)
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(key.sharedSecret(x: zeros, y: zeros) == nil)
        #expect(key.unwrap(zeros) == nil)
    }

    @Test("RFC 7748 section 6.1: X25519, without secrets of zeros")
    func montgomery() throws {
        let prefix = bytes(hexadecimal: "302e020100300506032b656e04220420")
        let bob = try RecipientKey(
            pem: Self.pem(
                "PRIVATE KEY",
                prefix + bytes(hexadecimal: "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")))
        let alice = bytes(hexadecimal: "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        let secret = try #require(bob.sharedSecret(x: alice, y: []))
        #expect(hexadecimal(secret) == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(bob.curve == "X25519")
        #expect(bob.sharedSecret(x: [UInt8](repeating: 0, count: 32), y: []) == nil)
        #expect(bob.sharedSecret(x: alice, y: alice) == nil && bob.sharedSecret(x: alice + [0], y: []) == nil)
    }

    @Test("RFC 3394 section 4.6, and no changed key")
    func keyWrap() {
        let key = Array(UInt8(0)...31)
        let wrapped = bytes(
            hexadecimal: "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21")
        let expected = "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f"
        #expect(AESKeyWrap.unwrap(wrapped, with: key).map(hexadecimal) == expected)
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            #expect(AESKeyWrap.unwrap(changed, with: key) == nil)
        }
        #expect(AESKeyWrap.unwrap(Array(wrapped.dropLast()), with: key) == nil)
        #expect(AESKeyWrap.unwrap([], with: key) == nil)
        #expect(AESKeyWrap.unwrap(wrapped, with: Array(key.dropLast())) == nil)
    }

    @Test("RFC 7516 appendix A.1: the content of the example, with its content encryption key")
    func content() throws {
        let key: [UInt8] = [
            177, 161, 244, 128, 84, 143, 225, 115, 63, 180, 3, 255, 107, 154, 212, 246, 138, 7, 110, 91, 112, 46, 34,
            105, 47, 130, 203, 46, 122, 234, 64, 252,
        ]
        let parts = [
            "48V1_ALb6US04U3b", "5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A",
            "XFBoMYUZodetZdvTiFvSkQ",
        ]
        let header = Array("eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ".utf8)
        let sealed = try parts.flatMap(Self.decoded)
        let content = try #require(AEADKey(key)?.open(sealed, authenticating: header))
        #expect(
            String(decoding: content, as: UTF8.self)
                == "The true sign of intelligence is not knowledge but imagination.")
    }

    @Test("RSA-OAEP-256; keys that are weak or of another kind are refused")
    func kinds() throws {
        let pem = SigningKey.generate(.rs256).pem
        let key = try RecipientKey(pem: pem)
        let secret = SecureRandom.bytes(32)
        let wrapped = try KeyWrapping(pem: pem).wrap(secret)
        #expect(key.curve == nil && key.unwrap(wrapped) == secret)
        #expect(key.unwrap(Array(wrapped.dropLast())) == nil && key.sharedSecret(x: secret, y: secret) == nil)
        #expect(try RecipientKey(pem: pem).identity == key.identity)
        #expect(throws: KeyError.unsupportedKey) { try RecipientKey(pem: SigningKey.generate(.edDSA).pem) }
        #expect(throws: KeyError.malformedPEM) { try RecipientKey(pem: "no key") }
    }
}
