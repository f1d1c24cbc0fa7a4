import Synchronization

/// Counts the records of a store that need a former key, in small batches: after each load of the configuration and every
/// hour, while there are former keys.
package final class FormerKeyCount: Sendable {
    private struct State {
        var store: (any TokenStore)?
        var key: TokenDigestKey?
        /// Number of calls of `use`: a count under other keys is void.
        var generation = 0
        /// Seconds since 1970 of the next count.
        var dueAt: Int64 = 0
        var last: Int?
    }

    private static let batch = 200
    private static let pause: Int64 = 3600
    private static let pauseAfterFailure: Int64 = 60

    private let state = Mutex(State())
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter later: schedules a batch on another thread.
    package init(later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.later = later }

    /// Makes a count due, since the keys may be others.
    package func use(_ store: any TokenStore, _ key: TokenDigestKey) {
        state.withLock { state in
            (state.store, state.key, state.dueAt, state.last) = (store, key, 0, nil)
            state.generation += 1
        }
    }

    /// The result of the last count; nil before the first.
    package var last: Int? {
        state.withLock { state in state.key?.hasFormer == true ? state.last : 0 }
    }

    /// Starts a count if due. Cheap; called about once a second.
    package func tick(now: Int64) {
        let count: Count? = state.withLock { state in
            guard let store = state.store, let key = state.key, state.dueAt <= now, key.hasFormer else { return nil }
            // Until it ends.
            state.dueAt = .max
            return Count(store: store, key: key, generation: state.generation, now: now)
        }
        if let count { go(count, from: "", 0) }
    }

    private struct Count: Sendable {
        let store: any TokenStore
        let key: TokenDigestKey
        let generation: Int
        let now: Int64
    }

    private func go(_ count: Count, from place: String, _ before: Int) {
        count.store.perform(.survey(place: place, limit: FormerKeyCount.batch), now: count.now) { [self] answer in
            guard case .success(.surveyed(let records, let next)) = answer else { return end(count, nil) }
            // Not within the answer of the store, which may have come at once.
            later { [self] in
                let sum = before + records.count { $0.endsAt > count.now && count.key.needsFormer($0) }
                if next.isEmpty { end(count, sum) } else { go(count, from: next, sum) }
            }
        }
    }

    private func end(_ count: Count, _ sum: Int?) {
        state.withLock { state in
            guard count.generation == state.generation else { return }
            state.dueAt = count.now + (sum == nil ? FormerKeyCount.pauseAfterFailure : FormerKeyCount.pause)
            if let sum { state.last = sum }
        }
    }
}
