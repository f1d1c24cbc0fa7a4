import Bytes
import ClientStore
import Testing

@testable import PortcullisClient

/// CRYPTO-04: encryption with one key for both ends.
@Suite struct SymmetricTests {
    private let service = CryptoService()
    private let text = Array("attack at dawn".utf8)

    @Test("round trips with every length of key, in both modes and all forms", arguments: [16, 24, 32])
    func roundTrips(_ length: Int) throws {
        for cipher in [CryptoService.Cipher.aesGCM, .aesCBC] {
            for (base64, prefix) in [(true, true), (true, false), (false, false)] {
                let output = CryptoService.Output(usesBase64: base64, hasPrefix: prefix)
                for data in [text, [], [UInt8](repeating: 7, count: 48)] {
                    let sealed = try service.encrypt(data, keyLength: length, cipher: cipher, output: output)
                    #expect(sealed.key.count == length)
                    #expect(
                        try service.decrypt(sealed.output, key: sealed.key, cipher: cipher, output: output) == data)
                    let again = try service.encrypt(data, key: sealed.key, cipher: cipher, output: output)
                    #expect(again != sealed.output, "each has a nonce of its own")
                }
            }
        }
        let name = try service.encrypt(text, keyLength: length).text
        #expect(name.hasPrefix("{AES-\(length * 8)-GCM}"))
    }

    @Test("another key, and a change, are errors")
    func wrong() throws {
        let sealed = try service.encrypt(text, keyLength: 32)
        let other = try service.makeSymmetricKey(length: 32)
        #expect(throws: ClientError(.cannotDecrypt, "the data was changed, or the key is another one")) {
            try service.decrypt(sealed.output, key: other)
        }
        let raw = CryptoService.Output(usesBase64: false, hasPrefix: false)
        let bytes = try service.encrypt(text, key: other, output: raw)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(throws: ClientError.self) { try service.decrypt(changed, key: other, output: raw) }
        }
        for count in 0..<28 {
            #expect(throws: ClientError.self) {
                try service.decrypt(Array(bytes.prefix(count)), key: other, output: raw)
            }
        }
        let chained = try service.encrypt(text, key: other, cipher: .aesCBC, output: raw)
        #expect(throws: ClientError.self) {
            try service.decrypt(chained.dropLast(), key: other, cipher: .aesCBC, output: raw)
        }
    }

    @Test("what OpenSSL has encrypted: AES-128-CBC and triple DES, the vector in front")
    func vectors() throws {
        let raw = CryptoService.Output(usesBase64: false, hasPrefix: false)
        // openssl enc -aes-128-cbc -K 000102..0f -iv 101112..1f, of "attack at dawn".
        let key = (0..<16).map(UInt8.init)
        let vector = (16..<32).map(UInt8.init)
        let body = Base64.decode(Array(Self.aes.utf8).span) ?? []
        #expect(try service.decrypt(vector + body, key: key, cipher: .aesCBC, output: raw) == text)
        // openssl enc -des-ede3-cbc -K 000102..17 -iv 0001..07
        let triple = Base64.decode(Array(Self.des.utf8).span) ?? []
        let long = (0..<24).map(UInt8.init)
        #expect(
            try service.decrypt((0..<8).map(UInt8.init) + triple, key: long, cipher: .tripleDES, output: raw) == text)
    }

    private static let aes = "lKMv9k62/jY6WO+bX9RP7g=="
    private static let des = "Fj8hjwjbFb4c9CYGEv4j9Q=="

    @Test("single DES, and triple DES for what is new, are unsupported; keys have 16, 24 or 32 bytes")
    func unsupported() throws {
        let key = try service.makeSymmetricKey(length: 24)
        for cipher in [CryptoService.Cipher.des, .tripleDES] {
            #expect(throws: ClientError(.unsupportedAlgorithm, "unsupported algorithm")) {
                try service.encrypt(text, key: key, cipher: cipher)
            }
        }
        #expect(throws: ClientError(.unsupportedAlgorithm, "unsupported algorithm")) {
            try service.decrypt(
                [1], key: [UInt8](repeating: 1, count: 8), cipher: .des, output: .init(hasPrefix: false))
        }
        for length in [0, 8, 15, 33] {
            #expect(throws: ClientError.self) { try service.makeSymmetricKey(length: length) }
            #expect(throws: ClientError.self) { try service.encrypt(text, key: [UInt8](repeating: 1, count: length)) }
        }
    }
}
