import Bytes
import Testing

@Suite struct Base32Tests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
        ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
    ])
    func vectors(plain: String, encoded: String) {
        let bare = encoded.replacing("=", with: "")
        for text in [encoded, bare, encoded.lowercased()] {
            #expect(Base32.decode(Array(text.utf8).span) == Array(plain.utf8), "\(text)")
        }
    }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "MZ", "M0", "M1", "M8", "MY ", "M=Y", "=", "=======", "MZXW6YTB========"])
    func malformed(_ text: String) { #expect(Base32.decode(Array(text.utf8).span) == nil) }
}
