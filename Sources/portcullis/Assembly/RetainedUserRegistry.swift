import Identity
import Synchronization

/// Where users are made and changed, once a gateway runs whose administration can do it (AOM-17, AOM-26). What waits
/// when it gets to it is done together: each time is a reload, and administrators wait behind it.
final class RetainedUserRegistry: UserRegistry {
    struct Waiting: Sendable {
        let change: UserChange
        let origin: ChangeOrigin
        let then: @Sendable (UserChangeOutcome) -> Void
    }

    private struct State {
        var handler: (@Sendable () -> Void)?
        var waiting: [Waiting] = []
    }

    /// How many changes wait at the most.
    private static let limit = 32

    private let state = Mutex(State())

    /// - Parameter handler: is called where there is something to `take`, and must not block.
    func use(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handler = handler } }

    /// All that waits, in order.
    func take() -> [Waiting] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    func perform(
        _ change: UserChange, from origin: ChangeOrigin, then: @escaping @Sendable (UserChangeOutcome) -> Void
    ) {
        enum Place { case first, behind, none }
        let (place, handler) = state.withLock { state -> (Place, (@Sendable () -> Void)?) in
            guard state.waiting.count < RetainedUserRegistry.limit, let handler = state.handler else {
                return (.none, nil)
            }
            state.waiting.append(Waiting(change: change, origin: origin, then: then))
            return (state.waiting.count == 1 ? .first : .behind, handler)
        }
        switch place {
        case .first: handler?()
        case .behind: break
        case .none: then(.failed)
        }
    }
}
