import Bytes
import TestSupport
import Testing
import TokenStorage

@Suite struct TokenDigestKeyTests {
    private func key(_ byte: UInt8) throws -> TokenDigestKey {
        try #require(TokenDigestKey(Array(repeating: byte, count: 32)))
    }

    @Test func aKeyHas32Bytes() {
        #expect(TokenDigestKey([]) == nil)
        #expect(TokenDigestKey(Array(repeating: 1, count: 31)) == nil)
        #expect(TokenDigestKey(Array(repeating: 1, count: 33)) == nil)
    }

    @Test func digestsDifferByTokenAndKey() throws {
        let one = try key(1).digest("token")
        #expect(one.count == TokenDigestKey.digestLength)
        #expect(try key(1).digest("token") == one)
        #expect(try key(2).digest("token") != one)
        #expect(try key(1).digest("Token") != one)
        let token = Array("token".utf8)
        #expect(try key(1).digest(token.span) == one)
        #expect(try key(1).tokenID(of: token.span) == String(decoding: Base64.encode(one.span, .url), as: UTF8.self))
    }

    @Test("a digest is that of every version of the program: files outlive it")
    func digestIsFixed() throws {
        // hmac(hmac(01..., "portcullis store digest 1"), "token"), computed with Python's hmac.
        let expected = "d0532e4c969b633c5a9a7597b7982eb54f4e129ad2cc7fff245b9f07d42b5c52"
        #expect(
            try key(1).digest("token").map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                == expected)
    }

    @Test func whatIsSealedOpensInItsRecordAlone() throws {
        let key = try key(1)
        let plain = Array("access and refresh".utf8)
        let sealed = key.seal(plain, id: "a")
        #expect(key.open(sealed, id: "a") == plain)
        #expect(key.seal(plain, id: "a") != sealed)
        #expect(key.open(sealed, id: "b") == nil)
        #expect(try self.key(2).open(sealed, id: "a") == nil)
        for place in sealed.indices {
            var broken = sealed
            broken[place] ^= 1
            #expect(key.open(broken, id: "a") == nil)
        }
        #expect(key.open([], id: "a") == nil)
    }
}
