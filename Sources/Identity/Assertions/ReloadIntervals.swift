/// When a cache is reloaded (JWT-04 to JWT-07, JWT-33, JWT-34).
package struct ReloadIntervals: Sendable, Equatable {
    /// Seconds after an attempt during which a miss does not trigger another one.
    package var minimum: Int64
    /// Seconds after an attempt from which even a hit triggers a reload.
    package var maximum: Int64

    package static let policy = ReloadIntervals(minimum: 10, maximum: 120)
    package static let certificates = ReloadIntervals(minimum: 10, maximum: 300)

    package init(minimum: Int64, maximum: Int64) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Whether a request must wait for a reload.
    /// - Parameters:
    ///   - age: seconds since the last attempt; nil before the first.
    ///   - hit: whether the cache has what the request needs.
    package func isDue(age: Int64?, hit: Bool) -> Bool {
        // After the clock was set back the age is unknown.
        guard let age, age >= 0 else { return true }
        return age > maximum || (!hit && age >= minimum)
    }
}

/// The state of one cache's reloads. At most one runs; other requests join it. Time is an argument.
package struct ReloadState: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Use the cached value.
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

    /// Decides for one request.
    package mutating func ask(now: Int64, hit: Bool, _ intervals: ReloadIntervals) -> Action {
        // Never use a value that is being replaced: the reload may withdraw it.
        if isUnderway { return .join }
        guard intervals.isDue(age: attemptedAt.map { now - $0 }, hit: hit) else { return .use }
        attemptedAt = now
        isUnderway = true
        return .start
    }

    /// The load has ended, successfully or not.
    package mutating func finish() { isUnderway = false }
}
