import Crypto

/// One key of a store.
struct StoreKeyPart: Sendable {
    /// Tells the keys of an installation apart and reveals nothing about the key. Not stored.
    let name: [UInt8]
    private let digestKey: [UInt8]
    private let sealKey: AEADKey

    /// - Parameter key: 32 secret bytes; nil for another length.
    init?(_ key: [UInt8]) {
        guard key.count == TokenDigestKey.length else { return nil }
        name = Array(StoreKeyPart.derive(from: key, "portcullis store id 1").prefix(DigestList.nameLength))
        digestKey = StoreKeyPart.derive(from: key, "portcullis store digest 1")
        guard let seal = AEADKey(StoreKeyPart.derive(from: key, "portcullis store seal 1").span) else { return nil }
        sealKey = seal
    }

    func digest(_ token: Span<UInt8>) -> [UInt8] { DigestAlgorithm.sha256.hmac(key: digestKey.span, token) }

    func seal(_ plaintext: [UInt8], id: String) -> [UInt8] {
        let bound = Array(id.utf8)
        return sealKey.seal(plaintext.span, authenticating: bound.span)
    }

    func open(_ sealed: [UInt8], id: String) -> [UInt8]? {
        let bound = Array(id.utf8)
        return sealKey.open(sealed.span, authenticating: bound.span)
    }

    private static func derive(from key: [UInt8], _ label: String) -> [UInt8] {
        let label = Array(label.utf8)
        return DigestAlgorithm.sha256.hmac(key: key.span, label.span)
    }
}
