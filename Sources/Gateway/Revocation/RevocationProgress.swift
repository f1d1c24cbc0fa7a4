import TokenStorage

/// Progress of following the store's deny list. Times are milliseconds of the monotonic clock.
struct RevocationProgress: Sendable {
    /// Result of processing an answer of the store.
    struct Progress: Equatable {
        /// Whether to ask for more immediately.
        var hasMore = false
        /// The previous condition of the list; it is now current unless there is more.
        var before = Condition.current
    }

    /// Completeness of the known deny list.
    enum Condition: Sendable {
        /// Not yet complete.
        case starting
        case current
        /// The store no longer answers.
        case lost
    }

    /// Whether there is anything to follow: other processes, or entries from before this process.
    let isShared: Bool
    /// Sequence number of the last known entry.
    private(set) var place: Int64 = 0
    private(set) var condition: Condition
    /// When the last answered query was sent.
    private(set) var answeredAt: Int64
    private var askedAt: Int64 = .min
    private var isAsking = false
    /// Whether the store may have lost acknowledged entries, so that it must be compared with the known list.
    private var isDoubtful = false
    private var isComparing = false
    /// When the next comparison, which reads the whole list, is due; nil if none is.
    private var comparesAt: Int64?
    /// When the last comparison began.
    private var comparedAt: Int64?
    /// From a doubt to the comparison.
    private let comparisonDelay: Int64
    private static let comparisonPause: Int64 = 2000
    var succeeded: UInt64 = 0
    var failed: UInt64 = 0
    /// Why the store did not answer the last time.
    var lastFailure: StoreFailure?
    /// Number of entries that could not be read.
    private(set) var skipped: UInt64 = 0
    private var toldSkippedAt: Int64?
    private static let skippedPause: Int64 = 60_000

    init(isShared: Bool, now: Int64, comparisonDelay: Int64 = 0) {
        self.isShared = isShared
        self.comparisonDelay = comparisonDelay
        condition = isShared ? .starting : .current
        answeredAt = now
    }

    /// Whether to query the store now; true counts as queried. One query at a time.
    mutating func shouldAsk(now: Int64, every pause: Int64) -> Bool {
        guard isShared, !isAsking, askedAt == .min || now - askedAt >= pause else { return false }
        isAsking = true
        askedAt = now
        return true
    }

    /// The store was unavailable, failed a write, or has less than before.
    mutating func doubt() { isDoubtful = isShared }

    /// Whether to compare everything now; true counts as begun. One comparison at a time, beside the queries.
    mutating func shouldCompare(now: Int64) -> Bool {
        guard isDoubtful, !isComparing, condition != .starting else { return false }
        let due =
            comparesAt
            ?? max(now, comparedAt.map { $0 + RevocationProgress.comparisonPause } ?? now) + comparisonDelay
        comparesAt = due
        guard now >= due else { return false }
        comparesAt = nil
        comparedAt = now
        (isDoubtful, isComparing) = (false, true)
        return true
    }

    /// The comparison has ended.
    mutating func compared() { isComparing = false }

    /// Counts entries that could not be read. Returns whether to report them: once a minute.
    mutating func skip(_ count: Int, now: Int64) -> Bool {
        skipped += UInt64(count)
        guard count > 0, toldSkippedAt.map({ now - $0 >= RevocationProgress.skippedPause }) ?? true else {
            return false
        }
        toldSkippedAt = now
        return true
    }

    /// Whether the list has just become stale.
    mutating func expires(now: Int64, after limit: Int64) -> Bool {
        guard isShared, condition != .lost, now - answeredAt > limit else { return false }
        condition = .lost
        return true
    }

    /// The periodic query has ended.
    mutating func asked() { isAsking = false }

    /// Processes the store's entries after `from`.
    ///
    /// - Parameters:
    ///   - last: sequence number of the last returned entry; nil for none.
    ///   - isPage: whether the limit was reached.
    ///   - latest: the highest assigned sequence number.
    ///   - askedAt: when the query was sent.
    mutating func receive(from: Int64, last: Int64?, isPage: Bool, latest: Int64, askedAt: Int64) -> Progress {
        // The store was emptied or replaced: all its entries are new.
        if latest < from {
            place = 0
            doubt()
            return Progress(hasMore: true)
        }
        place = max(place, isPage ? last ?? place : max(latest, last ?? 0))
        answeredAt = max(answeredAt, askedAt)
        if isPage { return Progress(hasMore: true) }
        defer { condition = .current }
        return Progress(before: condition)
    }
}
