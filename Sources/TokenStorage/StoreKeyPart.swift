import Crypto

/// One key of a store: what finds, what seals, and its name.
struct StoreKeyPart: Sendable {
    /// Tells the keys of an installation apart and reveals nothing about the key.
    let id: [UInt8]
    private let digestKey: [UInt8]
    private let sealKey: AEADKey

    /// - Parameter key: 32 secret bytes; nil for another length.
    init?(_ key: [UInt8]) {
        guard key.count == TokenDigestKey.length else { return nil }
        id = Array(StoreKeyPart.derive(from: key, "portcullis store id 1").prefix(StoreSeal.idLength))
        digestKey = StoreKeyPart.derive(from: key, "portcullis store digest 1")
        guard let seal = AEADKey(StoreKeyPart.derive(from: key, "portcullis store seal 1").span) else { return nil }
        sealKey = seal
    }

    func digest(_ token: Span<UInt8>) -> [UInt8] { DigestAlgorithm.sha256.hmac(key: digestKey.span, token) }

    /// - Returns: the seal and what it seals.
    func seal(_ plaintext: [UInt8], id: String, _ seal: StoreSeal) -> [UInt8] {
        let bound = seal.bytes + id.utf8
        return seal.bytes + sealKey.seal(plaintext.span, authenticating: bound.span)
    }

    /// - Parameter seal: the beginning, which is not part of `sealed`; nil for what earlier versions have sealed.
    func open(_ sealed: ArraySlice<UInt8>, id: String, _ seal: StoreSeal?) -> [UInt8]? {
        let bound = (seal?.bytes ?? []) + id.utf8
        return sealKey.open(sealed.span, authenticating: bound.span)
    }

    private static func derive(from key: [UInt8], _ label: String) -> [UInt8] {
        let label = Array(label.utf8)
        return DigestAlgorithm.sha256.hmac(key: key.span, label.span)
    }
}

/// The beginning of `TokenRecord.sealed`: the names of the keys of the record. Records of earlier versions have none, and
/// records without sealed data have nothing else.
struct StoreSeal: Equatable {
    /// Bytes of the name of a key.
    static let idLength = 8
    private static let magic: [UInt8] = [0x50, 0x4b, 0x52, 0x02]
    /// Bytes of the whole beginning.
    static let length = magic.count + 3 * idLength
    /// In place of the name of a key.
    private static let none = [UInt8](repeating: 0, count: idLength)

    /// Seals.
    var sealKey: [UInt8]
    /// Made the digests.
    var digestKey: [UInt8]
    /// Made the digests before the record moved. It does not move back, as two processes with the keys in opposite order
    /// would move it without end.
    var formerKey: [UInt8]

    init(sealKey: [UInt8], digestKey: [UInt8], formerKey: [UInt8]? = nil) {
        self.sealKey = sealKey
        self.digestKey = digestKey
        self.formerKey = formerKey ?? StoreSeal.none
    }

    init?(_ sealed: [UInt8]) {
        guard sealed.count >= StoreSeal.length, sealed.starts(with: StoreSeal.magic) else { return nil }
        let ids = stride(from: StoreSeal.magic.count, to: StoreSeal.length, by: StoreSeal.idLength).map {
            Array(sealed[$0..<$0 + StoreSeal.idLength])
        }
        self.init(sealKey: ids[0], digestKey: ids[1], formerKey: ids[2])
    }

    var bytes: [UInt8] { StoreSeal.magic + sealKey + digestKey + formerKey }
}
