import Synchronization

/// Seals what a store holds with the key in use while former keys are configured, in small batches, and counts the
/// records that would be lost with the former keys. Each step is one operation of the store, so that a pass may end
/// anywhere, and several processes may go over one store. Only the first pass after each load of the configuration seals,
/// as two processes with the keys in opposite order would seal the same records without end. Later ones count.
package final class StoreRekeying: Sendable {
    /// The result of a pass.
    package struct Record: Sendable, Equatable {
        /// Records that it has sealed anew.
        package var resealed = 0
        /// Records that only former keys find or open: they go as their tokens are used or end, or with the next reload.
        package var former = 0

        package init(resealed: Int = 0, former: Int = 0) {
            self.resealed = resealed
            self.former = former
        }
    }

    private struct State {
        var store: (any TokenStore)?
        var key: TokenDigestKey?
        var isRunning = false
        /// Of the calls of `use`.
        var generation = 0
        /// Whether the next pass seals.
        var isSealing = false
        /// Seconds since 1970 of the next pass.
        var dueAt: Int64 = 0
        var last: Record?
    }

    private static let batch = 200
    private static let pause: Int64 = 3600
    private static let pauseAfterFailure: Int64 = 60

    private let state = Mutex(State())
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let done: @Sendable (Record) -> Void

    /// - Parameters:
    ///   - later: schedules a batch on another thread.
    ///   - done: called after each pass.
    package init(
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        done: @escaping @Sendable (Record) -> Void = { _ in }
    ) {
        self.later = later
        self.done = done
    }

    /// Begins a pass soon, since the keys may be others.
    package func use(_ store: any TokenStore, _ key: TokenDigestKey) {
        state.withLock { state in
            (state.store, state.key, state.dueAt, state.last) = (store, key, 0, nil)
            state.generation += 1
            state.isSealing = true
        }
    }

    /// Records that need a former key, as the last pass has found; nil before it.
    package var former: Int? {
        state.withLock { state in state.key?.hasFormer == true ? state.last?.former : 0 }
    }

    /// Starts a pass if due. Cheap; called about once a second.
    package func tick(now: Int64) {
        let pass: Pass? = state.withLock { state in
            guard let store = state.store, let key = state.key, !state.isRunning, state.dueAt <= now, key.hasFormer
            else { return nil }
            state.isRunning = true
            // A change of keys in the middle makes another pass due.
            state.dueAt = now + StoreRekeying.pause
            return Pass(store: store, key: key, isSealing: state.isSealing, generation: state.generation, now: now)
        }
        if let pass { go(pass, from: "", Record()) }
    }

    private struct Pass: Sendable {
        let store: any TokenStore
        let key: TokenDigestKey
        let isSealing: Bool
        let generation: Int
        let now: Int64
    }

    private func go(_ pass: Pass, from place: String, _ record: Record) {
        pass.store.perform(.survey(place: place, limit: StoreRekeying.batch), now: pass.now) { [self] answer in
            guard case .success(.surveyed(let records, let next)) = answer else { return end(pass, nil) }
            move(records[...], pass, record) { [self] record in
                guard let record, !next.isEmpty else { return end(pass, record) }
                later { self.go(pass, from: next, record) }
            }
        }
    }

    private func move(
        _ records: ArraySlice<TokenRecord>, _ pass: Pass, _ counted: Record,
        _ then: @escaping @Sendable (Record?) -> Void
    ) {
        var (rest, counted) = (records, counted)
        while let old = rest.popFirst() {
            guard old.endsAt > pass.now else { continue }
            let (sealed, needsFormer) = pass.key.resealed(old)
            if needsFormer || !pass.isSealing && sealed != nil { counted.former += 1 }
            guard pass.isSealing, let sealed else { continue }
            var new = old
            new.sealed = sealed
            let (left, before) = (rest, counted)
            return pass.store.perform(.rekey(from: old, to: new), now: pass.now) { [self] answer in
                guard case .success(.touched(let count)) = answer else { return then(nil) }
                var after = before
                after.resealed += count
                let sum = after
                // Not within the answer of the store, which may have come at once.
                later { self.move(left, pass, sum, then) }
            }
        }
        then(counted)
    }

    private func end(_ pass: Pass, _ record: Record?) {
        state.withLock { state in
            state.isRunning = false
            // What another list of keys has counted says nothing.
            guard pass.generation == state.generation else { return }
            if let record {
                (state.last, state.isSealing) = (record, false)
            } else {
                state.dueAt = min(state.dueAt, pass.now + StoreRekeying.pauseAfterFailure)
            }
        }
        if let record { done(record) }
    }
}
