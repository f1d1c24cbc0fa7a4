import Bytes
import Crypto
import Identity
import Model
import Synchronization

/// The buckets of one rate limit, shared by all workers. Only requests of routes with a limit use it; each briefly
/// takes one of sixteen locks.
package final class RateLimiter: Sendable {
    /// A part of the buckets with its own lock.
    private final class Shard: Sendable {
        let buckets: Mutex<BucketTable>
        init(sets: Int) { buckets = Mutex(BucketTable(sets: sets)) }
    }

    package let limit: RateLimit
    private let shards: [Shard]
    private let rate: BucketRate
    private static let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())

    /// - Parameter capacity: number of distinguished callers; see `BucketTable` for what happens beyond it.
    package init(_ limit: RateLimit, capacity: Int = 65_536) {
        self.limit = limit
        rate = BucketRate(limit.requests, perMilliseconds: limit.perMilliseconds, burst: limit.burst)
        let isSingle = limit.key == .route
        let shardCount = isSingle ? 1 : 16
        let sets = isSingle ? 1 : max(1, capacity / BucketTable.ways / shardCount)
        shards = (0..<shardCount).map { _ in Shard(sets: sets) }
    }

    /// Takes one request from the bucket shared by all callers.
    ///
    /// - Parameter now: milliseconds of the monotonic clock.
    /// - Returns: 0 if admitted, otherwise milliseconds until it could be.
    package func admit(now: Int64) -> Int64 { admit(key: 1, now: now) }

    /// Takes one from an address's bucket; IPv6 is counted by /64.
    package func admit(_ address: IPAddress, now: Int64) -> Int64 {
        admit(key: RateLimiter.key(address), now: now)
    }

    /// The bucket key of an address.
    static func key(_ address: IPAddress) -> UInt64 {
        let octets = address.subscriber.octets
        let bytes = InlineArray<16, UInt8> { octets[$0] }
        return hash.hash(bytes.span)
    }

    /// Takes one from a principal's bucket; equal subjects of two issuers are distinct, and so are those with the keys of two
    /// consumers.
    package func admit(_ principal: Principal, now: Int64) -> Int64 {
        let text = principal.subjectBytes
        let subject = RateLimiter.hash.hash(text.span)
        let name = principal.issuer.utf8
        let issuer = RateLimiter.hash.hash(name.span)
        let kind: UInt64 = principal.kind == .user ? 1 : principal.kind == .client ? 2 : 3
        var key = subject ^ (issuer << 1 | issuer >> 63) ^ kind
        if let consumer = principal.consumer?.subjectBytes {
            let hash = RateLimiter.hash.hash(consumer.span)
            key ^= hash << 2 | hash >> 62
        }
        return admit(key: key, now: now)
    }

    private func admit(key: UInt64, now: Int64) -> Int64 {
        let shard = shards[Int(truncatingIfNeeded: key >> 60) & (shards.count - 1)]
        let wait = shard.buckets.withLock { $0.take(key, at: now * 1_000_000, rate) }
        return (wait + 999_999) / 1_000_000
    }
}

/// Limiters by their settings, kept across reloads so that a reload does not refill buckets.
package final class RateLimiters: Sendable {
    private let known = Mutex<[RateLimit: RateLimiter]>([:])

    package init() {}

    /// The limiter for these settings, an existing one if there is one.
    package func limiter(_ limit: RateLimit) -> RateLimiter {
        known.withLock { known in
            if let limiter = known[limit] { return limiter }
            let limiter = RateLimiter(limit)
            known[limit] = limiter
            return limiter
        }
    }

    /// Removes the limiters of earlier configurations; called when a new one takes effect.
    package func keep(only limits: Set<RateLimit>) {
        known.withLock { $0 = $0.filter { limits.contains($0.key) } }
    }
}
