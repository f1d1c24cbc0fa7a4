import Bytes
import Crypto

/// The text of API keys: `pck_`, 32 random bytes, and a checksum by which scanners for secrets tell a key from other
/// text, both in Base64 for URLs.
package enum APIKey {
    private static let prefix = Array("pck_".utf8)
    /// Base64 of the random bytes.
    private static let randomLength = 43
    /// Base64 of the checksum: the first bytes of a digest of all before.
    private static let checksumBytes = 3
    private static let length = 4 + randomLength + 4

    /// A new key. It is shown once and not kept.
    package static func make() -> String {
        let random = Base64.encode(SecureRandom.bytes(32).span, .url, padding: false)
        let start = prefix + random
        return String(decoding: start + checksum(start.span), as: UTF8.self)
    }

    /// Whether a token claims to be a key.
    package static func isMarked(_ text: Span<UInt8>) -> Bool {
        guard text.count >= prefix.count else { return false }
        for i in prefix.indices where text[i] != prefix[i] { return false }
        return true
    }

    /// The stored form of a key; nil for text that is no key.
    package static func digest(of text: Span<UInt8>) -> [UInt8]? {
        guard text.count == length, isMarked(text) else { return nil }
        let start = text.extracting(0..<(length - 4))
        guard constantTimeEqual(checksum(start).span, text.extracting((length - 4)..<length)) else { return nil }
        return DigestAlgorithm.sha256.digest(text)
    }

    private static func checksum(_ start: Span<UInt8>) -> [UInt8] {
        let digest = Array(DigestAlgorithm.sha256.digest(start).prefix(checksumBytes))
        return Base64.encode(digest.span, .url, padding: false)
    }
}
