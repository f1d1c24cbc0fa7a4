import Bytes
import Crypto

/// A new backend with random ids and keys.
struct NewBackend {
    let name: String
    let version: String
    let realm: String

    /// Its members in `backends.json`. OAuth Consumer and HTTP Basic are on by default.
    func members() -> [(name: String, value: String)] {
        [
            ("name", name),
            ("version", version),
            ("mobileBackendId", NewBackend.random(16)),
            ("anonymousKey", NewBackend.base64(Array("anon-\(name):\(NewBackend.random(24))".utf8), .standard)),
            ("clientId", NewBackend.random(16)),
            ("clientSecret", NewBackend.secret()),
            ("realm", realm),
        ]
    }

    static func secret() -> String { random(32) }

    /// Random bytes as text that needs no quoting in a URL, a header field, a form or a shell.
    static func random(_ count: Int) -> String {
        while true {
            let text = base64(SecureRandom.bytes(count), .url)
            // A command would read a leading hyphen as an option.
            if !text.hasPrefix("-") { return text }
        }
    }

    private static func base64(_ bytes: [UInt8], _ alphabet: Base64.Alphabet) -> String {
        String(decoding: Base64.encode(bytes.span, alphabet), as: UTF8.self)
    }
}
