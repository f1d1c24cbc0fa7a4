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
            return (expires, asks, asks && state.condition != .starting && state.shouldCompare(now: milliseconds))
        }
        if expires { lose() }
        guard asks else { return }
        retry(now: now)
        let done: @Sendable (Bool) -> Void = { [self] _ in following.withLock { $0.asked() } }
        // The query after it returns new entries, and shows that the store answers.
        if compares {
            compare(now: now) { [self] in follow(now: now, then: done) }
        } else {
            follow(now: now, then: done)
        }
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
            guard case .success(.changes(let changes, let latest)) = result else { return then(false) }
            for change in changes { learn(change.entry, now: now) }
            let progress = following.withLock { state in
                state.receive(
                    from: place, last: changes.last?.sequence, isPage: changes.count == RevocationFollower.pageSize,
                    latest: latest, askedAt: askedAt)
            }
            if progress.hasMore { return follow(now: now, then: then) }
            if progress.before != .current { recover(from: progress.before) }
            then(true)
        }
    }

    /// The store no longer answers.
    private func lose() {
        if settings.whenUnavailable == .deny { list.setBlind(true) }
        log.write(
            .storeUnavailable,
            [
                ("store", .text("\(kind)")),
                ("bearer", .text(settings.whenUnavailable == .deny ? "denied" : "last known list")),
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
                refusesWrites: reason != nil && settings.whenUnavailable == .deny, unwritten: count)
        }
    }
}
