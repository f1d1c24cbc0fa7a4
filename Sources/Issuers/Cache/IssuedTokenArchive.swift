import Bytes
import Identity
import Synchronization
import TokenStorage

/// Issued tokens in the token store, so that a restarted process makes no calls for them (CACHE-10).
///
/// A token is written when issued, sealed with the store's key, and removed together with the cached token. Records are
/// read once at start; each is taken over when its caller appears.
package final class IssuedTokenArchive: Sendable {
    /// One record.
    private struct Entry {
        var subject: [UInt8]
        var client: [UInt8]
        var configuration: [UInt8]
        /// Seconds since 1970 from which the record is useless.
        var until: Int64
        /// Nil once taken over by the cache.
        var token: IssuedToken?
    }

    private struct Index {
        var entries: [String: Entry] = [:]
        var namesBySubject: [[UInt8]: Set<String>] = [:]

        mutating func insert(_ entry: Entry, _ name: String) {
            _ = remove(name)
            entries[name] = entry
            namesBySubject[entry.subject, default: []].insert(name)
        }

        mutating func remove(_ name: String) -> Bool {
            guard let entry = entries.removeValue(forKey: name) else { return false }
            namesBySubject[entry.subject]?.remove(name)
            if namesBySubject[entry.subject]?.isEmpty == true { namesBySubject[entry.subject] = nil }
            return true
        }
    }

    private let store: any TokenStore
    private let key: TokenDigestKey
    private let capacity: Int
    private let index = Mutex(Index())
    /// Number of records that were read and not taken over: one atomic load if there are none.
    private let waiting = Atomic<Int>(0)

    /// `TokenRecord.application` of all these records. No application or client can have this name.
    package static let application = "\u{1f}issued"
    /// Lifetime of a record whose token does not expire.
    private static let longestSeconds: Int64 = 366 * 86_400
    private static let page = 1000

    /// - Parameter capacity: maximum number of records written and read by this process.
    package init(store: any TokenStore, key: TokenDigestKey, capacity: Int) {
        self.store = store
        self.key = key
        self.capacity = capacity
    }

    // MARK: Start

    /// Reads the records of an earlier process, except tokens of callers revoked since.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - then: called at the end with whether it succeeded.
    package func load(now: Int64, then: @escaping @Sendable (Bool) -> Void) {
        let list = StoreOperation.list(application: IssuedTokenArchive.application, subject: nil, limit: capacity)
        store.perform(list, now: now) { [self] result in
            guard case .success(.records(let records)) = result else { return then(false) }
            dropRevoked(after: 0, now: now, kept: records.compactMap { read($0, now: now) }, then)
        }
    }

    /// The deny list names the subjects of revocations but not their times. One unnecessary call is better than a
    /// surviving token.
    private func dropRevoked(
        after place: Int64, now: Int64, kept: [(name: String, entry: Entry)], _ then: @escaping @Sendable (Bool) -> Void
    ) {
        let changes = StoreOperation.changes(after: place, limit: IssuedTokenArchive.page)
        store.perform(changes, now: now) { [self] result in
            guard case .success(.changes(let changes, _)) = result else { return then(false) }
            var (subjects, clients): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
            for entry in changes.map(\.entry) where entry.until > now {
                switch entry.kind {
                case .token: if !entry.subject.isEmpty { subjects.insert(Array(entry.subject.utf8)) }
                case .withdrawn:
                    // A user, a consumer or a client.
                    subjects.insert(Array(entry.holder.utf8))
                    clients.insert(Array(entry.holder.utf8))
                case .subject: subjects.insert(Array(entry.name.utf8))
                case .client: clients.insert(Array(entry.name.utf8))
                case .issuer, .restored, .unknown: break
                }
            }
            let kept = kept.filter { !subjects.contains($0.entry.subject) && !clients.contains($0.entry.client) }
            if let last = changes.last?.sequence, changes.count == IssuedTokenArchive.page {
                return dropRevoked(after: last, now: now, kept: kept, then)
            }
            index.withLock { index in
                for (name, entry) in kept where index.entries[name] == nil {
                    index.insert(entry, name)
                    waiting.add(1, ordering: .relaxed)
                }
            }
            then(true)
        }
    }

    private func read(_ record: TokenRecord, now: Int64) -> (name: String, entry: Entry)? {
        guard record.kind == .issued, record.accessLives(at: now),
            let text = key.open(record.sealed, id: record.id), let kept = SealedToken(text)
        else { return nil }
        let entry = Entry(
            subject: Array(record.subject.utf8), client: kept.client, configuration: kept.configuration,
            until: record.accessExpiresAt, token: kept.token)
        return (record.id, entry)
    }

    // MARK: Use

    /// Takes over an earlier process's token for a key, at most once.
    func take(_ injection: InjectionKey) -> IssuedToken? {
        guard waiting.load(ordering: .relaxed) > 0 else { return nil }
        let names = injection.names(key)
        return index.withLock { index in
            for name in names {
                guard let token = index.entries[name]?.token else { continue }
                index.entries[name]?.token = nil
                waiting.subtract(1, ordering: .relaxed)
                return token
            }
            return nil
        }
    }

    /// Writes an issued token.
    func keep(_ token: IssuedToken, for injection: InjectionKey, now: Int64) {
        let names = injection.names(key)
        let name = names[0]
        let principal = injection.principal
        let dependsOnCaller = injection.target.dependsOnCaller
        let end = max(token.expiresAt, token.refresh == nil ? 0 : token.refreshExpiresAt ?? 0)
        let entry = Entry(
            subject: dependsOnCaller ? principal.subjectBytes : [],
            client: dependsOnCaller ? principal.backendBytes : [],
            configuration: injection.target.configurationBytes,
            until: min(end, now + IssuedTokenArchive.longestSeconds))
        let isKept = index.withLock { index in
            if index.entries.count >= capacity, index.entries[name] == nil {
                for (name, entry) in index.entries where entry.until <= now { drop(name, from: &index) }
                if index.entries.count >= capacity { return false }
            }
            drop(name, from: &index)
            index.insert(entry, name)
            return true
        }
        guard isKept else { return }
        var record = TokenRecord(
            id: name, kind: .issued, application: IssuedTokenArchive.application,
            subject: dependsOnCaller ? principal.subject : "", tokenID: "", accessExpiresAt: entry.until,
            issuedAt: token.issuedAt)
        let sealed = SealedToken(token: token, client: entry.client, configuration: entry.configuration)
        record.sealed = key.seal(sealed.json(), id: name)
        store.perform(.insert(record), now: now) { _ in }
        remove(names.dropFirst())
    }

    /// Removes the token of a key.
    func remove(_ injection: InjectionKey) {
        remove(injection.names(key)[...])
    }

    private func remove(_ names: ArraySlice<String>) {
        for name in names where index.withLock({ drop(name, from: &$0) }) {
            store.perform(.revoke(.id(name)), now: 0) { _ in }
        }
    }

    /// Removes all tokens of a subject.
    func remove(subject: [UInt8]) {
        remove { Array($0.namesBySubject[subject] ?? []) }
    }

    /// Removes all tokens of a client, of an issuer's configuration, or all tokens.
    func remove(client: [UInt8]? = nil, configuration: [UInt8]? = nil) {
        remove { index in
            index.entries.filter { _, entry in
                (client ?? entry.client) == entry.client
                    && (configuration ?? entry.configuration) == entry.configuration
            }.map(\.key)
        }
    }

    private func remove(_ choose: (borrowing Index) -> [String]) {
        let names = index.withLock { index in
            let names = choose(index)
            for name in names { drop(name, from: &index) }
            return names
        }
        for name in names { store.perform(.revoke(.id(name)), now: 0) { _ in } }
    }

    @discardableResult
    private func drop(_ name: String, from index: inout Index) -> Bool {
        if index.entries[name]?.token != nil { waiting.subtract(1, ordering: .relaxed) }
        return index.remove(name)
    }
}

/// The sealed content of a record.
private struct SealedToken {
    var token: IssuedToken
    var client: [UInt8]
    var configuration: [UInt8]

    init(token: IssuedToken, client: [UInt8], configuration: [UInt8]) {
        self.token = token
        self.client = client
        self.configuration = configuration
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("value", String(decoding: token.value, as: UTF8.self))
        writer.member("issued", token.issuedAt)
        writer.member("expires", token.expiresAt)
        // Arbitrary bytes, as chosen by the issuer.
        if let refresh = token.refresh {
            writer.member("refresh", String(decoding: Base64.encode(refresh.span, .url), as: UTF8.self))
        }
        if let end = token.refreshExpiresAt { writer.member("refreshExpires", end) }
        writer.member("backend", String(decoding: client, as: UTF8.self))
        writer.member("configuration", String(decoding: configuration, as: UTF8.self))
        writer.endObject()
        return writer.bytes
    }

    /// Nil for input that `json()` does not produce.
    init?(_ text: [UInt8]) {
        guard let node = try? JSONNode.parse(text.span, maximumDepth: 2), let value = node["value"]?.string,
            let issuedAt = node["issued"]?.integer, let expiresAt = node["expires"]?.integer,
            let client = node["backend"]?.string, let configuration = node["configuration"]?.string
        else { return nil }
        var refresh: [UInt8]?
        if let text = node["refresh"]?.string {
            guard let bytes = Base64.decode(Array(text.utf8).span, .url) else { return nil }
            refresh = bytes
        }
        token = IssuedToken(
            value: Array(value.utf8), issuedAt: issuedAt, expiresAt: expiresAt, refresh: refresh,
            refreshExpiresAt: node["refreshExpires"]?.integer)
        guard token.isFitForHeaders else { return nil }
        self.client = Array(client.utf8)
        self.configuration = Array(configuration.utf8)
    }
}
