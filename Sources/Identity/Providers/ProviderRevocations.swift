import Model
import Synchronization

/// Counts revocations of tokens at identity providers. Used by all threads.
package final class ProviderRevocations: Sendable {
    package struct Count: Sendable, Equatable {
        package let provider: String
        /// `revoked`, or the code of the failure.
        package let outcome: String
        package fileprivate(set) var number: UInt64
    }

    private let state = Mutex<[Count]>([])

    package init() {}

    /// In the order in which they first came.
    package var counts: [Count] { state.withLock { $0 } }

    /// - Parameter failure: nil for success.
    package func count(_ failure: Reason?, at provider: String) {
        let outcome = failure?.code ?? "revoked"
        state.withLock { counts in
            let place = counts.firstIndex { $0.provider == provider && $0.outcome == outcome }
            guard let place else {
                return counts.append(Count(provider: provider, outcome: outcome, number: 1))
            }
            counts[place].number += 1
        }
    }
}
