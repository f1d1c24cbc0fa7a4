import Bytes
import Configuration
import Crypto
import Gateway
import JOSE
import Model
import Reactor

/// The signing keys of an algorithm of the token service in files: `keyFile` with the active key, and once they are rotated an index beside
/// it and a PEM file for each key of the index. Keys that gateways share are in the store too, and the files are a copy.
struct SigningKeyFiles: Sendable {
    let keyFile: String
    let indexFile: String
    /// How the paths of the PEM files begin.
    private let stem: String
    let algorithm: SignatureAlgorithm
    /// Nil for keys of this directory alone.
    let sharedKeys: SharedSigningKeys?

    init(at place: SigningKeyPlace, _ configuration: GatewayConfiguration, _ store: RetainedStore.Opened?) {
        sharedKeys = store.flatMap { SharedSigningKeys(of: place.algorithm, configuration, $0) }
        keyFile = place.keyFile
        indexFile = place.indexFile
        stem = place.stem
        algorithm = place.algorithm
    }

    private var directory: String { FilePath.directory(of: indexFile) }

    private func path(of key: SigningKeyEntry) -> String { "\(directory)/\(key.file)" }

    // MARK: Reading

    /// The index; nil if the keys have not been rotated yet.
    func index() throws(KeyFileError) -> SigningKeyIndex? {
        guard let text = try KeyFile.read(indexFile) else { return nil }
        do throws(SigningKeyError) {
            return try SigningKeyIndex(json: text.span)
        } catch {
            throw KeyFileError(message: "\(indexFile): \(error.message)")
        }
    }

    /// The index, or what it would be with the key file alone; nil without keys.
    func currentIndex(now: Int64) throws(KeyFileError) -> SigningKeyIndex? {
        if let index = try index() { return index }
        guard let key = try KeyFile.existingSigningKey(at: keyFile, algorithm: algorithm) else { return nil }
        let created = (try? FileStatus(target)).map { min(now, $0.modified) } ?? now
        return SigningKeyIndex(active: entry(of: key, createdAt: max(0, created)))
    }

    /// The same of the store, for shared keys.
    func newestIndex(now: Int64) throws(KeyFileError) -> SigningKeyIndex? {
        if let stored = try sharedKeys?.read() { stored.index } else { try currentIndex(now: now) }
    }

    /// The keys in use; nil without an index.
    func ring(now: Int64) throws(KeyFileError) -> SigningKeyRing? {
        var index = try index()
        while let known = index {
            do throws(KeyFileError) {
                return try ring(of: known, now: now)
            } catch {
                // Another process may have removed a key since the index was read.
                let fresh = try self.index()
                if fresh == known { throw error }
                index = fresh
            }
        }
        return nil
    }

    private func ring(of index: SigningKeyIndex, now: Int64) throws(KeyFileError) -> SigningKeyRing {
        if let key = try KeyFile.existingSigningKey(at: keyFile, algorithm: algorithm),
            let keyID = JSONWebKey(key, kid: nil).thumbprint,
            !index.keys.contains(where: { $0.keyID.isExactly(keyID) })
        {
            throw KeyFileError(
                message: "\(keyFile) holds the key \"\(keyID)\", which \(indexFile) does not list; "
                    + "restore the file, or remove the index to sign with this key alone")
        }
        var keys: [SigningKey] = []
        for entry in index.accepted(at: now) { keys.append(try key(of: entry)) }
        return SigningKeyRing(active: keys[0], others: Array(keys.dropFirst()))
    }

    private func keys(of index: SigningKeyIndex) throws(KeyFileError) -> [SigningKey] {
        var keys: [SigningKey] = []
        for entry in index.keys { keys.append(try key(of: entry)) }
        return keys
    }

    private func key(of entry: SigningKeyEntry) throws(KeyFileError) -> SigningKey {
        let path = path(of: entry)
        guard let key = try KeyFile.existingSigningKey(at: path, algorithm: algorithm) else {
            throw KeyFileError(message: "\(path) is missing; \(indexFile) lists it as \(entry.state.rawValue) key")
        }
        let keyID = JSONWebKey(key, kid: nil).thumbprint ?? ""
        guard keyID.isExactly(entry.keyID) else {
            throw KeyFileError(
                message: "\(path) holds the key \"\(keyID)\"; \(indexFile) lists it as \"\(entry.keyID)\"")
        }
        return key
    }

    // MARK: Changing

    /// Changes the index under the lock of its directory. An unchanged one is not written.
    /// - Parameter edit: gets the index and a function that makes a key.
    func change<Value>(
        now: Int64,
        _ edit: (inout SigningKeyIndex, () throws(AdminFailure) -> SigningKeyEntry) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> Value {
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        guard try failing({ () throws(KeyFileError) in try currentIndex(now: now) }) != nil else {
            throw .conflict("there is no signing key yet; the gateway creates it at its first start")
        }
        let stored: SharedSigningKeys.Document? = try failing { () throws(KeyFileError) in
            if let sharedKeys { try reconcile(with: sharedKeys, now: now) } else { nil }
        }
        let (old, current) = try failing { () throws(KeyFileError) in (try index(), try currentIndex(now: now)) }
        guard var index = current else { throw .changedMeanwhile }
        var made: [SigningKeyEntry] = []
        do throws(AdminFailure) {
            let value = try edit(&index) { () throws(AdminFailure) in
                let entry = try failing { () throws(KeyFileError) in try make(now: now) }
                made.append(entry)
                return entry
            }
            guard index != old, old != nil || index != current else { return value }
            if sharedKeys != nil || index.generation > 0 { index.generation += 1 }
            let isPlaced = try failing { () throws(KeyFileError) in
                try sharedKeys?.place(index, keys(of: index), insteadOf: stored) ?? true
            }
            guard isPlaced else { throw .changedMeanwhile }
            try failing { () throws(KeyFileError) in try write(index, insteadOf: old, activeBefore: current?.active) }
            return value
        } catch {
            for entry in made { try? FileSystem.remove(path(of: entry)) }
            throw error
        }
    }

    /// The files of keys come before the index that lists them, and go after it: each index that is read is complete.
    private func write(
        _ index: SigningKeyIndex, insteadOf old: SigningKeyIndex?, activeBefore: SigningKeyEntry?
    ) throws(KeyFileError) {
        if old == nil, let first = activeBefore, let text = try KeyFile.read(keyFile) {
            try replace(path(of: first), with: text)
        }
        // For a program that does not know the index. A failure after this leaves a key that the index lists.
        if index.active.keyID != activeBefore?.keyID, let text = try KeyFile.read(path(of: index.active)) {
            try replace(target, with: text)
        }
        try replace(indexFile, with: index.json)
        for key in old?.keys ?? [activeBefore].compactMap(\.self)
        where !index.keys.contains(where: { $0.file == key.file }) {
            try? FileSystem.remove(path(of: key))
        }
    }

    // MARK: The store

    /// Brings the files and the store to the newer of both.
    func followStore(now: Int64) throws(KeyFileError) {
        guard let sharedKeys else { return }
        // The usual case, without the lock.
        if let stored = try sharedKeys.read(), !stored.isByFormerKey, try index() == stored.index { return }
        try KeyFile.makeDirectory(directory)
        do throws(AdminFailure) {
            let lock = try DirectoryLock(directory)
            defer { withExtendedLifetime(lock) {} }
            _ = try failing { () throws(KeyFileError) in try reconcile(with: sharedKeys, now: now) }
        } catch {
            throw KeyFileError(message: error.detail, isTransient: error.reason == .unavailable)
        }
    }

    /// The document of the store, once the files are the same. The lock is held.
    private func reconcile(
        with sharedKeys: SharedSigningKeys, now: Int64
    ) throws(KeyFileError) -> SharedSigningKeys.Document {
        for _ in 0..<SigningKeyFiles.attempts {
            let old = try index()
            let stored = try sharedKeys.read()
            if let stored, stored.index.generation >= old?.generation ?? 0 {
                if stored.index != old { try take(stored, insteadOf: old, now: now) }
                if !stored.isByFormerKey { return stored }
                // The next attempt finds it sealed by the key in use, here or by another gateway.
                _ = try sharedKeys.place(stored.index, stored.keys, insteadOf: stored)
                continue
            }
            // The store has no keys yet, or has lost changes, as after a failover. If another gateway is first, the next
            // attempt finds its keys.
            var index: SigningKeyIndex
            let keys: [SigningKey]
            if let old {
                (index, keys) = (old, try self.keys(of: old))
            } else {
                let kept = try KeyFile.existingSigningKey(at: keyFile, algorithm: algorithm)
                let key = if let kept { kept } else { try KeyFile.generate(algorithm) }
                index = try currentIndex(now: now) ?? SigningKeyIndex(active: entry(of: key, createdAt: now))
                keys = [key]
            }
            index.generation = max(1, index.generation)
            _ = try sharedKeys.place(index, keys, insteadOf: stored)
        }
        throw KeyFileError(message: "the signing keys in the store keep changing", isTransient: true)
    }

    private static let attempts = 8

    /// Writes the keys of the store to the files.
    private func take(
        _ stored: SharedSigningKeys.Document, insteadOf old: SigningKeyIndex?, now: Int64
    ) throws(KeyFileError) {
        let before = try currentIndex(now: now)?.active
        // A later generation has come of the one here. Others have not, such as that of a gateway which found the store
        // emptied, and must not end the tokens of keys that they do not know.
        let own =
            old.map { (1..<stored.index.generation).contains($0.generation) ? [] : $0.keys }
            ?? [before].compactMap(\.self)
        if let lost = own.first(where: { key in
            !key.hasEnded(at: now) && !stored.index.keys.contains { $0.keyID.isExactly(key.keyID) }
        }) {
            throw KeyFileError(
                message:
                    "\(keyFile) or its index has the key \"\(lost.keyID)\", which is not one of those in the store; "
                    + "remove both to sign with those, after the last token of this key has ended")
        }
        for (entry, key) in zip(stored.index.keys, stored.keys) {
            let text = Array(key.pem.utf8)
            if try KeyFile.read(path(of: entry)) != text { try replace(path(of: entry), with: text) }
        }
        try write(stored.index, insteadOf: old, activeBefore: before)
    }

    private func make(now: Int64) throws(KeyFileError) -> SigningKeyEntry {
        let key = try KeyFile.generate(algorithm)
        let entry = entry(of: key, createdAt: now)
        try replace(path(of: entry), with: Array(key.pem.utf8))
        return entry
    }

    private func entry(of key: SigningKey, createdAt: Int64) -> SigningKeyEntry {
        let keyID = JSONWebKey(key, kid: nil).thumbprint ?? ""
        return SigningKeyEntry(
            keyID: keyID, file: "\(FilePath.name(of: stem))-\(keyID).pem", createdAt: createdAt)
    }

    /// The key file itself, or the target of a symbolic link.
    private var target: String { FileSystem.resolved(keyFile) }

    /// The lock is held.
    private func replace(_ path: String, with text: [UInt8]) throws(KeyFileError) {
        try KeyFile.replace(path, with: text, likeOwnerOf: target)
    }

    private func failing<Value>(_ body: () throws(KeyFileError) -> Value) throws(AdminFailure) -> Value {
        do throws(KeyFileError) { return try body() } catch { throw AdminFailure(error) }
    }
}
