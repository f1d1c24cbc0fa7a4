import Synchronization

/// Counts how often any issuer took a key back. What was verified in an earlier epoch may rest on such a key, so that
/// caches of verified tokens begin anew; new keys change nothing.
package final class KeyEpoch: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// Read it before the keys: what is verified with keys that change in between then counts as of the earlier epoch.
    package var current: UInt64 { count.load(ordering: .acquiring) }

    /// To be called when the keys are gone.
    package func advance() { count.add(1, ordering: .acquiringAndReleasing) }
}
