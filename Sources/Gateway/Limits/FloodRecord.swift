import Identity
import Model
import Synchronization

/// Addresses whose connections were recently closed for a flood, across all workers. An address is an IPv4 address or
/// an IPv6 /64.
///
/// A flood is cut off soon, but each reconnection costs a handshake, which is most of the expense. Each address
/// therefore has a bucket of floods, and is refused while the bucket is exhausted.
final class FloodRecord: Sendable {
    /// The window of the limit, in milliseconds.
    static let window: Int64 = 10_000
    /// Room for 8192 addresses in 128 KiB.
    private let buckets = Mutex(BucketTable(sets: 1024))

    /// Records a connection of the address that was closed for a flood.
    ///
    /// - Parameters:
    ///   - limit: floods per window, at least 1.
    ///   - now: milliseconds.
    func note(_ address: IPAddress, limit: Int, now: Int64) {
        let key = RateLimiter.key(address)
        _ = buckets.withLock { $0.take(key, at: now * 1_000_000, FloodRecord.rate(limit)) }
    }

    /// Whether the address has exhausted its bucket; it refills evenly over the window.
    func bars(_ address: IPAddress, limit: Int, now: Int64) -> Bool {
        let key = RateLimiter.key(address)
        return buckets.withLock { $0.isUsedUp(key, at: now * 1_000_000, FloodRecord.rate(limit)) }
    }

    private static func rate(_ limit: Int) -> BucketRate {
        BucketRate(limit, perMilliseconds: FloodRecord.window, burst: limit)
    }
}
