import Bytes
import Configuration
import Crypto
import JOSE
import Model
import TokenStorage

/// The signing keys of an algorithm of all gateways with one store: a document there with index and keys.
struct SharedSigningKeys: Sendable {
    /// What the store holds.
    struct Document {
        let index: SigningKeyIndex
        /// In the order of the index.
        let keys: [SigningKey]
        /// Whether a former `store.key` has sealed it.
        var isByFormerKey: Bool { version.isByFormerKey }
        fileprivate let version: SealedDocument.Version
    }

    private let algorithm: SignatureAlgorithm
    private let document: SealedDocument

    /// Nil if the gateway shares no keys, or has started with another store.
    init?(of algorithm: SignatureAlgorithm, _ configuration: GatewayConfiguration, _ opened: RetainedStore.Opened) {
        guard configuration.tokenService.sharesKeys, let server = opened.server else { return nil }
        self.algorithm = algorithm
        document = SealedDocument(
            "signing-keys:\(algorithm.rawValue)", purpose: "portcullis signing keys 1 \(algorithm.rawValue)",
            content: "signing keys", in: server, opened.key)
    }

    /// The keys in the store; nil if it has none.
    func read() throws(KeyFileError) -> Document? {
        guard let version = try document.read() else { return nil }
        guard let document = document(version) else { throw document.damage }
        return document
    }

    /// Replaces the document that was read, or makes one where there was none.
    /// - Returns: whether it is in the store; false if another gateway was first.
    func place(
        _ index: SigningKeyIndex, _ keys: [SigningKey], insteadOf known: Document?
    ) throws(KeyFileError) -> Bool {
        let text = JSONNode.object([
            ("index", .text(String(decoding: index.json, as: UTF8.self))), ("keys", .texts(keys.map(\.pem))),
        ])
        return try document.place(text.serialized, insteadOf: known?.version)
    }

    private func document(_ version: SealedDocument.Version) -> Document? {
        guard let root = try? JSONNode.parse(version.text.span),
            let json = root["index"]?.string.map({ Array($0.utf8) }),
            let index = try? SigningKeyIndex(json: json.span), index.generation > 0
        else { return nil }
        let keys = root["keys"]?.array?.compactMap { pem in
            pem.string.flatMap { try? SigningKey(pem: $0, algorithm: algorithm) }
        }
        guard let keys, keys.map({ JSONWebKey($0, kid: nil).thumbprint }) == index.keys.map(\.keyID) else { return nil }
        return Document(index: index, keys: keys, version: version)
    }
}
