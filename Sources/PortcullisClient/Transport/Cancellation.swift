import Reactor
import Synchronization

/// Cancellation of a request (UPS-08). Thread-safe.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var breaker: ConnectionBreaker?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the current connection and prevents further ones. No effect after the response.
    func cancel() {
        let breaker = state.withLock { state -> ConnectionBreaker? in
            state.isCancelled = true
            return state.breaker
        }
        breaker?.end()
    }

    /// Sets how to end the connection; returns false if the request is cancelled.
    func watch(_ breaker: ConnectionBreaker) -> Bool {
        state.withLock { state in
            state.breaker = breaker
            return !state.isCancelled
        }
    }
}
