/// A budget of events for each window of time.
struct H2Budget {
    /// The remaining budget; above the limit if more was earned.
    private var left: Int
    private var windowEnd: Int64 = 0
    private let limit: Int

    init(_ limit: Int) {
        self.limit = limit
        left = limit
    }

    /// Spends one event at a time in milliseconds. Returns false if the budget of the window is exhausted.
    mutating func spend(now: Int64, window: Int64) -> Bool {
        if now >= windowEnd {
            windowEnd = now &+ window
            left = max(left, limit)
        }
        left &-= 1
        return left >= 0
    }

    /// Adds to the budget for legitimate causes.
    mutating func earn(_ count: Int) {
        left = min(left &+ count, 1_000_000)
    }
}
