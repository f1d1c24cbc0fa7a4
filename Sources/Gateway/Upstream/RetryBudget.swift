import Model

/// Limits an upstream's retries to a share of the requests of the last ten seconds, plus a small minimum. When all
/// servers fail, attempts stay below (1 + share) times the requests, instead of a multiple that keeps the servers down.
struct RetryBudget {
    /// Slots of one second.
    private static let slots = 10

    private var requests = [Int](repeating: 0, count: RetryBudget.slots)
    private var retries = [Int](repeating: 0, count: RetryBudget.slots)
    private var second: Int64 = 0
    private var place = 0
    private var requestSum = 0
    private var retrySum = 0

    /// Counts first attempts.
    ///
    /// - Parameter now: milliseconds of the loop's clock.
    mutating func noted(requests count: Int, _ now: Int64) {
        advance(now)
        requests[place] += count
        requestSum += count
    }

    /// Takes one retry from the budget, if available.
    mutating func takeRetry(_ now: Int64, _ settings: RetrySettings) -> Bool {
        advance(now)
        let share = requestSum * settings.budgetPercent / 100
        // The minimum is per second, not per window: it must not accumulate to a burst.
        guard retrySum < share || retries[place] < settings.minimumPerSecond else { return false }
        retries[place] += 1
        retrySum += 1
        return true
    }

    private mutating func advance(_ now: Int64) {
        let current = now / 1000
        guard current != second else { return }
        for _ in 0..<min(max(0, current - second), Int64(RetryBudget.slots)) {
            place = (place + 1) % RetryBudget.slots
            requestSum -= requests[place]
            retrySum -= retries[place]
            requests[place] = 0
            retries[place] = 0
        }
        second = current
    }
}
