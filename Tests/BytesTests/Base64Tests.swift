import Bytes
import Foundation
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 section 10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: vectors)
    func standardVectors(plain: String, encoded: String) {
        let bytes = Array(plain.utf8)
        let text = Array(encoded.utf8)
        #expect(Base64.encode(bytes.span) == text)
        #expect(Base64.decode(text.span) == bytes)
        let bare = text.filter { $0 != UInt8(ascii: "=") }
        #expect(Base64.encode(bytes.span, .url) == bare)
        #expect(Base64.encode(bytes.span, .standard, padding: false) == bare)
        #expect(Base64.encode(bytes.span, .url, padding: true) == text)
        #expect(Base64.decode(bare.span, .url) == bytes)
    }

    @Test func alphabetsDiffer() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
        #expect(Base64.encode(bytes.span) == Array("++//".utf8))
        #expect(Base64.encode(bytes.span, .url) == Array("--__".utf8))
        #expect(Base64.decode(Array("--__".utf8).span) == nil)
        #expect(Base64.decode(Array("++//".utf8).span, .url) == nil)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "=", "==", "====", "Z===", "Zm9v=", "Zm9vZ", "Zh==", "Zm9=", "Zm8=\n", "Zm 9v", "Z=g=",
        "Zg==Zg==", "Zm9v====", "Zm9\0", "Zm9vYé==",
    ])
    func standardRefuses(text: String) {
        #expect(Base64.decode(Array(text.utf8).span) == nil)
    }

    /// `Zh` and `Zm9` carry bits that mean nothing: a signature must not have several spellings.
    @Test(arguments: ["Zg==", "Zm8=", "Z", "Zm9vZ", "Zh", "Zm9", "Zm8\n", " Zm8", "Zm.8", "Zg="])
    func urlRefuses(text: String) {
        #expect(Base64.decode(Array(text.utf8).span, .url) == nil)
    }

    @Test func agreesWithFoundation() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Array(Data(bytes).base64EncodedData())
            #expect(Base64.encode(bytes.span) == text)
            #expect(Base64.decode(text.span) == bytes)
            let url = Base64.encode(bytes.span, .url)
            #expect(Base64.decode(url.span, .url) == bytes)
        }
    }
}
