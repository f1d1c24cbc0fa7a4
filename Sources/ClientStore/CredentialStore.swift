import Bytes
import Crypto
import Reactor

/// User names, passwords, properties and tokens in a file that is encrypted with AES-256-GCM (CRED-01, CRED-02). The
/// key is in a file next to it. Only their owner can read the files.
///
/// The files are `credentials`, `credentials.key` and `credentials.lock`. A change replaces the file atomically;
/// changes of several threads and processes are serialised.
public final class CredentialStore: Sendable {
    /// The directory of the files; the first change creates it with mode 0700.
    public let directory: String
    private let isHostBound: Bool

    private static let header = Array("portcullis store 1\n".utf8)

    /// - Parameters:
    ///   - directory: the directory of the files.
    ///   - isHostBound: whether the files can only be decrypted on this machine (OMS-20), identified by
    ///     `/etc/machine-id`.
    public init(directory: String, isHostBound: Bool = true) {
        self.directory = directory
        self.isHostBound = isHostBound
    }

    /// The entry, if there was ever one. A deleted entry has neither user nor password.
    public func credential(url: String, tenant: String? = nil) throws(ClientError) -> StoredCredential? {
        try read().credentials.first { CredentialStore.isSame($0, url, tenant) }
    }

    /// Adds an entry, or replaces the one with this URL and tenant.
    public func add(_ credential: StoredCredential) throws(ClientError) {
        guard !credential.url.isEmpty else { throw ClientError(.invalidEntry, "the URL of a credential is empty") }
        try change { contents in
            let index = contents.credentials.firstIndex {
                CredentialStore.isSame($0, credential.url, credential.tenant)
            }
            if let index {
                contents.credentials[index] = credential
            } else {
                contents.credentials.append(credential)
            }
        }
    }

    /// The same as `add`, for compatibility with the mobile client kit.
    public func update(_ credential: StoredCredential) throws(ClientError) { try add(credential) }

    /// Sets user and password to null. The entry is kept, so that it differs from one that never existed.
    public func delete(url: String, tenant: String? = nil) throws(ClientError) {
        try change { contents in
            let index = contents.credentials.firstIndex { CredentialStore.isSame($0, url, tenant) }
            if let index {
                contents.credentials[index] = StoredCredential(url: url, tenant: tenant, user: nil, password: nil)
            }
        }
    }

    public func property(_ key: String) throws(ClientError) -> StoredProperty? {
        try read().properties.first { $0.key.isExactly(key) }
    }

    /// Adds or replaces a property.
    public func store(_ property: StoredProperty) throws(ClientError) {
        guard !property.key.isEmpty else { throw ClientError(.invalidEntry, "the key of a property is empty") }
        try change { contents in
            contents.properties.removeAll { $0.key.isExactly(property.key) }
            contents.properties.append(property)
        }
    }

    /// Deletes everything, the key included (OMS-16), even if the store cannot be opened.
    public func removeAll() throws(ClientError) {
        guard FileSystem.exists(directory) else { return }
        let lock = try lock()
        // The key last: a key without a file is an empty store, but a file without its key cannot be opened.
        for path in [path, keyPath] {
            do throws(KernelError) {
                try FileSystem.remove(path)
            } catch  where error.isMissingPath {
                continue
            } catch {
                throw ClientError(.storeFailed, "\(path) cannot be removed: \(error.text)")
            }
        }
        lock.release()
    }

    /// The stored state of the client, if any.
    package func storedSession() throws(ClientError) -> JSONNode? { try read().session }

    package func changeStoredSession(_ body: (inout JSONNode?) throws(ClientError) -> Void) throws(ClientError) {
        try change { contents throws(ClientError) in try body(&contents.session) }
    }

    /// The stored text is not what this program writes.
    package var damaged: ClientError {
        unreadable("it was made with another key or on another machine, or is damaged")
    }

    private static func isSame(_ entry: StoredCredential, _ url: String, _ tenant: String?) -> Bool {
        entry.url.isExactly(url) && (entry.tenant ?? "").utf8.elementsEqual((tenant ?? "").utf8)
    }
}

extension CredentialStore {
    private var path: String { "\(directory)/credentials" }
    private var keyPath: String { "\(path).key" }

    private func read() throws(ClientError) -> StoreContents {
        let sealed: [UInt8]
        do throws(KernelError) {
            sealed = try FileSystem.read(path)
        } catch  where error.isMissingPath {
            return StoreContents()
        } catch {
            throw unreadable("it cannot be read: \(error.text)")
        }
        guard sealed.starts(with: CredentialStore.header) else { throw unreadable("it is no credential store") }
        guard let key = try key() else { throw unreadable("its key \(keyPath) is missing") }
        let bytes = Array(sealed.dropFirst(CredentialStore.header.count))
        guard let text = key.open(bytes.span, authenticating: binding.span), let contents = StoreContents(text) else {
            throw damaged
        }
        return contents
    }

    /// Creates a directory that only its owner can access, unless it exists.
    package static func makeDirectory(_ directory: String) throws(ClientError) {
        do throws(KernelError) {
            try FileSystem.makeDirectory(directory, mode: 0o700)
        } catch {
            throw ClientError(.storeFailed, "the directory \(directory) cannot be created: \(error.text)")
        }
    }

    private func change(_ body: (inout StoreContents) throws(ClientError) -> Void) throws(ClientError) {
        try CredentialStore.makeDirectory(directory)
        let lock = try lock()
        var contents = try read()
        let before = contents.text
        try body(&contents)
        let text = contents.text
        if text != before {
            let kept = try key()
            let key = if let kept { kept } else { try makeKey() }
            try write(CredentialStore.header + key.seal(text.span, authenticating: binding.span), to: path)
        }
        lock.release()
    }

    /// Locks the files for a change.
    private func lock() throws(ClientError) -> FileLock {
        do throws(KernelError) {
            return try FileLock("\(path).lock")
        } catch {
            throw failed(error)
        }
    }

    /// The key of the file, if it exists.
    private func key() throws(ClientError) -> AEADKey? {
        guard let mode = (try? FileStatus(keyPath))?.mode else { return nil }
        guard mode & 0o077 == 0 else { throw unreadable("its key \(keyPath) is open to others; chmod 600 it") }
        guard let bytes = try? FileSystem.read(keyPath), let key = AEADKey(bytes.span) else {
            throw unreadable("its key \(keyPath) is not one of 32 bytes")
        }
        return key
    }

    /// Created once, under the lock.
    private func makeKey() throws(ClientError) -> AEADKey {
        let bytes = SecureRandom.bytes(32)
        try write(bytes, to: keyPath)
        guard let key = AEADKey(bytes.span) else { throw unreadable("its key cannot be used") }
        return key
    }

    private func write(_ bytes: [UInt8], to path: String) throws(ClientError) {
        do throws(KernelError) {
            try AtomicFile.replace(path, with: bytes)
        } catch {
            throw failed(error)
        }
    }

    /// The authenticated data of the encryption.
    private var binding: [UInt8] {
        CredentialStore.header + (isHostBound ? (try? FileSystem.read("/etc/machine-id")) ?? [] : [])
    }

    private func failed(_ error: KernelError) -> ClientError {
        ClientError(.storeFailed, "\(path) cannot be written: \(error.text)")
    }

    private func unreadable(_ why: String) -> ClientError {
        ClientError(.storeUnreadable, "the credential store \(path) cannot be opened: \(why)")
    }
}
