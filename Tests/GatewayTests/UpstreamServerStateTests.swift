import Model
import TestSupport
import Testing

@testable import Gateway

/// The small state machines behind a server: health by active checks, ejection by failed requests, slow start.
@Suite struct UpstreamServerStateTests {
    private static let checks: HealthCheckSettings = {
        var checks = HealthCheckSettings(path: "/health")
        checks.healthy = 2
        checks.unhealthy = 3
        return checks
    }()

    // MARK: Health

    @Test func aServerIsUsableUntilItIsChecked() {
        var health = ServerHealth()
        #expect(health.isUp)
        #expect(health.checked(false, Self.checks) == .wentDown)
        #expect(!health.isUp)
    }

    @Test func thresholdsCountAnswersInARow() {
        var health = ServerHealth()
        #expect(health.checked(true, Self.checks) == .none)
        for answer in [false, false, true, false, false] { #expect(health.checked(answer, Self.checks) == .none) }
        #expect(health.checked(false, Self.checks) == .wentDown)
        for answer in [true, false, true, false] { #expect(health.checked(answer, Self.checks) == .none) }
        #expect(health.checked(true, Self.checks) == .none)
        #expect(health.checked(true, Self.checks) == .wentUp)
        #expect(health.isUp)
    }

    @Test func pausesSpreadByATenth() {
        var random = SeededRandom(seed: 3)
        let pauses = (0..<1000).map { _ in ServerHealth.pause(Self.checks, random: random.next()) }
        #expect(pauses.allSatisfy { (9000...11_000).contains($0) })
        #expect(Set(pauses).count > 300)
        var short = Self.checks
        short.interval = 1
        #expect(ServerHealth.pause(short, random: 9) == 1)
    }

    // MARK: Ejection

    private static let rules: EjectionSettings = {
        var rules = EjectionSettings()
        rules.failures = 3
        rules.time = 100
        return rules
    }()

    @Test func failuresInARowEject() {
        var state = ServerEjection()
        for expected in [false, false] { #expect(state.failed(0, Self.rules) == expected) }
        state.succeeded()
        for expected in [false, false, true] { #expect(state.failed(0, Self.rules) == expected) }
        #expect(!state.isEjected(0))
        state.eject(0, Self.rules)
        #expect(state.isEjected(0) && state.isEjected(99) && !state.isEjected(100))
    }

    @Test func whatWasUnderWayDoesNotCount() {
        var state = ServerEjection()
        state.eject(0, Self.rules)
        for _ in 0..<10 { #expect(state.failed(50, Self.rules) == false) }
        #expect(state.failuresInRow == 0)
    }

    /// One failure is enough for a server that is back from its time out, until a request succeeds.
    @Test func aServerComesBackOnTrial() {
        var state = ServerEjection()
        state.eject(0, Self.rules)
        #expect(state.failed(100, Self.rules) == true)
        state.eject(100, Self.rules)
        state.succeeded()
        #expect(state.failed(400, Self.rules) == false)
    }

    @Test func theTimeOutGrowsUpToABound() {
        var state = ServerEjection()
        var now: Int64 = 0
        var times: [Int64] = []
        for _ in 0..<13 {
            state.eject(now, Self.rules)
            times.append(state.until - now)
            now = state.until
        }
        #expect(times == [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1000, 1000, 1000])
        // Good behaviour for the longest time out is a new beginning.
        state.eject(now + 1001, Self.rules)
        #expect(state.until == now + 1101)
    }

    @Test(arguments: [(1, 50, 0), (2, 50, 1), (3, 50, 1), (10, 30, 3), (4, 100, 4), (4, 0, 0)])
    func onlySoManyMayBeOut(_ servers: Int, _ percent: Int, _ allowed: Int) {
        var rules = Self.rules
        rules.maximumPercent = percent
        #expect(ServerEjection.allowed(of: servers, rules) == allowed)
    }

    // MARK: Slow start

    @Test func theShareGrowsFromATenth() {
        var start = SlowStart()
        #expect(start.percent(0, of: 1000) == 100)
        start.begin(500)
        #expect(
            [0, 500, 600, 1000, 1499, 1500, 9000].map { start.percent($0, of: 1000) } == [10, 10, 19, 55, 99, 100, 100])
        #expect(start.percent(500, of: 0) == 100)
        start.finish()
        #expect(start.percent(500, of: 1000) == 100)
    }
}
