/// Buckets from which only failures take. An attempt under way holds a place, which it gives back unless it fails.
struct AttemptBuckets: Sendable {
    enum Place: Sendable {
        case taken
        /// The attempts under way hold all places that are left.
        case busy
        /// - Parameter nanoseconds: until there is a place.
        case usedUp(nanoseconds: Int64)
    }

    private var table: BucketTable
    private var underWay: [UInt64: Int] = [:]

    init(sets: Int) { table = BucketTable(sets: sets) }

    /// - Parameter now: nanoseconds.
    mutating func take(_ key: UInt64, at now: Int64, _ rate: BucketRate) -> Place {
        let wait = table.take(key, at: now, rate)
        guard wait > 0 else {
            underWay[key, default: 0] += 1
            return .taken
        }
        let held = Int64(underWay[key] ?? 0) * rate.interval
        return wait > held ? .usedUp(nanoseconds: wait - held) : .busy
    }

    /// The attempt of a taken place has ended.
    mutating func end(_ key: UInt64, _ rate: BucketRate?, hasFailed: Bool) {
        if !hasFailed, let rate { table.giveBack(key, rate) }
        guard let count = underWay[key] else { return }
        underWay[key] = count > 1 ? count - 1 : nil
    }

    /// Whether failures have taken a place that has not come back.
    func hasFailures(_ key: UInt64, at now: Int64, _ rate: BucketRate) -> Bool {
        table.usedUntil(key) - Int64(underWay[key] ?? 0) * rate.interval > now
    }
}
