import HTTP
import Model
import Synchronization

/// How much of something each party has at the moment, over all workers: connections, password checks. A party is an
/// IPv4 address or an IPv6 /64. An entry lives as long as something of it is counted, so there are never more than
/// what is counted.
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

    /// Counts one more of an address; answers false, and counts nothing, where that would be more than `limit`. 0 is no
    /// limit.
    package func acquire(_ address: IPAddress, limit: Int) -> Bool {
        let party = address.subscriber
        return shard(party).counts.withLock { counts in
            let count = counts[party, default: 0]
            if limit > 0, count >= limit { return false }
            counts[party] = count + 1
            return true
        }
    }

    /// One less; for each `enter` that answered true.
    package func release(_ address: IPAddress) {
        let party = address.subscriber
        shard(party).counts.withLock { counts in
            guard let count = counts[party] else { return }
            counts[party] = count > 1 ? count - 1 : nil
        }
    }

    /// How many parties have anything.
    package var parties: Int { shards.reduce(0) { $0 + $1.counts.withLock(\.count) } }

    func count(_ address: IPAddress) -> Int {
        let party = address.subscriber
        return shard(party).counts.withLock { $0[party] ?? 0 }
    }
}
