import HTTP
import Identity
import Model
import Synchronization

/// Whose connections had to be ended for a flood of late, over all workers; a party is an IPv4 address or an IPv6 /64.
///
/// A flood is cut off soon, but whoever comes again at once has a handshake done for it each time, and that is most of
/// what it costs. So an address has a bucket of floods, and while it is used up, the address is not let in.
final class FloodRecord: Sendable {
    /// Length of the time that a limit is for, in milliseconds.
    static let window: Int64 = 10_000
    /// Places for 8192 addresses in 128 KiB.
    private let buckets = Mutex(BucketTable(sets: 1024))

    /// One more connection of the address was ended for a flood.
    ///
    /// - Parameters:
    ///   - limit: floods within the window, at least 1.
    ///   - now: milliseconds.
    func note(_ address: IPAddress, limit: Int, now: Int64) {
        let key = RateLimiter.key(address)
        _ = buckets.withLock { $0.take(key, at: now * 1_000_000, FloodRecord.rate(limit)) }
    }

    /// Whether the address has used up its floods; another one is forgiven each time a part of the window has passed.
    func bars(_ address: IPAddress, limit: Int, now: Int64) -> Bool {
        let key = RateLimiter.key(address)
        return buckets.withLock { $0.isUsedUp(key, at: now * 1_000_000, FloodRecord.rate(limit)) }
    }

    private static func rate(_ limit: Int) -> BucketRate {
        BucketRate(limit, perMilliseconds: FloodRecord.window, burst: limit)
    }
}
