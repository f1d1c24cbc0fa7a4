import Gateway
import Synchronization
import TokenStorage

extension SharedState {
    /// Performs the store operations of a new configuration and logs failures.
    ///
    /// - Parameter completion: called once after all operations, with the first failure.
    func perform(
        _ operations: [StoreOperation], now: Int64, completion: @escaping @Sendable (StoreFailure?) -> Void
    ) {
        guard !operations.isEmpty else { return completion(nil) }
        let pending = Pending(count: operations.count)
        for operation in operations {
            tokens.perform(operation, now: now) { [log] result in
                var failure: StoreFailure?
                if case .failure(let reason) = result {
                    log.write(.revocationFailed, [("reason", .text("\(reason.reason)"))])
                    failure = reason
                }
                if pending.finish(failure) { completion(pending.failure) }
            }
        }
    }

    /// Counts operations down and keeps the first failure.
    private final class Pending: Sendable {
        private let state: Mutex<(count: Int, failure: StoreFailure?)>

        init(count: Int) { state = Mutex((count, nil)) }

        var failure: StoreFailure? { state.withLock(\.failure) }

        /// Returns whether this operation was the last one.
        func finish(_ failure: StoreFailure?) -> Bool {
            state.withLock { state in
                state.count -= 1
                state.failure = state.failure ?? failure
                return state.count == 0
            }
        }
    }
}
