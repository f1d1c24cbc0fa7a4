import Bytes
import Configuration
import Crypto
import JOSE
import Model
import TokenStorage

/// The signing keys of an algorithm of all gateways with one store: a document there with index and keys, sealed by `store.key`, which is
/// replaced as a whole.
struct SharedSigningKeys: Sendable {
    /// What the store holds.
    struct Document {
        let index: SigningKeyIndex
        /// In the order of the index.
        let keys: [SigningKey]
        /// Whether a former `store.key` has sealed it.
        let isByFormerKey: Bool
        fileprivate let sealed: [UInt8]
    }

    private let server: any StoreServer
    private let storeKey: TokenDigestKey
    private let algorithm: SignatureAlgorithm
    /// Of the document in the store.
    private let name: String
    /// What the seal is bound to; no record of a token has an id with blanks.
    private let purpose: String

    /// Nil if the gateway shares no keys, or has started with another store.
    init?(of algorithm: SignatureAlgorithm, _ configuration: GatewayConfiguration, _ opened: RetainedStore.Opened) {
        guard configuration.tokenService.sharesKeys, let server = opened.server else { return nil }
        self.server = server
        storeKey = opened.key
        self.algorithm = algorithm
        name = "signing-keys:\(algorithm.rawValue)"
        purpose = "portcullis signing keys 1 \(algorithm.rawValue) \(server.partition)"
    }

    /// The keys in the store; nil if it has none.
    func read() throws(KeyFileError) -> Document? {
        let sealed = try ask(replacing: nil)
        if sealed.isEmpty { return nil }
        guard let text = storeKey.open(sealed, id: purpose) else {
            throw KeyFileError(
                message: "the signing keys in the store at \(server.place) cannot be opened: another \"store.key\" "
                    + "has sealed them, or they were changed; all gateways of a store need the same \"store.key\"")
        }
        guard let document = document(text, sealed) else {
            throw KeyFileError(
                message: "the signing keys in the store at \(server.place) are damaged, or of another version")
        }
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
        let sealed = storeKey.seal(text.serialized, id: purpose)
        return try ask(replacing: (known: known?.sealed ?? [], text: sealed)) == sealed
    }

    private func document(_ text: [UInt8], _ sealed: [UInt8]) -> Document? {
        guard let root = try? JSONNode.parse(text.span), let json = root["index"]?.string.map({ Array($0.utf8) }),
            let index = try? SigningKeyIndex(json: json.span), index.generation > 0
        else { return nil }
        let keys = root["keys"]?.array?.compactMap { pem in
            pem.string.flatMap { try? SigningKey(pem: $0, algorithm: algorithm) }
        }
        guard let keys, keys.map({ JSONWebKey($0, kid: nil).thumbprint }) == index.keys.map(\.keyID) else { return nil }
        return Document(
            index: index, keys: keys, isByFormerKey: storeKey.isByFormer(sealed, id: purpose), sealed: sealed)
    }

    private func ask(replacing change: (known: [UInt8], text: [UInt8])?) throws(KeyFileError) -> [UInt8] {
        do throws(StoreServerFailure) {
            return try server.document(name, replacing: change)
        } catch {
            throw KeyFileError(
                message: "the store at \(server.place), which has the signing keys, has failed: \(error.text)",
                isTransient: true)
        }
    }
}
