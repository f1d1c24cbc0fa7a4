import Model
import Synchronization

/// Current counts per address across all workers: connections, password checks. An address is an IPv4 address or an
/// IPv6 /64. Entries exist only while their count is positive, which bounds the table.
package final class AddressTally: Sendable {
    private final class Shard: Sendable {
        let counts = Mutex<[IPAddress: Int]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }

    package init() {}

    private func shard(_ party: IPAddress) -> Shard {
        let bits = party.high ^ party.low
        return shards[Int(truncatingIfNeeded: bits ^ bits >> 8 ^ bits >> 32) & 15]
    }

    /// Adds one for an address; false, without counting, if that would exceed `limit`. 0 means no limit.
    package func acquire(_ address: IPAddress, limit: Int) -> Bool {
        let party = address.subscriber
        return shard(party).counts.withLock { counts in
            let count = counts[party, default: 0]
            if limit > 0, count >= limit { return false }
            counts[party] = count + 1
            return true
        }
    }

    /// Subtracts one; once for each successful `acquire`.
    package func release(_ address: IPAddress) {
        let party = address.subscriber
        shard(party).counts.withLock { counts in
            guard let count = counts[party] else { return }
            counts[party] = count > 1 ? count - 1 : nil
        }
    }

    /// Number of addresses with a count.
    package var parties: Int { shards.reduce(0) { $0 + $1.counts.withLock(\.count) } }

    func count(_ address: IPAddress) -> Int {
        let party = address.subscriber
        return shard(party).counts.withLock { $0[party] ?? 0 }
    }
}
