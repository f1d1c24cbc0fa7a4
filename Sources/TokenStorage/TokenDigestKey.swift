import Bytes
import Crypto

/// The secret key under which the stores of an installation index and seal tokens. Digests are HMAC-SHA-256, so that a
/// reader of the store cannot test tokens against it without the key. Tokens that must be returned again are sealed
/// with AES-256-GCM. All processes that share a store use the same key.
package struct TokenDigestKey: Sendable {
    private let digestKey: [UInt8]
    private let sealKey: AEADKey

    /// Bytes of a key.
    package static let length = 32
    /// Bytes of a digest.
    package static let digestLength = 32

    /// - Parameter key: 32 secret bytes; nil for another length.
    package init?(_ key: [UInt8]) {
        guard key.count == TokenDigestKey.length else { return nil }
        digestKey = TokenDigestKey.derive(from: key, "portcullis store digest 1")
        guard let seal = AEADKey(TokenDigestKey.derive(from: key, "portcullis store seal 1").span) else { return nil }
        sealKey = seal
    }

    /// The digest of a token in the store: 32 bytes.
    package func digest(_ token: Span<UInt8>) -> [UInt8] {
        DigestAlgorithm.sha256.hmac(key: digestKey.span, token)
    }

    /// The digest of a token in the store: 32 bytes.
    package func digest(_ token: String) -> [UInt8] {
        let bytes = Array(token.utf8)
        return digest(bytes.span)
    }

    /// `TokenRecord.tokenID` of an opaque access token: its digest in base64url.
    package func tokenID(of token: Span<UInt8>) -> String {
        String(decoding: Base64.encode(digest(token).span, .url), as: UTF8.self)
    }

    /// Seals data that must be returned again.
    /// - Parameter id: `TokenRecord.id`; the result opens only for that record.
    package func seal(_ plaintext: [UInt8], id: String) -> [UInt8] {
        let bound = Array(id.utf8)
        return sealKey.seal(plaintext.span, authenticating: bound.span)
    }

    /// Opens data sealed for the record with this id; nil if it was sealed for another one or with another key.
    package func open(_ sealed: [UInt8], id: String) -> [UInt8]? {
        let bound = Array(id.utf8)
        return sealKey.open(sealed.span, authenticating: bound.span)
    }

    private static func derive(from key: [UInt8], _ label: String) -> [UInt8] {
        let label = Array(label.utf8)
        return DigestAlgorithm.sha256.hmac(key: key.span, label.span)
    }
}
