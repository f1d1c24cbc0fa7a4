/// Hashes that were noted lately, in bounded memory: when the set is full it becomes the earlier one, whose predecessor
/// goes.
package struct RecentSet: Sendable {
    private var latest: Set<UInt64> = []
    private var earlier: Set<UInt64> = []
    private let capacity: Int

    /// - Parameter capacity: how many are remembered for certain; at the most it is twice as many.
    package init(capacity: Int) { self.capacity = capacity }

    package func contains(_ hash: UInt64) -> Bool { latest.contains(hash) || earlier.contains(hash) }

    package mutating func insert(_ hash: UInt64) {
        latest.insert(hash)
        guard latest.count >= capacity else { return }
        earlier = latest
        latest = []
    }

    package mutating func remove(_ hash: UInt64) {
        latest.remove(hash)
        earlier.remove(hash)
    }
}
