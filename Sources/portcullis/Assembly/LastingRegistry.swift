import Identity
import Synchronization

/// Where users are made and changed, once a gateway runs whose administration can do it (AOM-17, AOM-26).
final class LastingRegistry: UserRegistry {
    typealias Handler = @Sendable (UserChange, @escaping @Sendable (UserChangeOutcome) -> Void) -> Void

    private let handler = Mutex<Handler?>(nil)

    func use(_ handler: @escaping Handler) { self.handler.withLock { $0 = handler } }

    func perform(_ change: UserChange, then: @escaping @Sendable (UserChangeOutcome) -> Void) {
        guard let handler = handler.withLock({ $0 }) else { return then(.failed) }
        handler(change, then)
    }
}
