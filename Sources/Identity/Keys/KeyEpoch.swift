import Synchronization

/// Counts removals of keys by any issuer. Results verified in an earlier epoch may depend on a removed key, so caches
/// of verified tokens start over. New keys do not advance it.
package final class KeyEpoch: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// Read it before the keys: a result whose keys change meanwhile then belongs to the earlier epoch.
    package var current: UInt64 { count.load(ordering: .acquiring) }

    /// Call it after the keys were removed.
    package func advance() { count.add(1, ordering: .acquiringAndReleasing) }
}
