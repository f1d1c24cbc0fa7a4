import Gateway
import Synchronization
import Tokens

extension SharedState {
    /// Has the store do what a new configuration asks for. What fails is in the log.
    ///
    /// - Parameter then: called once when all of it is answered, with the first failure.
    func tell(_ operations: [StoreOperation], now: Int64, then: @escaping @Sendable (StoreFailure?) -> Void) {
        guard !operations.isEmpty else { return then(nil) }
        let answers = Answers(awaited: operations.count)
        for operation in operations {
            tokens.perform(operation, now: now) { [log] result in
                var failure: StoreFailure?
                if case .failure(let reason) = result {
                    log.write("revocation_failed", [("reason", .text("\(reason.reason)"))])
                    failure = reason
                }
                if answers.arrived(failure) { then(answers.failure) }
            }
        }
    }

    /// Answers that are awaited.
    private final class Answers: Sendable {
        private struct State {
            var awaited: Int
            var failure: StoreFailure?
        }

        private let state: Mutex<State>

        init(awaited: Int) { state = Mutex(State(awaited: awaited)) }

        var failure: StoreFailure? { state.withLock(\.failure) }

        /// - Returns: whether it was the last one.
        func arrived(_ failure: StoreFailure?) -> Bool {
            state.withLock { state in
                state.awaited -= 1
                state.failure = state.failure ?? failure
                return state.awaited == 0
            }
        }
    }
}
