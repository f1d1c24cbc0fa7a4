/// When a cache is filled anew (JWT-04 to JWT-07, JWT-33, JWT-34).
package struct ReloadIntervals: Sendable, Equatable {
    /// Seconds: while the last attempt is younger, what is missing stays missing.
    package var minimum: Int64
    /// Seconds: once the last attempt is older, what is there is not believed any more.
    package var maximum: Int64

    package static let policy = ReloadIntervals(minimum: 10, maximum: 120)
    package static let certificates = ReloadIntervals(minimum: 10, maximum: 300)

    package init(minimum: Int64, maximum: Int64) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Whether a request makes the cache load before it goes on.
    /// - Parameters:
    ///   - age: seconds since the last attempt; nil where there was none.
    ///   - hit: whether what the request needs is in the cache.
    package func isDue(age: Int64?, hit: Bool) -> Bool {
        // A clock that was set back says nothing of the age.
        guard let age, age >= 0 else { return true }
        return age > maximum || (!hit && age >= minimum)
    }
}

/// The reloads of one cache: who starts one, and who waits for it. Time is an argument.
package struct ReloadState: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// What is in the cache is what there is.
        case use
        /// Load, and report with `finish`.
        case start
        /// A load is under way: wait for it.
        case join
    }

    /// Seconds since 1970; a failed attempt counts (JWT-08).
    package private(set) var attemptedAt: Int64?
    package private(set) var isUnderway = false

    package init(attemptedAt: Int64? = nil) { self.attemptedAt = attemptedAt }

    /// A request needs the cache.
    package mutating func ask(now: Int64, hit: Bool, _ intervals: ReloadIntervals) -> Action {
        // Nobody goes on with what is being replaced: it may be about to be withdrawn.
        if isUnderway { return .join }
        guard intervals.isDue(age: attemptedAt.map { now - $0 }, hit: hit) else { return .use }
        attemptedAt = now
        isUnderway = true
        return .start
    }

    /// The load is over, well or not.
    package mutating func finish() { isUnderway = false }
}
