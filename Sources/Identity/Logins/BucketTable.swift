/// A limit in the terms of the generic cell rate algorithm, in nanoseconds.
package struct BucketRate: Sendable {
    /// Time that one request is worth.
    let interval: Int64
    /// How far in the future the time of a bucket may be.
    let tolerance: Int64

    /// - Parameters:
    ///   - count: how many go into the time, at least 1.
    ///   - burst: how many may come at once, at least 1.
    package init(_ count: Int, perMilliseconds: Int64, burst: Int) {
        interval = max(1, perMilliseconds * 1_000_000 / Int64(max(1, count)))
        let (product, overflow) = interval.multipliedReportingOverflow(by: Int64(max(1, burst)))
        tolerance = overflow ? Int64.max / 4 : min(product, Int64.max / 4)
    }
}

/// Buckets of many callers in bounded memory.
///
/// A bucket is one number: until when what was taken from it lasts (the theoretical arrival time of the generic cell
/// rate algorithm, ITU-T I.371). One whose time has passed is full, and forgetting it forgets nothing.
///
/// A caller has one of the eight buckets of its set. If all are taken, a new caller takes over the one that is least used
/// up, with its time. Times of a set therefore only grow, and a caller that lost its bucket finds one that is used up at
/// least as far: no number of addresses gets a caller through faster than its limit. The cost is that new callers are
/// limited while more callers are over the limit than there are buckets.
package struct BucketTable: Sendable {
    package static let ways = 8
    /// Empty until something is taken: a gateway has a dozen tables of 256 KiB, most of which are never used.
    private var keys: [UInt64] = []
    private var times: [Int64] = []
    private let sets: Int

    package init(sets: Int) { self.sets = sets }

    private mutating func makeRoom() {
        keys = Array(repeating: 0, count: sets * BucketTable.ways)
        times = Array(repeating: 0, count: sets * BucketTable.ways)
    }

    /// The places of the set of a key; none before something was taken.
    private func places(_ key: UInt64) -> Range<Int> {
        if keys.isEmpty { return 0..<0 }
        let first = Int(truncatingIfNeeded: key % UInt64(sets)) * BucketTable.ways
        return first..<(first + BucketTable.ways)
    }

    /// Takes one request out of the bucket of a key.
    ///
    /// - Parameters:
    ///   - key: a hash that clients cannot predict. Two callers with one key would share a bucket.
    ///   - now: nanoseconds.
    /// - Returns: 0 where there was one, else the nanoseconds until there is.
    package mutating func take(_ key: UInt64, at now: Int64, _ rate: BucketRate) -> Int64 {
        if keys.isEmpty { makeRoom() }
        let places = places(key)
        var place = places.lowerBound
        for way in places {
            if keys[way] == key {
                place = way
                break
            }
            if times[way] < times[place] { place = way }
        }
        let used = max(times[place], now) + rate.interval
        let excess = used - now - rate.tolerance
        if excess > 0 { return excess }
        keys[place] = key
        times[place] = used
        return 0
    }

    /// Whether nothing is left in the bucket of a key. Takes nothing; a key without a bucket has all of it.
    package func isUsedUp(_ key: UInt64, at now: Int64, _ rate: BucketRate) -> Bool {
        for way in places(key) where keys[way] == key {
            return times[way] + rate.interval - now > rate.tolerance
        }
        return false
    }

    /// Until when what was taken lasts, in nanoseconds; 0 for a key without a bucket.
    package func usedUntil(_ key: UInt64) -> Int64 {
        for way in places(key) where keys[way] == key { return times[way] }
        return 0
    }

    /// Puts back what `take` has taken, where the key still has its bucket.
    package mutating func giveBack(_ key: UInt64, _ rate: BucketRate) {
        for way in places(key) where keys[way] == key {
            times[way] -= rate.interval
            return
        }
    }
}
