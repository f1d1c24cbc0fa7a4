import Model
import TestSupport
import Testing

@testable import Gateway

@Suite struct UpstreamQueueTests {
    @Test func firstComeFirstServed() {
        let queue = RequestQueue()
        for exchange in 1...3 as ClosedRange<UInt64> { #expect(queue.enqueue(exchange, until: 10, limit: 3) != nil) }
        #expect(queue.enqueue(4, until: 10, limit: 3) == nil)
        #expect((0..<4).map { _ in queue.takeFirst() } == [1, 2, 3, nil])
        #expect(queue.isEmpty && queue.nextDeadline == nil)
    }

    @Test func whoseTimeIsOverLeaves() {
        let queue = RequestQueue()
        for exchange in 1...3 as ClosedRange<UInt64> {
            _ = queue.enqueue(exchange, until: Int64(exchange) * 10, limit: 3)
        }
        #expect(queue.nextDeadline == 10)
        #expect(queue.takeExpired(9) == nil)
        #expect(queue.takeExpired(25) == 1)
        #expect(queue.takeExpired(25) == 2)
        #expect(queue.takeExpired(25) == nil)
        #expect(queue.nextDeadline == 30)
    }

    /// Against a list: whatever the order of entering, leaving and being served.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func behavesLikeAList(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let queue = RequestQueue()
        var model: [(exchange: UInt64, place: Int)] = []
        for step in 0..<3000 as Range<UInt64> {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let place = queue.enqueue(step, until: Int64(step), limit: 20)
                #expect((place == nil) == (model.count == 20))
                if let place { model.append((step, place)) }
            case 2:
                #expect(queue.takeFirst() == model.first?.exchange)
                if !model.isEmpty { model.removeFirst() }
            default:
                guard let victim = model.randomElement(using: &random) else { continue }
                queue.withdraw(at: victim.place)
                model.removeAll { $0.exchange == victim.exchange }
            }
            #expect(queue.count == model.count)
            #expect(queue.nextDeadline == model.first.map { Int64($0.exchange) })
        }
    }
}

@Suite struct UpstreamRetryBudgetTests {
    private static func settings(percent: Int, least: Int) -> RetrySettings {
        var settings = RetrySettings()
        settings.budgetPercent = percent
        settings.minimumPerSecond = least
        return settings
    }

    @Test func aFewAreFreeInEverySecond() {
        var budget = RetryBudget()
        let settings = Self.settings(percent: 0, least: 2)
        for expected in [true, true, false, false] { #expect(budget.takeRetry(1000, settings) == expected) }
        for expected in [true, true, false] { #expect(budget.takeRetry(2000, settings) == expected) }
    }

    @Test func theRestIsAShareOfTheRequests() {
        var budget = RetryBudget()
        let settings = Self.settings(percent: 20, least: 0)
        budget.noted(requests: 100, 1000)
        for attempt in 0..<30 { #expect(budget.takeRetry(5000, settings) == (attempt < 20)) }
        // Ten seconds later requests do not count any more, and neither do retries.
        #expect(budget.takeRetry(11_000, settings) == false)
        budget.noted(requests: 10, 16_000)
        for attempt in 0..<30 { #expect(budget.takeRetry(16_000, settings) == (attempt < 2)) }
    }

    /// Under a total outage every request asks for a retry: attempts stay under (1 + share) of the requests.
    @Test(arguments: [0, 10, 20, 50])
    func attemptsStayWithinTheShare(_ percent: Int) {
        var budget = RetryBudget()
        let settings = Self.settings(percent: percent, least: 0)
        var random = SeededRandom(seed: 5)
        var (now, retries) = (0 as Int64, 0)
        for _ in 0..<50_000 {
            now += Int64.random(in: 0..<4, using: &random)
            budget.noted(requests: 1, now)
            if budget.takeRetry(now, settings) { retries += 1 }
        }
        #expect(retries <= 50_000 * percent / 100)
        #expect(retries >= 50_000 * percent * 9 / 1000)
    }
}
