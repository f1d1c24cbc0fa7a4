import Crypto
import Testing

/// Known answers of FIPS 180-4 (the NIST examples), RFC 4231 and RFC 2202.
@Suite struct DigestAlgorithmTests {
    struct Digest: Sendable, CustomTestStringConvertible {
        let algorithm: DigestAlgorithm
        let message: String
        let expected: String
        var testDescription: String { "\(algorithm) of \(message.utf8.count) bytes" }
    }

    static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    static let digests = [
        Digest(algorithm: .sha1, message: "abc", expected: "a9993e364706816aba3e25717850c26c9cd0d89d"),
        Digest(algorithm: .sha1, message: "", expected: "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        Digest(algorithm: .sha1, message: twoBlocks, expected: "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        Digest(
            algorithm: .sha224, message: "abc", expected: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        Digest(
            algorithm: .sha256, message: "abc",
            expected: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        Digest(
            algorithm: .sha256, message: "",
            expected: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        Digest(
            algorithm: .sha256, message: twoBlocks,
            expected: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        Digest(
            algorithm: .sha384, message: "abc",
            expected: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"),
        Digest(
            algorithm: .sha512, message: "abc",
            expected: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
    ]

    @Test(arguments: digests)
    func digestsKnownMessages(_ vector: Digest) {
        let digest = vector.algorithm.digest(Array(vector.message.utf8))
        #expect(hexadecimal(digest) == vector.expected)
        #expect(digest.count == vector.algorithm.length)
    }

    struct Code: Sendable, CustomTestStringConvertible {
        let name: String
        let algorithm: DigestAlgorithm
        let key: [UInt8]
        let message: [UInt8]
        let expected: String
        var testDescription: String { name }
    }

    static let codes = [
        Code(
            name: "RFC 2202 case 2", algorithm: .sha1, key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8), expected: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        Code(
            name: "RFC 4231 case 1, SHA-224", algorithm: .sha224, key: [UInt8](repeating: 0x0b, count: 20),
            message: Array("Hi There".utf8), expected: "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
        Code(
            name: "RFC 4231 case 1, SHA-256", algorithm: .sha256, key: [UInt8](repeating: 0x0b, count: 20),
            message: Array("Hi There".utf8),
            expected: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Code(
            name: "RFC 4231 case 2, SHA-384", algorithm: .sha384, key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            expected: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
                + "8e2240ca5e69e2c78b3239ecfab21649"),
        Code(
            name: "RFC 4231 case 2, SHA-512", algorithm: .sha512, key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            expected: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Code(
            name: "RFC 4231 case 6, key longer than a block", algorithm: .sha256,
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            expected: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Code(
            name: "empty key and message", algorithm: .sha256, key: [], message: [],
            expected: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: codes)
    func authenticatesKnownMessages(_ vector: Code) {
        #expect(hexadecimal(vector.algorithm.hmac(key: vector.key, vector.message)) == vector.expected)
    }

    @Test func comparesAllBytes() {
        let text: [UInt8] = Array(0..<32)
        #expect(equal(text, text))
        for i in text.indices {
            var other = text
            other[i] ^= 0x80
            #expect(!equal(text, other))
        }
        let shorter = Array(text.dropLast())
        let none: [UInt8] = []
        #expect(!equal(text, shorter))
        #expect(!equal(text, none))
        #expect(equal(none, none))
    }

    @Test func drawsFreshRandomness() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
        #expect(SecureRandom.uint64() != SecureRandom.uint64())
        #expect(OpenSSLLibrary.version.hasPrefix("OpenSSL 3"))
    }
}
