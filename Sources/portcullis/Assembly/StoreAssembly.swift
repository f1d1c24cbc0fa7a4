import Bytes
import Configuration
import Crypto
import Gateway
import Identity
import Model
import Reactor
import TokenStorage

/// The store of tokens.
struct StoreAssembly: AssemblyPart {
    let context: AssemblyContext

    /// The store of the process, opened where this is its first configuration. Nil with an error among the diagnostics.
    func tokenStore() -> RetainedStore.Opened? {
        if let opened = retained.store.opened { return rekeyed(opened) }
        let section = configuration.store
        guard let key = section.tokenKey(context), let (store, line) = openStore(section) else { return nil }
        var settings = RevocationFollower.Settings()
        settings.staleAfter = section.staleAfter.milliseconds
        settings.whenUnavailable = section.whenUnavailable
        retained.withdrawn.use { key.keyedNames(of: Array($0.utf8)) }
        let follower = RevocationFollower(
            RekeyedTokenStore(store, key: key), list: retained.revocations, withdrawn: retained.withdrawn,
            isShared: retained.isServing && section.kind != .memory,
            settings: settings, log: retained.log, now: Clock.monotonicMilliseconds)
        let sessions = SessionRegister(store: follower) { [families = retained.families] record in
            families.flatMap { $0.remains(of: record) }
        }
        let opened = RetainedStore.Opened(
            tokens: follower, sessions: sessions, key: key,
            life: section.kind == .memory ? SecureRandom.text(16) : "", redis: line)
        retained.store.keep(opened)
        return opened
    }

    /// Reads the keys of a reload. The key in use must be among them, since a mistake would end all tokens.
    private func rekeyed(_ opened: RetainedStore.Opened) -> RetainedStore.Opened? {
        let section = configuration.store
        let isInFile = section.keys.isEmpty
        // A key that was made for a store in memory is in no configuration.
        if isInFile, !FileSystem.exists(section.keyFile) { return opened }
        guard let key = section.tokenKey(context) else { return nil }
        guard opened.key.isKnown(to: key) else {
            if opened.endsWithProcess, isInFile { return opened }
            context.report(
                isInFile ? "/store/keyFile" : "/store/key", "the key of the store in use is not among the keys",
                expected: "the new key first, and the former one after it until no record needs it", severity: .error)
            return nil
        }
        var opened = opened
        opened.nextKey = key
        return opened
    }

    /// Commands other than `serve` have nothing to keep, and leave the file alone.
    private func openStore(_ section: StoreSection) -> (any TokenStore, RedisLine?)? {
        switch section.kind {
        case .memory: return (MemoryTokenStore(), nil)
        case .redis:
            guard let entry = section.redis, let line = redisLine(entry, section) else { return nil }
            guard retained.isServing else { return (MemoryTokenStore(), line) }
            // A command has `timeout`, and what it waits for half of that.
            let store = RedisTokenStore(
                channel: line, keyPrefix: entry.keyPrefix, replicas: entry.replicas,
                patience: section.timeout.milliseconds / 2, clock: ServerClock(log: retained.log))
            return (store, line)
        case .sqlite:
            #if SQLite
                return retained.isServing ? openSQLite(section).map { ($0, nil) } : (MemoryTokenStore(), nil)
            #else
                // DEC-10
                context.error("/store/kind", "this program was built without SQLite (swift build --traits SQLite)")
                return nil
            #endif
        }
    }

    /// The way to the server that keeps the tokens. Nil with an error among the diagnostics.
    private func redisLine(_ entry: RedisEntry, _ section: StoreSection) -> RedisLine? {
        guard let target = ServerSettings.Target(entry.place) else { return nil }
        var server = RedisServer(target)
        server.session.username = entry.username
        server.session.password = entry.password?.value
        server.session.database = entry.database
        server.session.timeout = section.timeout.milliseconds
        if let tls = entry.tls {
            guard var identity = ClientTLSAssembly(context: context).clientIdentity(tls, at: "/store/tls") else {
                return nil
            }
            identity.speaksHTTP = false
            guard let context = ClientTLSAssembly(context: context).clientContext(identity, at: "/store/tls") else {
                return nil
            }
            server.tls = UpstreamTLS(context, serverName: tls.serverName)
        }
        return RedisLine(server)
    }

    #if SQLite
        private func openSQLite(_ section: StoreSection) -> (any TokenStore)? {
            let queue = SerialQueue(label: "portcullis.store")
            do throws(KeyFileError) {
                try KeyFile.makePrivate(section.path)
            } catch {
                context.error("/store/path", error.message)
                return nil
            }
            let (revocations, withdrawn) = (retained.revocations, retained.withdrawn)
            let (log, path) = (retained.log, section.path)
            do throws(SQLiteOpenError) {
                return try SQLiteTokenStore(
                    path: path, patience: Int32(section.timeout.milliseconds),
                    known: {
                        let now = Clock.wallSeconds
                        return revocations.denyEntries(now: now) + withdrawn.entries(now: now)
                    },
                    report: { StoreAssembly.write($0, of: path, to: log) }, executor: { queue.submit($0) })
            } catch {
                context.error("/store/path", "\(section.path) \(error.text)")
                return nil
            }
        }

        private static func write(_ event: StoreFileEvent, of path: String, to log: EventLog) {
            let path = ("path", EventLog.Value.text(path))
            switch event {
            case .lost(let reason): log.write(.storeFileLost, [path, ("reason", .text(reason))])
            case .failed(let reason): log.write(.storeFileFailed, [path, ("reason", .text(reason))])
            case .restored(let contents):
                log.write(.storeFileRestored, [path, ("contents", .text(contents.rawValue))])
            case .amended(let count): log.write(.storeFileAmended, [path, ("revocations", .number(count))])
            }
        }
    #endif
}

extension StoreSection {
    /// The keys of the section; nil with an error among the diagnostics.
    fileprivate func tokenKey(_ context: AssemblyContext) -> TokenDigestKey? {
        var keys = keys
        // Nothing in memory outlives the key, and `check` makes none.
        let isMade = context.makesKeys && kind != .memory
        if keys.isEmpty, !isMade, !FileSystem.exists(keyFile) {
            keys = [SecureRandom.bytes(TokenDigestKey.length)]
        }
        let place = keys.isEmpty ? "/store/keyFile" : "/store/key"
        do throws(KeyFileError) {
            if keys.isEmpty { keys = try KeyFile.symmetricKeys(at: keyFile) }
            if let key = TokenDigestKey(keys: keys) { return key }
            context.report(
                place, "a key of the store is given twice",
                expected: "different keys of \(TokenDigestKey.length) bytes", severity: .error)
        } catch {
            context.error(place, error.message)
        }
        return nil
    }
}
