import Identity
import Synchronization
import TokenStorage

/// Recovers from lost entries: a store can lose acknowledged data when a lagging replica is promoted or a server
/// returns without its files. Processes that know the revocations write them again.
extension RevocationFollower {
    /// The store's entries beside those of single tokens, which the list itself marks: there may be a million.
    private final class Held: Sendable {
        private let entries = Mutex<[DenyEntry.Key: [DenyEntry]]>([:])

        func insert(_ entry: DenyEntry) {
            if entry.kind != .token { entries.withLock { $0[entry.key, default: []].append(entry) } }
        }

        /// Whether a stored entry covers this one in scope and duration.
        func covers(_ entry: DenyEntry) -> Bool {
            guard let held = entries.withLock({ $0[entry.key] }) else { return false }
            return held.contains { $0.issuedBefore >= entry.issuedBefore }
                && held.contains { $0.until >= entry.until }
        }
    }

    /// The server connection was re-established, possibly to another server.
    func storeReturned() { following.withLock { $0.doubt() } }

    /// Reads the complete list of the store, and writes known entries that it lacks. Takes time in proportion to the
    /// list, page by page, while queries for new entries go on.
    ///
    /// - Parameter now: seconds since 1970.
    func compare(now: Int64, then: @escaping @Sendable () -> Void) {
        list.beginComparison()
        compare(behind: 0, Held(), now: now, then)
    }

    private func compare(behind place: Int64, _ held: Held, now: Int64, _ then: @escaping @Sendable () -> Void) {
        store.perform(.changes(after: place, limit: RevocationFollower.pageSize), now: now) { [self] result in
            count(result)
            guard case .success(.changes(let changes, _)) = result, let isPage = fillPage(changes, behind: place) else {
                following.withLock { $0.doubt() }
                return then()
            }
            for change in changes {
                learn(change.entry, isKnown: true, now: now)
                held.insert(change.entry)
            }
            if isPage, let last = changes.last { return compare(behind: last.sequence, held, now: now, then) }
            let groups = list.groupEntries(now: now) + withdrawn.entries(now: now)
            let missing = groups.filter { !held.covers($0) } + list.unconfirmedEntries(now: now)
            publish(missing[...], written: 0, now: now, then)
        }
    }

    /// Writes one after the other: this is not urgent, and the store serves clients meanwhile. Other processes do the
    /// same, in another order, and what they have written is skipped.
    private func publish(
        _ missing: ArraySlice<DenyEntry>, written: Int, now: Int64, _ then: @escaping @Sendable () -> Void
    ) {
        let missing = missing.drop { $0.kind == .token && list.isConfirmed(tokenID: $0.name) }
        guard let first = missing.first else {
            if written > 0 { log.write(.revocationsRestored, [("count", .number(written))]) }
            return then()
        }
        store.perform(.deny(first), now: now) { [self] result in
            count(result)
            guard case .success = result else {
                following.withLock { $0.doubt() }
                return then()
            }
            publish(missing.dropFirst(), written: written + 1, now: now, then)
        }
    }

    // MARK: Accounts

    /// Applies an entry from the store.
    func learn(_ entry: DenyEntry, isKnown: Bool = false, now: Int64) {
        guard apply(entry, isKnown: isKnown, now: now), entry.isKnown,
            following.withLock({ $0.condition }) != .starting
        else { return }
        let isWithdrawn = entry.kind == .withdrawn
        let kind = WithdrawnAccounts.Kind(noticeName: entry.name)
        log.write(
            isWithdrawn ? .accountWithdrawn : .accountRestored,
            [("kind", .text(kind?.rawValue ?? "")), ("holder", .text(entry.holder))])
        guard isWithdrawn, let kind, now > entry.issuedBefore / 1000 + RevocationFollower.reachSeconds else { return }
        // Learnt late: tokens issued here meanwhile on the withdrawn credential are revoked too.
        let cutoff: DenyEntry? =
            switch kind {
            case .user, .password, .role: .subject(entry.holder, issuedBefore: now, until: entry.until)
            case .client, .clientSecret: .client(entry.holder, issuedBefore: now, until: entry.until)
            case .setting, .consumer, .consumerRole, .apiKey, .certificate: nil
            }
        guard let cutoff else { return }
        perform(.deny(cutoff), now: now) { _ in }
    }

    /// Seconds within which other processes learn of a change, unless the store is unavailable.
    package static let reachSeconds: Int64 = 1
}
