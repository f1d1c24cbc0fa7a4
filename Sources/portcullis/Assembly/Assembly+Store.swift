import Bytes
import Configuration
import Crypto
import Foundation
import Gateway
import Identity
import Model
import Reactor
import TokenStorage

extension Assembly {
    /// The store of the process, opened where this is its first configuration. Nil with an error among the diagnostics.
    mutating func tokenStore() -> LastingStore.Opened? {
        if let opened = lasting.store.opened { return opened }
        let section = configuration.store
        guard let key = storeKey(), let (store, line) = openStore(section) else { return nil }
        var settings = RevocationFollower.Settings()
        settings.staleAfter = section.staleAfter.milliseconds
        settings.whenUnavailable = section.whenUnavailable
        lasting.withdrawn.use { String(decoding: Base64.encode(key.digest($0).span, .url), as: UTF8.self) }
        let follower = RevocationFollower(
            store, list: lasting.revocations, withdrawn: lasting.withdrawn,
            isShared: lasting.isServing && section.kind != .memory,
            settings: settings, log: lasting.log, now: Clock.monotonicMilliseconds)
        let opened = LastingStore.Opened(
            tokens: follower, key: key,
            life: section.kind == .memory ? SecureRandom.text(16) : "", redis: line)
        lasting.store.keep(opened)
        return opened
    }

    private mutating func storeKey() -> TokenDigestKey? {
        let section = configuration.store
        var bytes = section.key
        // Nothing in memory outlives the key, and `check` makes none.
        let isMade = makesKeys && section.kind != .memory
        if bytes == nil, !isMade, !FileManager.default.fileExists(atPath: section.keyFile) {
            bytes = SecureRandom.bytes(TokenDigestKey.length)
        }
        do throws(KeyFileError) {
            let key = if let bytes { bytes } else { try KeyFile.symmetricKey(at: section.keyFile) }
            if let key = TokenDigestKey(key) { return key }
            error("/store/key", "the key must have \(TokenDigestKey.length) bytes")
        } catch {
            self.error("/store/keyFile", error.message)
        }
        return nil
    }

    /// Commands other than `serve` have nothing to keep, and leave the file alone.
    private mutating func openStore(_ section: StoreSection) -> (any TokenStore, RedisLine?)? {
        switch section.kind {
        case .memory: return (MemoryTokenStore(), nil)
        case .redis:
            guard let entry = section.redis, let line = redisLine(entry, section) else { return nil }
            guard lasting.isServing else { return (MemoryTokenStore(), nil) }
            // A command has `timeout`, and what it waits for half of that.
            let store = RedisTokenStore(
                channel: line, keyPrefix: entry.keyPrefix, replicas: entry.replicas,
                patience: section.timeout.milliseconds / 2, clock: ServerClock(log: lasting.log))
            return (store, line)
        case .sqlite:
            #if SQLite
                return lasting.isServing ? openSQLite(section).map { ($0, nil) } : (MemoryTokenStore(), nil)
            #else
                // DEC-10
                error("/store/kind", "this program was built without SQLite (swift build --traits SQLite)")
                return nil
            #endif
        }
    }

    #if SQLite
        private mutating func openSQLite(_ section: StoreSection) -> (any TokenStore)? {
            let queue = SerialQueue(label: "portcullis.store")
            do throws(KeyFileError) {
                try KeyFile.makePrivate(section.path)
            } catch {
                self.error("/store/path", error.message)
                return nil
            }
            let (revocations, withdrawn) = (lasting.revocations, lasting.withdrawn)
            let (log, path) = (lasting.log, section.path)
            do throws(SQLiteOpenError) {
                return try SQLiteTokenStore(
                    path: path, patience: Int32(section.timeout.milliseconds),
                    known: {
                        let now = Clock.wallSeconds
                        return revocations.denyEntries(now: now) + withdrawn.entries(now: now)
                    },
                    report: { Assembly.write($0, of: path, to: log) }, executor: { queue.submit($0) })
            } catch {
                self.error("/store/path", "\(section.path) \(error.text)")
                return nil
            }
        }

        private static func write(_ event: StoreFileEvent, of path: String, to log: EventLog) {
            let path = ("path", EventLog.Value.text(path))
            switch event {
            case .lost(let reason): log.write("store_file_lost", [path, ("reason", .text(reason))])
            case .failed(let reason): log.write("store_file_failed", [path, ("reason", .text(reason))])
            case .restored(let contents):
                log.write("store_file_restored", [path, ("contents", .text(contents.rawValue))])
            case .amended(let count): log.write("store_file_amended", [path, ("revocations", .number(count))])
            }
        }
    #endif
}
