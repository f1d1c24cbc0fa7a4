import Identity
import Synchronization
import TokenStorage

/// A store can lose what it has acknowledged: a replica takes over that had not got there yet, or a server comes back
/// without its files. The processes that know what was revoked tell it again.
extension RevocationFollower {
    /// What a store has of the deny list.
    private struct Held {
        private var entries: [DenyEntry.Key: [DenyEntry]] = [:]

        mutating func insert(_ entry: DenyEntry) { entries[entry.key, default: []].append(entry) }

        /// Whether what is held refuses as much, and for as long.
        func covers(_ entry: DenyEntry) -> Bool {
            guard let held = entries[entry.key] else { return false }
            return held.contains { $0.issuedBefore >= entry.issuedBefore }
                && held.contains { $0.until >= entry.until }
        }
    }

    /// The connection to the server was lost and is there again: another server may answer.
    func storeReturned() { following.withLock { $0.doubt() } }

    /// Reads everything that the store has, and tells it what it lacks of what is known here.
    ///
    /// - Parameter now: seconds since 1970.
    func compare(now: Int64, then: @escaping @Sendable () -> Void) { compare(behind: 0, Held(), now: now, then) }

    private func compare(behind place: Int64, _ held: Held, now: Int64, _ then: @escaping @Sendable () -> Void) {
        store.perform(.changes(after: place, limit: RevocationFollower.pageSize), now: now) { [self] result in
            count(result)
            guard case .success(.changes(let changes, _)) = result else {
                following.withLock { $0.doubt() }
                return then()
            }
            var held = held
            for change in changes {
                learn(change.entry, now: now)
                held.insert(change.entry)
            }
            if changes.count == RevocationFollower.pageSize, let last = changes.last {
                return compare(behind: last.sequence, held, now: now, then)
            }
            let missing = (list.denyEntries(now: now) + withdrawn.entries(now: now)).filter { !held.covers($0) }
            publish(missing[...], count: missing.count, now: now, then)
        }
    }

    /// One after the other: it is not in a hurry, and clients are served meanwhile.
    private func publish(
        _ missing: ArraySlice<DenyEntry>, count total: Int, now: Int64, _ then: @escaping @Sendable () -> Void
    ) {
        guard let first = missing.first else {
            if total > 0 { log.write("revocations_restored", [("count", .number(total))]) }
            return then()
        }
        store.perform(.deny(first), now: now) { [self] result in
            count(result)
            guard case .success = result else {
                following.withLock { $0.doubt() }
                return then()
            }
            publish(missing.dropFirst(), count: total, now: now, then)
        }
    }

    // MARK: Accounts

    /// Takes over an entry that the store has told.
    func learn(_ entry: DenyEntry, now: Int64) {
        guard apply(entry, now: now), following.withLock({ $0.condition }) != .starting else { return }
        let isWithdrawn = entry.kind == .withdrawn
        let kind = WithdrawnAccounts.Kind(noticeName: entry.name)
        log.write(
            isWithdrawn ? "account_withdrawn" : "account_restored",
            [("kind", .text(kind?.rawValue ?? "")), ("holder", .text(entry.subject))])
        guard isWithdrawn, let kind, now > entry.issuedBefore / 1000 + RevocationFollower.reachSeconds else { return }
        // Heard of late: what was given out here meanwhile, by what was withdrawn already, ends too.
        let cutoff: DenyEntry =
            switch kind {
            case .user, .password: .subject(entry.subject, issuedBefore: now, until: entry.until)
            case .backend, .clientSecret: .backend(entry.subject, issuedBefore: now, until: entry.until)
            }
        perform(.deny(cutoff), now: now) { _ in }
    }

    /// Within how many seconds other processes hear of a change, unless the store is away.
    package static let reachSeconds: Int64 = 1
}
