import Identity
import Outbound
import Synchronization
import TokenStorage

/// When the sessions of this process were used, and in the store, when others have used them (OMS-09). One for the life of
/// a process. Uses are written down once a second, those of one session together, and before a session is called idle
/// the store is asked whether it is in use elsewhere.
package final class SessionRegister: SessionActivities {
    private struct Entry {
        let activity: SessionActivity
        /// When the last token of it ends that was seen here.
        var endsAt: Int64
        /// What the store has been told.
        var written: Int64
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let lastTick = Atomic<Int64>(0)
    private let store: any TokenStore

    /// Uses that are written in one operation.
    private static let batch = 500

    package init(store: any TokenStore) { self.store = store }

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
            return store.ask(.revoke(.id(activity.session)), now: now) { [store] result in
                guard case .success = result else { return .done(.unknown) }
                let rest = Session(record)?.remains.dropFirst() ?? []
                return store.forget(rest, now: now).map { .ended }
            }
        }
    }

    /// When a session was used last, as far as the process knows.
    func usedAt(_ session: String) -> Int64? { entries.withLock { $0[session]?.activity.usedAt } }

    /// To be called about once a second, by any thread; the first to come in a second does the work.
    /// - Parameter now: seconds since 1970.
    package func tick(now: Int64) {
        let last = lastTick.load(ordering: .relaxed)
        guard last < now,
            lastTick.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        else { return }
        var uses = takeChanged(now: now)
        while !uses.isEmpty {
            // What a failing store was not told, it is told with the next use.
            store.perform(.touch(Array(uses.prefix(SessionRegister.batch))), now: now) { _ in }
            uses = Array(uses.dropFirst(SessionRegister.batch))
        }
    }

    /// The uses that the store does not know yet. Forgets sessions whose tokens have ended, and those that are idle: the
    /// store knows all of them.
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
