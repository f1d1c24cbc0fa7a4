import Synchronization

/// Calls back when every worker has processed what it was sent.
package final class Countdown: Sendable {
    private struct State {
        var missing: Int
        var then: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(of count: Int, then: @escaping @Sendable () -> Void) { state = Mutex(State(missing: count, then: then)) }

    /// One worker has processed it.
    func arrived() {
        let then = state.withLock { state -> (@Sendable () -> Void)? in
            state.missing -= 1
            guard state.missing <= 0 else { return nil }
            defer { state.then = nil }
            return state.then
        }
        then?()
    }
}
