import Synchronization

/// Performs effects that no request waits for. Without a data plane, as in commands, they are dropped; so are those that
/// find no place.
package final class BackgroundEffects: Sendable {
    private let performer = Mutex<(@Sendable (Effect<Void>) -> Void)?>(nil)

    package init() {}

    /// Sets what performs them. It must not block.
    package func attach(_ performer: @escaping @Sendable (Effect<Void>) -> Void) {
        self.performer.withLock { $0 = performer }
    }

    package func begin(_ effect: Effect<Void>) { performer.withLock(\.self)?(effect) }
}
