import Identity
import Outbound
import Synchronization

/// The last uses of sessions in this process and, through the store, in others (OMS-09). One for the lifetime of a
/// process. Uses are written to the store once a second. Before a session is declared idle, the store is asked for uses
/// elsewhere.
package final class SessionRegister: SessionActivities {
    private struct Entry {
        let activity: SessionActivity
        /// Latest expiry of the session's tokens seen here.
        var endsAt: Int64
        /// The last use written to the store.
        var written: Int64
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let lastTick = Atomic<Int64>(0)
    private let store: any TokenStore
    private let remains: @Sendable (TokenRecord) -> [String]

    /// Maximum number of uses in one operation.
    private static let batch = 500

    /// - Parameter remains: ids of the records that end with a session's, beside its own.
    package init(store: any TokenStore, remains: @escaping @Sendable (TokenRecord) -> [String] = { _ in [] }) {
        self.store = store
        self.remains = remains
    }

    package func activity(
        of session: String, idleSeconds: Int64, usedAt: Int64, endsAt: Int64
    ) -> SessionActivity {
        entries.withLock { entries in
            if let known = entries[session] {
                known.activity.use(at: usedAt)
                entries[session]?.endsAt = max(known.endsAt, endsAt)
                return known.activity
            }
            let made = SessionActivity(session: session, idleSeconds: idleSeconds, usedAt: usedAt)
            entries[session] = Entry(activity: made, endsAt: endsAt, written: 0)
            return made
        }
    }

    package func confirm(_ activity: SessionActivity, now: Int64) -> Effect<SessionStanding> {
        store.ask(.find(.id(activity.session)), now: now) { [self] result in
            guard case .success(.record(let found)) = result else { return .done(.unknown) }
            guard let record = found else { return .done(.ended) }
            activity.use(at: record.lastUsedAt)
            if !activity.isIdle(at: now) { return .done(.inUse) }
            return store.ask(.revoke(.id(activity.session)), now: now) { [store, remains] result in
                guard case .success = result else { return .done(.unknown) }
                return store.forget(remains(record)[...], now: now).map { .ended }
            }
        }
    }

    /// The last use in this process.
    package func usedAt(_ session: String) -> Int64? { entries.withLock { $0[session]?.activity.usedAt } }

    /// Writes uses to the store. To be called about once a second by any thread; only the first call in a second works.
    /// - Parameter now: seconds since 1970.
    package func tick(now: Int64) {
        let last = lastTick.load(ordering: .relaxed)
        guard last < now,
            lastTick.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        else { return }
        var uses = takeChanged(now: now)
        while !uses.isEmpty {
            // After a failure of the store, the next use is written.
            store.perform(.touch(Array(uses.prefix(SessionRegister.batch))), now: now) { _ in }
            uses = Array(uses.dropFirst(SessionRegister.batch))
        }
    }

    /// The uses not written yet. Removes sessions whose tokens have expired; the store has them.
    private func takeChanged(now: Int64) -> [TokenUse] {
        entries.withLock { entries in
            var uses: [TokenUse] = []
            var gone: [String] = []
            for (id, entry) in entries {
                let usedAt = entry.activity.usedAt
                if usedAt > entry.written {
                    uses.append(TokenUse(id: id, usedAt: usedAt))
                    entries[id]?.written = usedAt
                } else if entry.endsAt <= now {
                    gone.append(id)
                }
            }
            for id in gone { entries[id] = nil }
            return uses
        }
    }
}
