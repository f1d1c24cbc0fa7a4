/// How often something may happen within a window of time.
struct H2Budget {
    /// Spent down; may be more than the limit for what has been earned.
    private var left: Int
    private var windowEnd: Int64 = 0
    private let limit: Int

    init(_ limit: Int) {
        self.limit = limit
        left = limit
    }

    /// One more at this time, in milliseconds. Answers false once the window's budget is spent.
    mutating func spend(now: Int64, window: Int64) -> Bool {
        if now >= windowEnd {
            windowEnd = now &+ window
            left = max(left, limit)
        }
        left &-= 1
        return left >= 0
    }

    /// Allows that many more, for work that gives the peer cause.
    mutating func earn(_ count: Int) {
        left = min(left &+ count, 1_000_000)
    }
}
