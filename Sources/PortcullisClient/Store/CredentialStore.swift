import Bytes
import Crypto
import Foundation
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
        guard FileManager.default.fileExists(atPath: directory) else { return }
        let lock = try lock()
        // The key last: a key without a file is an empty store, but a file without its key cannot be opened.
        for path in [path, keyPath] {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch CocoaError.fileNoSuchFile {
                continue
            } catch {
                throw ClientError(.storeFailed, "\(path) cannot be removed")
            }
        }
        lock.release()
    }

    /// The stored state of the client.
    func session() throws(ClientError) -> SessionState { try read().session ?? SessionState() }

    /// Changes the current stored state of the client, and returns the result.
    func changeSession(_ body: (inout SessionState) -> Void) throws(ClientError) -> SessionState {
        var outcome = SessionState()
        try change { contents in
            outcome = contents.session ?? outcome
            body(&outcome)
            contents.session = outcome == SessionState() ? nil : outcome
        }
        return outcome
    }

    private static func isSame(_ entry: StoredCredential, _ url: String, _ tenant: String?) -> Bool {
        entry.url.isExactly(url) && (entry.tenant ?? "").utf8.elementsEqual((tenant ?? "").utf8)
    }
}

extension CredentialStore {
    private var path: String { "\(directory)/credentials" }
    private var keyPath: String { "\(path).key" }

    private func read() throws(ClientError) -> StoreContents {
        guard let sealed = FileManager.default.contents(atPath: path) else {
            if FileManager.default.fileExists(atPath: path) { throw unreadable("it cannot be read") }
            return StoreContents()
        }
        guard sealed.starts(with: CredentialStore.header) else { throw unreadable("it is no credential store") }
        guard let key = try key() else { throw unreadable("its key \(keyPath) is missing") }
        let bytes = Array(sealed.dropFirst(CredentialStore.header.count))
        guard let text = key.open(bytes.span, authenticating: binding.span), let contents = StoreContents(text) else {
            throw unreadable("it was made with another key or on another machine, or is damaged")
        }
        return contents
    }

    /// Creates a directory that only its owner can access, unless it exists.
    static func makeDirectory(_ directory: String) throws(ClientError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ClientError(.storeFailed, "the directory \(directory) cannot be created")
        }
    }

    private func change(_ body: (inout StoreContents) -> Void) throws(ClientError) {
        try CredentialStore.makeDirectory(directory)
        let lock = try lock()
        let before = try read()
        var contents = before
        body(&contents)
        if contents != before {
            let kept = try key()
            let key = if let kept { kept } else { try makeKey() }
            guard let text = contents.text else { throw ClientError(.storeFailed, "the entries cannot be written") }
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
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: keyPath) else { return nil }
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
        guard mode & 0o077 == 0 else { throw unreadable("its key \(keyPath) is open to others; chmod 600 it") }
        guard let bytes = FileManager.default.contents(atPath: keyPath).map({ Array($0) }),
            let key = AEADKey(bytes.span)
        else { throw unreadable("its key \(keyPath) is not one of 32 bytes") }
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
            let draft = try AtomicFile(of: path)
            try draft.write(bytes)
            try draft.replace()
        } catch {
            throw failed(error)
        }
    }

    /// The authenticated data of the encryption.
    private var binding: [UInt8] {
        let machine = isHostBound ? FileManager.default.contents(atPath: "/etc/machine-id") : nil
        return CredentialStore.header + Array(machine ?? Data())
    }

    private func failed(_ error: KernelError) -> ClientError {
        ClientError(.storeFailed, "\(path) cannot be written: \(error.text)")
    }

    private func unreadable(_ why: String) -> ClientError {
        ClientError(.storeUnreadable, "the credential store \(path) cannot be opened: \(why)")
    }
}
