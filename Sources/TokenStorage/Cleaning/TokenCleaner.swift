import Synchronization

/// Deletes token pairs whose tokens have both expired, and other obsolete entries of a store (AOM-23). Runs daily and
/// on request, in small batches so that other operations can proceed in between.
package final class TokenCleaner: Sendable {
    /// Result of the runs so far.
    package struct Record: Sendable, Equatable {
        /// Seconds since 1970 when the last run ended; 0 before the first.
        package var lastRun: Int64
        /// Records deleted since the start of the process.
        package var deleted: Int

        package init(lastRun: Int64 = 0, deleted: Int = 0) {
            self.lastRun = lastRun
            self.deleted = deleted
        }
    }

    private struct State {
        var store: (any TokenStore)?
        var minuteOfDay: Int?
        var schedule: CleaningSchedule?
        var record = Record()
    }

    private static let batch = 500

    private let state = Mutex(State())
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter later: schedules a batch on another thread.
    package init(later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.later = later }

    /// Applies another configuration.
    /// - Parameter minuteOfDay: since local midnight; nil disables the daily run.
    package func use(_ store: any TokenStore, minuteOfDay: Int?) {
        state.withLock { state in
            state.store = store
            guard state.minuteOfDay != minuteOfDay else { return }
            state.minuteOfDay = minuteOfDay
            state.schedule = minuteOfDay.map(CleaningSchedule.init)
        }
    }

    package var record: Record { state.withLock { $0.record } }

    /// Starts the daily run if due. Cheap; called about once a second.
    package func tick(now: Int64, secondsEast: @autoclosure () -> Int64) {
        let isDue = state.withLock { $0.schedule?.isDue(now: now, secondsEast: secondsEast()) ?? false }
        if isDue { run(now: now) { _ in } }
    }

    /// Deletes everything that has expired at that time.
    /// - Parameter then: called once with the number of records, from any thread.
    package func run(now: Int64, then: @escaping @Sendable (Result<Int, StoreFailure>) -> Void) {
        guard let store = state.withLock({ $0.store }) else {
            then(.failure(.unavailable))
            return
        }
        clean(store, now: now, before: 0, then)
    }

    private func clean(
        _ store: any TokenStore, now: Int64, before: Int,
        _ then: @escaping @Sendable (Result<Int, StoreFailure>) -> Void
    ) {
        store.perform(.clean(limit: TokenCleaner.batch), now: now) { [self] answer in
            guard case .success(.cleaned(let count, let isDone)) = answer else {
                then(.failure(answer.failure ?? .malformed))
                return
            }
            let total = before + count
            guard isDone else {
                later { self.clean(store, now: now, before: total, then) }
                return
            }
            state.withLock { state in
                state.record.lastRun = now
                state.record.deleted += total
            }
            then(.success(total))
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
