/// How far a process has followed the deny list of its store. Times are milliseconds of the clock that never goes back.
struct Following: Sendable {
    /// What an answer of the store means.
    struct Progress: Equatable {
        /// There is more to ask for at once.
        var hasMore = false
        /// What the condition of the list was; it is current now, unless there is more.
        var before = Condition.current
    }

    /// What is known of the deny list.
    enum Condition: Sendable {
        /// Not all of it yet.
        case starting
        case current
        /// The store says nothing any more.
        case lost
    }

    /// Whether there is anything to follow: others that revoke, or a time before this process.
    let isShared: Bool
    /// The last entry that is known.
    private(set) var place: Int64 = 0
    private(set) var condition: Condition
    /// When the question was asked that was answered last.
    private(set) var answeredAt: Int64
    private var askedAt: Int64 = .min
    private var isAsking = false
    /// The store may have lost what it had acknowledged: it must be compared with what is known.
    private var isDoubtful = false
    /// When that may be done again: it reads the whole list.
    private var comparesAt: Int64 = .min
    private static let comparisonPause: Int64 = 2000
    var succeeded: UInt64 = 0
    var failed: UInt64 = 0

    init(isShared: Bool, now: Int64) {
        self.isShared = isShared
        condition = isShared ? .starting : .current
        answeredAt = now
    }

    /// Whether the store is to be asked now, which then is taken as done. One question at a time.
    mutating func shouldAsk(now: Int64, every pause: Int64) -> Bool {
        guard isShared, !isAsking, askedAt == .min || now - askedAt >= pause else { return false }
        isAsking = true
        askedAt = now
        return true
    }

    /// The store was away, was told something in vain, or has less than before.
    mutating func doubt() { isDoubtful = isShared }

    /// Whether the next question is to compare everything, which then is taken as done.
    mutating func shouldCompare(now: Int64) -> Bool {
        guard isDoubtful, now >= comparesAt else { return false }
        isDoubtful = false
        comparesAt = now + Following.comparisonPause
        return true
    }

    /// Whether the list has just become out of date.
    mutating func expires(now: Int64, after limit: Int64) -> Bool {
        guard isShared, condition != .lost, now - answeredAt > limit else { return false }
        condition = .lost
        return true
    }

    /// The question of the timer has its answer, or none.
    mutating func asked() { isAsking = false }

    /// The store has told what it denies behind `from`.
    ///
    /// - Parameters:
    ///   - last: place of the last entry that came; nil for none.
    ///   - isPage: whether as many came as were asked for.
    ///   - latest: the highest place that was given out.
    ///   - askedAt: when the question was asked.
    mutating func receive(from: Int64, last: Int64?, isPage: Bool, latest: Int64, askedAt: Int64) -> Progress {
        // The store was emptied, or is another: all it has is news.
        if latest < from {
            place = 0
            doubt()
            return Progress(hasMore: true)
        }
        place = max(place, isPage ? last ?? place : max(latest, last ?? 0))
        if isPage { return Progress(hasMore: true) }
        answeredAt = max(answeredAt, askedAt)
        defer { condition = .current }
        return Progress(before: condition)
    }
}
