import Identity
import Synchronization

/// Where users are made and changed, once a gateway runs whose administration can do it (AOM-17, AOM-26).
final class LastingRegistry: UserRegistry {
    typealias Handler =
        @Sendable (UserChange, ChangeOrigin, @escaping @Sendable (UserChangeOutcome) -> Void) -> Void

    private struct State {
        var handler: Handler?
        var waiting = 0
    }

    /// How many changes wait at the most: each is a reload, and administrators wait behind them.
    private static let limit = 4

    private let state = Mutex(State())

    func use(_ handler: @escaping Handler) { state.withLock { $0.handler = handler } }

    func perform(
        _ change: UserChange, from origin: ChangeOrigin, then: @escaping @Sendable (UserChangeOutcome) -> Void
    ) {
        let handler = state.withLock { state -> Handler? in
            guard state.waiting < LastingRegistry.limit, let handler = state.handler else { return nil }
            state.waiting += 1
            return handler
        }
        guard let handler else { return then(.failed) }
        handler(change, origin) { [self] outcome in
            state.withLock { $0.waiting -= 1 }
            then(outcome)
        }
    }
}
