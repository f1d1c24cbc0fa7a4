import Outbound
import Synchronization

/// Performs effects as a gateway does, except that password hashes wait until the test runs or drops them.
package final class ManualEffects<Value: Sendable>: Sendable {
    private let queued = Mutex<[@Sendable () -> Void]>([])
    private let results = Mutex<[Value]>([])

    package init() {}

    /// The values of effects that have ended, in this order.
    package var values: [Value] { results.withLock(\.self) }

    /// How many hashes wait.
    package var hashes: Int { queued.withLock(\.count) }

    package func begin(_ effect: Effect<Value>) {
        switch effect {
        case .done(let value): results.withLock { $0.append(value) }
        case .offload(let work): begin(work())
        case .hash(_, let work): queued.withLock { $0.append { [self] in begin(work()) } }
        case .await(let begin): begin { [self] in self.begin($0) }
        }
    }

    /// Runs the hash that has waited longest.
    package func runHash() { take()?() }

    /// The client of the hash that has waited longest has gone.
    package func dropHash() { _ = take() }

    private func take() -> (@Sendable () -> Void)? { queued.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
