import Bytes
import Crypto

/// The key of an installation under which its stores know tokens. Digests are HMAC-SHA-256, so that nobody who reads a
/// store can try tokens against it without the key; what must be given out again is sealed with AES-256-GCM. All
/// processes that share a store have the same key.
package struct TokenDigestKey: Sendable {
    private let digestKey: [UInt8]
    private let sealKey: AEADKey

    /// Bytes of a key.
    package static let length = 32
    /// Bytes of a digest.
    package static let digestLength = 32

    /// Of 32 secret bytes; nil for another number.
    package init?(_ key: [UInt8]) {
        guard key.count == TokenDigestKey.length else { return nil }
        digestKey = TokenDigestKey.derive(from: key, "portcullis store digest 1")
        guard let seal = AEADKey(TokenDigestKey.derive(from: key, "portcullis store seal 1").span) else { return nil }
        sealKey = seal
    }

    /// What the store knows a token by: 32 bytes.
    package func digest(_ token: Span<UInt8>) -> [UInt8] {
        DigestAlgorithm.sha256.hmac(key: digestKey.span, token)
    }

    /// What the store knows a token by: 32 bytes.
    package func digest(_ token: String) -> [UInt8] {
        let bytes = Array(token.utf8)
        return digest(bytes.span)
    }

    /// `TokenRecord.tokenID` of an opaque access token: its digest in base64url.
    package func tokenID(of token: Span<UInt8>) -> String {
        String(decoding: Base64.encode(digest(token).span, .url), as: UTF8.self)
    }

    /// Seals what is to be given out again.
    /// - Parameter id: `TokenRecord.id`; the result opens in that record only.
    package func seal(_ plaintext: [UInt8], id: String) -> [UInt8] {
        let bound = Array(id.utf8)
        return sealKey.seal(plaintext.span, authenticating: bound.span)
    }

    /// What was sealed for the record of this id; nil where it was not, or not with this key.
    package func open(_ sealed: [UInt8], id: String) -> [UInt8]? {
        let bound = Array(id.utf8)
        return sealKey.open(sealed.span, authenticating: bound.span)
    }

    private static func derive(from key: [UInt8], _ label: String) -> [UInt8] {
        let label = Array(label.utf8)
        return DigestAlgorithm.sha256.hmac(key: key.span, label.span)
    }
}
