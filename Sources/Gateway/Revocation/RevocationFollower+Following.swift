import Identity
import Model
import Reactor
import Synchronization
import TokenStorage

/// Learns of revocations by other processes.
extension RevocationFollower {
    /// Whether workers must call `tick`.
    var isFollowing: Bool { following.withLock { $0.isShared } }

    /// Call it often, from any worker.
    ///
    /// - Parameters:
    ///   - milliseconds: of the monotonic clock.
    ///   - now: seconds since 1970.
    func tick(milliseconds: Int64, now: Int64) {
        let (expires, asks, compares) = following.withLock { state in
            let expires = state.expires(now: milliseconds, after: settings.staleAfter)
            let asks = state.shouldAsk(now: milliseconds, every: RevocationFollower.interval)
            return (expires, asks, asks && state.shouldCompare(now: milliseconds))
        }
        if expires { lose() }
        guard asks else { return }
        retry(now: now)
        // Beside the queries, which go on: a long list takes longer than the list may stay without an answer.
        if compares { compare(now: now) { [self] in following.withLock { $0.compared() } } }
        follow(now: now) { [self] _ in following.withLock { $0.asked() } }
    }

    /// Fetches and applies all new entries.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - then: called at the end or after a failure, with whether the list is complete.
    package func follow(now: Int64, then: @escaping @Sendable (Bool) -> Void) {
        let place = following.withLock { $0.place }
        let askedAt = Clock.monotonicMilliseconds
        store.perform(.changes(after: place, limit: RevocationFollower.pageSize), now: now) { [self] result in
            count(result)
            guard case .success(.changes(let changes, let latest)) = result,
                let isPage = fillPage(changes, behind: place)
            else { return then(false) }
            for change in changes { learn(change.entry, now: now) }
            skip(changes.filter { !$0.entry.isKnown })
            let progress = following.withLock { state in
                state.receive(
                    from: place, last: changes.last?.sequence, isPage: isPage, latest: latest, askedAt: askedAt)
            }
            if progress.hasMore { return follow(now: now, then: then) }
            if progress.before != .current { recover(from: progress.before) }
            then(true)
        }
    }

    /// Counts and reports entries that cannot be read, such as those of a later version.
    private func skip(_ entries: [DenyChange]) {
        guard let first = entries.first else { return }
        let now = Clock.monotonicMilliseconds
        guard following.withLock({ $0.skip(entries.count, now: now) }) else { return }
        log.write(
            .denyEntriesSkipped,
            [
                ("store", .text("\(kind)")), ("kind", .text(first.entry.unknownKind)),
                ("count", .number(entries.count)),
                ("sequence", .number(Int(first.sequence))),
            ])
    }

    /// The store no longer answers.
    private func lose() {
        let failure = following.withLock { $0.lastFailure } ?? .timedOut
        if settings.whenUnavailable == .deny { list.setBlind(true) }
        log.write(
            .storeUnavailable,
            [
                ("store", .text("\(kind)")),
                ("bearer", .text(settings.whenUnavailable == .deny ? "denied" : "last known list")),
                ("reason", .text("\(failure.reason)")),
            ])
    }

    private func recover(from condition: RevocationProgress.Condition) {
        list.setBlind(false)
        if condition == .starting { return }
        log.write(.storeAvailable, [("store", .text("\(kind)"))])
    }

    func report(now: Int64) -> Report {
        let (reason, count) = unwritten.withLock { ($0.reason, $0.count) }
        return following.withLock { state in
            Report(
                kind: kind, isCurrent: state.condition == .current, refuses: list.reading.isBlind,
                age: state.isShared ? max(0, now - state.answeredAt) : 0, succeeded: state.succeeded,
                failed: state.failed, writeFailure: reason,
                unwritten: count, skipped: state.skipped)
        }
    }
}
