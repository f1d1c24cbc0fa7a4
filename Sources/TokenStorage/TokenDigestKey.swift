import Bytes
import Crypto
import Synchronization

/// The secret keys under which the stores of an installation index and seal tokens. Digests are HMAC-SHA-256, so that a
/// reader of the store cannot test tokens against it without the key. Tokens that must be returned again are sealed
/// with AES-256-GCM. All processes that share a store use the same keys.
///
/// Of several keys the first makes digests and seals, and all find and open. Copies share their keys, which `adopt`
/// exchanges while the process runs.
package struct TokenDigestKey: Sendable {
    private let ring: Ring

    private final class Ring: Sendable {
        let parts: Mutex<[StoreKeyPart]>
        init(_ parts: [StoreKeyPart]) { self.parts = Mutex(parts) }
    }

    /// Bytes of a key.
    package static let length = 32
    /// Bytes of a digest.
    package static let digestLength = 32

    /// - Parameter key: 32 secret bytes; nil for another length.
    package init?(_ key: [UInt8]) { self.init(keys: [key]) }

    /// - Parameter keys: 32 secret bytes each, the one in use first; nil for another length, for none, or for the same
    ///   key twice.
    package init?(keys: [[UInt8]]) {
        let parts = keys.compactMap(StoreKeyPart.init)
        guard !keys.isEmpty, parts.count == keys.count, Set(parts.map(\.id)).count == keys.count else { return nil }
        ring = Ring(parts)
    }

    private var parts: [StoreKeyPart] { ring.parts.withLock { $0 } }

    /// Whether there are former keys.
    package var hasFormer: Bool { parts.count > 1 }

    /// Whether a key of the other list is the one that makes digests and seals here, so that the other list finds and
    /// opens all that this one makes.
    package func isKnown(to other: TokenDigestKey) -> Bool { other.parts.contains { $0.id == parts[0].id } }

    /// Uses the keys of another list from now on, here and in all copies.
    package func adopt(_ other: TokenDigestKey) {
        let parts = other.parts
        ring.parts.withLock { $0 = parts }
    }

    /// The digests of a token under all keys, that of the first one in front: `digestLength` bytes each. A store behind
    /// `RekeyedTokenStore` has the first one alone, and finds by any of them.
    package func digest(_ token: Span<UInt8>) -> [UInt8] {
        let parts = parts
        if parts.count == 1 { return parts[0].digest(token) }
        return parts.flatMap { $0.digest(token) }
    }

    /// The same for a text.
    package func digest(_ token: String) -> [UInt8] {
        let bytes = Array(token.utf8)
        return digest(bytes.span)
    }

    /// `TokenRecord.tokenID` of an opaque access token: its digest under the first key in base64url.
    package func tokenID(of token: Span<UInt8>) -> String { TokenDigestKey.text(parts[0].digest(token)) }

    /// Names of something under all keys, that of the first one in front.
    package func names(of text: [UInt8]) -> [String] { parts.map { TokenDigestKey.text($0.digest(text.span)) } }

    private static func text(_ digest: [UInt8]) -> String {
        String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }

    // MARK: Sealing

    /// Seals data that must be returned again.
    /// - Parameter id: `TokenRecord.id`; the result opens only for that record.
    package func seal(_ plaintext: [UInt8], id: String) -> [UInt8] {
        let first = parts[0]
        return first.seal(plaintext, id: id, StoreSeal(sealKey: first.id, digestKey: first.id))
    }

    /// Opens data sealed for the record with this id; nil if it was sealed for another one or with an unknown key.
    package func open(_ sealed: [UInt8], id: String) -> [UInt8]? { opened(sealed, id: id)?.plaintext }

    private func opened(_ sealed: [UInt8], id: String) -> (plaintext: [UInt8], seal: StoreSeal)? {
        let parts = parts
        if let seal = StoreSeal(sealed) {
            let body = sealed[StoreSeal.length...]
            if let part = parts.first(where: { $0.id == seal.sealKey }), let text = part.open(body, id: id, seal) {
                return (text, seal)
            }
        }
        // Earlier versions named no key, and any bytes may begin like a name.
        for part in parts {
            if let text = part.open(sealed[...], id: id, nil) {
                return (text, StoreSeal(sealKey: part.id, digestKey: part.id))
            }
        }
        return nil
    }

    // MARK: Change of keys

    /// Marks a record whose digests were just made by the first of several keys, so that it is not counted among those
    /// of former keys.
    func mark(_ record: inout TokenRecord) {
        guard record.sealed.isEmpty, record.kind.hasKeyedDigests else { return }
        let id = parts[0].id
        record.sealed = StoreSeal(sealKey: id, digestKey: id).bytes
    }

    /// What a record has to become to need no former key, as far as that is possible without its tokens.
    /// - Returns: the data sealed by the first key, nil if nothing is to be done; and whether the record would still be
    ///   found by a former key only, or cannot be opened.
    package func resealed(_ record: TokenRecord) -> (sealed: [UInt8]?, needsFormer: Bool) {
        let first = parts[0]
        guard record.kind.hasKeyedDigests || record.kind == .verifier || record.kind == .issued else {
            return (nil, false)
        }
        let hasDigests =
            record.kind.hasKeyedDigests && (record.accessDigest != nil || record.refreshDigest != nil)
        if record.sealed.isEmpty { return (nil, hasDigests) }
        if let mark = StoreSeal(record.sealed), mark.sealKey == first.id || record.sealed.count == StoreSeal.length {
            return (nil, hasDigests && mark.digestKey != first.id)
        }
        guard let (text, seal) = opened(record.sealed, id: record.id) else { return (nil, true) }
        var mark = seal
        mark.sealKey = first.id
        return (first.seal(text, id: record.id, mark), hasDigests && mark.digestKey != first.id)
    }

    /// The record with the digest under the first key of a token that a former key has found.
    /// - Parameters:
    ///   - index: of the key that has found it.
    ///   - isForced: whether it moves back, too.
    /// - Returns: nil if another token of the record is known by a former digest only, if its data cannot be opened, or if
    ///   it has moved away from the first key before.
    func redigested(
        _ record: TokenRecord, access: [UInt8]?, refresh: [UInt8]?, foundBy index: Int, isForced: Bool
    ) -> TokenRecord? {
        let parts = parts
        let first = parts[0]
        var moved = record
        if let access { moved.accessDigest = access }
        if let refresh { moved.refreshDigest = refresh }
        let isWhole = (record.accessDigest == nil || access != nil) && (record.refreshDigest == nil || refresh != nil)
        guard isWhole, parts.indices.contains(index) else { return nil }
        if !isForced, StoreSeal(record.sealed)?.formerKey == first.id { return nil }
        let mark = StoreSeal(sealKey: first.id, digestKey: first.id, formerKey: parts[index].id)
        if record.sealed.isEmpty || record.sealed.count == StoreSeal.length && StoreSeal(record.sealed) != nil {
            moved.sealed = mark.bytes
            return moved
        }
        guard let (text, _) = opened(record.sealed, id: record.id) else { return nil }
        moved.sealed = first.seal(text, id: record.id, mark)
        return moved
    }
}

extension TokenRecord.Kind {
    /// Whether the digests of its records are those of tokens. Others have none, or random ones.
    fileprivate var hasKeyedDigests: Bool {
        switch self {
        case .pair, .refresh, .opaque, .session, .registration, .client, .code, .authorization, .pushed, .device: true
        case .provided, .verifier, .signOn, .posted, .consent, .issued: false
        }
    }
}
