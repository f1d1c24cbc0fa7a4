import Crypto
import Testing

@Suite struct AEADKeyTests {
    private static func key(_ byte: UInt8) throws -> AEADKey {
        try #require(AEADKey([UInt8](repeating: byte, count: 32)))
    }

    /// Test cases 13, 14 and 16 of McGrew and Viega, "The Galois/Counter Mode of Operation", in this form: IV,
    /// ciphertext, tag.
    @Test(arguments: [
        (
            "0000000000000000000000000000000000000000000000000000000000000000", "",
            "000000000000000000000000" + "530f8afbc74536b9a963b4f1c4cb738b", ""
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000000", "",
            "000000000000000000000000" + "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919",
            "00000000000000000000000000000000"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "cafebabefacedbaddecaf888"
                + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        ),
    ])
    func opensKnownMessages(key: String, authenticated: String, sealed: String, plaintext: String) throws {
        let key = try #require(AEADKey(bytes(hexadecimal: key)))
        let opened = key.open(bytes(hexadecimal: sealed), authenticating: bytes(hexadecimal: authenticated))
        #expect(opened.map(hexadecimal) == plaintext)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1000, 70_000])
    func opensWhatItSealed(count: Int) throws {
        let key = try Self.key(7)
        let text = SecureRandom.bytes(count)
        let context = Array("context".utf8)
        let sealed = key.seal(text, authenticating: context)
        #expect(sealed.count == count + AEADKey.overhead)
        #expect(key.open(sealed, authenticating: context) == text)
        #expect(key.seal(text, authenticating: context) != sealed, "a nonce came twice")
    }

    @Test func refusesEveryFlippedBit() throws {
        let key = try Self.key(1)
        let text = Array("a short message".utf8)
        let context = Array("route 1".utf8)
        let sealed = key.seal(text, authenticating: context)
        for i in 0..<sealed.count * 8 {
            var damaged = sealed
            damaged[i / 8] ^= 1 << UInt8(i % 8)
            #expect(key.open(damaged, authenticating: context) == nil)
        }
        for count in 0..<sealed.count {
            #expect(key.open(Array(sealed.prefix(count)), authenticating: context) == nil)
        }
        let longer = sealed + [0]
        #expect(key.open(longer, authenticating: context) == nil)
        #expect(key.open(sealed, authenticating: Array("route 2".utf8)) == nil)
        #expect(key.open(sealed, authenticating: Array("".utf8)) == nil)
        #expect(key.open(sealed, authenticating: context) == text, "a failure spoilt the pooled context")
    }

    @Test(arguments: [0, 16, 24, 31, 33])
    func takesKeysOf32BytesOnly(count: Int) {
        #expect(AEADKey([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("DEC-12: the first key seals, all open")
    func rotates() throws {
        let old = try Self.key(1)
        let new = try Self.key(2)
        let before = try #require(AEADKeyRing([old]))
        let after = try #require(AEADKeyRing([new, old]))
        let text = Array("session".utf8)
        let none: [UInt8] = []
        let sealedBefore = before.seal(text, authenticating: none)
        let sealedAfter = after.seal(text, authenticating: none)
        #expect(after.open(sealedBefore, authenticating: none) == text)
        #expect(after.open(sealedAfter, authenticating: none) == text)
        #expect(before.open(sealedAfter, authenticating: none) == nil)
        #expect(new.open(sealedAfter, authenticating: none) == text)
        #expect(AEADKeyRing([]) == nil)
    }

    @Test func isUsedByManyThreads() async throws {
        let key = try Self.key(3)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let text = [UInt8](repeating: UInt8(task), count: 100 + task)
                    return (0..<500).count { _ in
                        let sealed = key.seal(text, authenticating: text)
                        return key.open(sealed, authenticating: text) != text
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
