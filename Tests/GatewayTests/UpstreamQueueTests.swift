import Model
import TestSupport
import Testing

@testable import Gateway

@Suite struct UpstreamQueueTests {
    private static let networks = (1...3).map { IPAddress("192.0.2.\($0)") }

    /// The requests in the order in which they are served.
    private func serveAll(_ queue: RequestQueue, _ places: [UInt64: Int]) throws -> [UInt64] {
        var served: [UInt64] = []
        while let exchange = queue.first {
            queue.withdraw(at: try #require(places[exchange]))
            served.append(exchange)
        }
        #expect(queue.isEmpty && queue.isIdle && queue.nextDeadline == nil)
        return served
    }

    @Test func networksTakeTurns() throws {
        let queue = RequestQueue()
        var places: [UInt64: Int] = [:]
        for (exchange, network) in [(1, 0), (2, 0), (3, 0), (4, 1), (5, 2), (6, 1)] as [(UInt64, Int)] {
            places[exchange] = queue.enqueue(exchange, of: Self.networks[network], until: 10, limit: 6)
        }
        #expect(queue.enqueue(7, of: nil, until: 10, limit: 6) == nil)
        #expect(try serveAll(queue, places) == [1, 4, 5, 2, 6, 3])
    }

    @Test func aNetworkThatHasMostMakesRoom() throws {
        let queue = RequestQueue()
        var places: [UInt64: Int] = [:]
        for exchange in 1...3 as ClosedRange<UInt64> {
            places[exchange] = queue.enqueue(exchange, of: Self.networks[0], until: Int64(exchange), limit: 3)
        }
        #expect(queue.displaced(by: Self.networks[0]) == nil)
        #expect(queue.displaced(by: Self.networks[1]) == 3)
        places[4] = queue.enqueue(4, of: Self.networks[1], until: 4, limit: 3)
        #expect(queue.count == 3 && queue.displaced(by: Self.networks[1]) == nil)
        #expect(try serveAll(queue, places) == [1, 4, 2])
    }

    @Test func bodiesThatArriveKeepItFromBeingIdle() {
        let queue = RequestQueue()
        queue.arrives(of: Self.networks[0])
        queue.arrives(of: Self.networks[0])
        queue.arrives(of: nil)
        #expect(queue.isEmpty && !queue.isIdle)
        #expect((Self.networks + [nil]).map { queue.arriving(of: $0) } == [2, 0, 0, 1])
        queue.arrived(of: Self.networks[1])
        for network in [Self.networks[0], nil, Self.networks[0]] {
            #expect(!queue.isIdle)
            queue.arrived(of: network)
        }
        #expect(queue.isIdle)
    }

    @Test func whoseTimeIsOverLeaves() {
        let queue = RequestQueue()
        for exchange in 1...3 as ClosedRange<UInt64> {
            _ = queue.enqueue(exchange, of: nil, until: Int64(exchange) * 10, limit: 3)
        }
        #expect(queue.nextDeadline == 10)
        #expect(queue.takeExpired(9) == nil)
        #expect(queue.takeExpired(25) == 1)
        #expect(queue.takeExpired(25) == 2)
        #expect(queue.takeExpired(25) == nil)
        #expect(queue.nextDeadline == 30 && queue.first == 3)
    }

    /// Against lists by network, in any order of entering, leaving and being served.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func behavesLikeLists(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let queue = RequestQueue()
        var model: [(exchange: UInt64, network: IPAddress?, place: Int)] = []
        for step in 0..<3000 as Range<UInt64> {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let network = Self.networks.randomElement(using: &random)!
                let place = queue.enqueue(step, of: network, until: Int64(step), limit: 20)
                #expect((place == nil) == (model.count == 20))
                if let place { model.append((step, network, place)) }
            case 2:
                // The oldest of its network.
                guard let next = model.first(where: { $0.exchange == queue.first }) else {
                    #expect(model.isEmpty && queue.first == nil)
                    continue
                }
                #expect(model.first { $0.network == next.network }?.exchange == next.exchange)
                queue.withdraw(at: next.place)
                model.removeAll { $0.exchange == next.exchange }
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
