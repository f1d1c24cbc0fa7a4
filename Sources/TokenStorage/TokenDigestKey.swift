import Bytes
import Synchronization

/// The secret keys under which the stores of an installation index and seal tokens. Digests are HMAC-SHA-256, so that a
/// reader of the store cannot test tokens against it without the key. Tokens that must be returned again are sealed
/// with AES-256-GCM. All processes that share a store use the same keys.
///
/// The first key is in use: it makes digests and seals. The others, the former keys, find and open. Copies share their
/// keys, which `adopt` exchanges while the process runs.
package struct TokenDigestKey: Sendable {
    private let ring: Ring

    private final class Ring: Sendable {
        let parts: Mutex<[StoreKeyPart]>
        init(_ parts: [StoreKeyPart]) { self.parts = Mutex(parts) }
    }

    /// Bytes of a key.
    package static let length = 32
    /// Bytes of a digest.
    package static let digestLength = DigestList.digestLength

    /// - Parameter key: 32 secret bytes; nil for another length.
    package init?(_ key: [UInt8]) { self.init(keys: [key]) }

    /// - Parameter keys: 32 secret bytes each, the one in use first; nil for another length, an empty list, or a list
    ///   with the same key twice.
    package init?(keys: [[UInt8]]) {
        let parts = keys.compactMap(StoreKeyPart.init)
        guard !keys.isEmpty, parts.count == keys.count, Set(parts.map(\.name)).count == keys.count else { return nil }
        ring = Ring(parts)
    }

    var parts: [StoreKeyPart] { ring.parts.withLock { $0 } }

    /// Whether there are former keys.
    package var hasFormer: Bool { parts.count > 1 }

    /// Whether the key in use is among the keys of another list, which then finds and opens all that this one makes.
    package func isKnown(to other: TokenDigestKey) -> Bool { other.parts.contains { $0.name == parts[0].name } }

    /// Uses the keys of another list from now on, here and in all copies.
    package func adopt(_ other: TokenDigestKey) {
        let parts = other.parts
        ring.parts.withLock { $0 = parts }
    }

    /// The digest of a token in the store: 32 bytes, or a `DigestList` while there are former keys.
    package func digest(_ token: Span<UInt8>) -> [UInt8] {
        let parts = parts
        if parts.count == 1 { return parts[0].digest(token) }
        return parts.flatMap { $0.name + $0.digest(token) }
    }

    /// The digest of a token in the store: 32 bytes, or a `DigestList` while there are former keys.
    package func digest(_ token: String) -> [UInt8] {
        let bytes = Array(token.utf8)
        return digest(bytes.span)
    }

    /// `TokenRecord.tokenID` of an opaque access token: its digest under the key in use, in base64url.
    package func tokenID(of token: Span<UInt8>) -> String { parts[0].digest(token).base64URL }

    /// The same under all keys, the key in use first.
    package func keyedNames(of text: [UInt8]) -> [String] { parts.map { $0.digest(text.span).base64URL } }

    // MARK: Sealing

    /// Seals data that must be returned again; nothing in a record without such data, to tell which key made its digests.
    /// - Parameter id: `TokenRecord.id`; the result opens only for that record.
    package func seal(_ plaintext: [UInt8], id: String) -> [UInt8] { parts[0].seal(plaintext, id: id) }

    /// Opens data sealed for the record with this id; nil if it was sealed for another one or with an unknown key, or if
    /// it seals nothing.
    package func open(_ sealed: [UInt8], id: String) -> [UInt8]? {
        for part in parts {
            if let text = part.open(sealed, id: id) { return text.isEmpty ? nil : text }
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate var base64URL: String { String(decoding: Base64.encode(span, .url), as: UTF8.self) }
}
