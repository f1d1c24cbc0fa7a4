import TokenStorage

/// A document in the store of several gateways, sealed by `store.key` and replaced as a whole.
struct SealedDocument: Sendable {
    /// What the store holds.
    struct Version {
        let text: [UInt8]
        /// Whether a former `store.key` has sealed it.
        let isByFormerKey: Bool
        fileprivate let sealed: [UInt8]
    }

    private let server: any StoreServer
    private let storeKey: TokenDigestKey
    private let name: String
    /// What the seal is bound to; no record of a token has an id with blanks.
    private let purpose: String
    /// For messages, in the plural.
    private let content: String

    /// - Parameters:
    ///   - purpose: with blanks; the partition of the store is added.
    ///   - content: such as `signing keys`, for messages.
    init(_ name: String, purpose: String, content: String, in server: any StoreServer, _ storeKey: TokenDigestKey) {
        self.server = server
        self.storeKey = storeKey
        self.name = name
        self.purpose = "\(purpose) \(server.partition)"
        self.content = content
    }

    /// The document; nil if the store has none.
    func read() throws(KeyFileError) -> Version? {
        let sealed = try ask(replacing: nil)
        if sealed.isEmpty { return nil }
        guard let text = storeKey.open(sealed, id: purpose) else {
            throw KeyFileError(
                message: "the \(content) in the store at \(server.place) cannot be opened: another \"store.key\" "
                    + "has sealed them, or they were changed; all gateways of a store need the same \"store.key\"")
        }
        return Version(text: text, isByFormerKey: storeKey.isByFormer(sealed, id: purpose), sealed: sealed)
    }

    /// Replaces the version that was read, or makes one where there was none.
    /// - Returns: whether it is in the store; false if another gateway was first.
    func place(_ text: [UInt8], insteadOf known: Version?) throws(KeyFileError) -> Bool {
        let sealed = storeKey.seal(text, id: purpose)
        return try ask(replacing: (known: known?.sealed ?? [], text: sealed)) == sealed
    }

    /// The error of a document that is not what gateways write.
    var damage: KeyFileError {
        KeyFileError(message: "the \(content) in the store at \(server.place) are damaged, or of another version")
    }

    private func ask(replacing change: (known: [UInt8], text: [UInt8])?) throws(KeyFileError) -> [UInt8] {
        do throws(StoreServerFailure) {
            return try server.document(name, replacing: change)
        } catch {
            throw KeyFileError(
                message: "the store at \(server.place), which has the \(content), has failed: \(error.text)",
                isTransient: true)
        }
    }
}
