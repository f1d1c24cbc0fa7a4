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

    /// In whole groups and behind the last of them.
    @Test("nothing but digits is one, at every place", arguments: [8, 10, 11])
    func onlyDigits(length: Int) {
        let digits = Set((0...63).map { Base64.encode([UInt8($0) << 2].span, .url)[0] })
        #expect(digits.count == 64)
        for place in 0..<length {
            for byte in UInt8.min...UInt8.max {
                // `A` leaves no bits that mean nothing.
                var text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
                text[place] = byte
                let isGood = Base64.decode(text.span, .url) != nil
                let isLast = place == length - 1 && length % 4 != 0
                let shouldBeGood = isLast ? isGood && digits.contains(byte) : digits.contains(byte)
                if isGood != shouldBeGood { Issue.record("\(byte) at \(place) of \(length)") }
            }
        }
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
