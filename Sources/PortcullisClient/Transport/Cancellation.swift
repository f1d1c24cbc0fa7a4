import Reactor
import Synchronization

/// Whether whoever wanted an answer wants it still (UPS-08). Asked and told from any thread.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var breaker: ConnectionBreaker?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the connection that is under way, and keeps others from being begun. Behind the answer it does nothing.
    func cancel() {
        let breaker = state.withLock { state -> ConnectionBreaker? in
            state.isCancelled = true
            return state.breaker
        }
        breaker?.end()
    }

    /// Says by what to end the connection; answers whether it is wanted still.
    func watch(_ breaker: ConnectionBreaker) -> Bool {
        state.withLock { state in
            state.breaker = breaker
            return !state.isCancelled
        }
    }
}
