import TestSupport
import Testing

@testable import Model

@Suite struct CircuitBreakerTests {
    private static let rules: CircuitBreaker.Settings = {
        var rules = CircuitBreaker.Settings(pause: 100)
        rules.failures = 3
        return rules
    }()

    private static func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.failed(0, probe: false, rules) }
        return breaker
    }

    @Test func failuresInARowOpen() {
        var breaker = CircuitBreaker()
        breaker.failed(0, probe: false, Self.rules)
        breaker.failed(0, probe: false, Self.rules)
        breaker.succeeded(0, probe: false, Self.rules)
        breaker.failed(0, probe: false, Self.rules)
        breaker.failed(0, probe: false, Self.rules)
        #expect(breaker.admit(0) == .pass)
        breaker.failed(0, probe: false, Self.rules)
        #expect(breaker.state == .open)
        #expect(breaker.admit(40) == .refuse(60))
        #expect(breaker.opened == 1)
    }

    @Test func oneRequestProbes() {
        var breaker = Self.opened()
        #expect(breaker.admit(100) == .probe)
        #expect(breaker.state == .halfOpen)
        #expect(breaker.admit(100) == .refuse(1000))
        breaker.succeeded(120, probe: true, Self.rules)
        #expect(breaker.state == .closed)
        #expect(breaker.admit(120) == .pass)
        // The earlier failures are forgotten.
        breaker.failed(120, probe: false, Self.rules)
        #expect(breaker.state == .closed)
    }

    @Test func aFailedProbeOpensAgain() {
        var breaker = Self.opened()
        #expect(breaker.admit(100) == .probe)
        breaker.failed(150, probe: true, Self.rules)
        #expect(breaker.admit(249) == .refuse(1))
        #expect(breaker.admit(250) == .probe)
        #expect(breaker.opened == 2)
    }

    @Test func aLostProbeIsFollowedByAnother() {
        var breaker = Self.opened()
        #expect(breaker.admit(100) == .probe)
        breaker.probeLost()
        #expect(breaker.admit(101) == .probe)
    }

    @Test func whatWasUnderWayDecidesNothing() {
        var breaker = Self.opened()
        breaker.succeeded(50, probe: false, Self.rules)
        #expect(breaker.state == .open)
        breaker.failed(50, probe: false, Self.rules)
        #expect(breaker.admit(99) == .refuse(1))
        #expect(breaker.admit(100) == .probe)
        breaker.succeeded(100, probe: false, Self.rules)
        breaker.failed(100, probe: false, Self.rules)
        #expect(breaker.state == .halfOpen)
    }

    @Test func aShareOfAWindowOpens() {
        var rules = CircuitBreaker.Settings()
        rules.errorPercent = 50
        rules.minimumRequests = 10
        rules.windowMilliseconds = 1000
        var breaker = CircuitBreaker()
        for _ in 0..<9 { breaker.failed(0, probe: false, rules) }
        #expect(breaker.state == .closed)
        // Another window: what was before does not count.
        for _ in 0..<6 { breaker.succeeded(1000, probe: false, rules) }
        for _ in 0..<5 { breaker.failed(1500, probe: false, rules) }
        #expect(breaker.state == .closed)
        breaker.failed(1999, probe: false, rules)
        #expect(breaker.state == .open)
    }

    /// For any events in any order: never two probes at once, and nothing passes an open breaker in its time.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func holdsItsPromises(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var breaker = CircuitBreaker()
        var (now, probes, openUntil) = (0 as Int64, 0, Int64.min)
        for _ in 0..<3000 {
            now += Int64.random(in: 0..<30, using: &random)
            let before = breaker.opened
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                switch breaker.admit(now) {
                case .pass: #expect(now >= openUntil && probes == 0)
                case .probe:
                    #expect(now >= openUntil)
                    probes += 1
                case .refuse(let time): #expect(time > 0)
                }
            case 1 where probes > 0:
                probes -= 1
                switch Int.random(in: 0..<3, using: &random) {
                case 0: breaker.probeLost()
                case 1: breaker.succeeded(now, probe: true, Self.rules)
                default: breaker.failed(now, probe: true, Self.rules)
                }
            case 2: breaker.failed(now, probe: false, Self.rules)
            default: breaker.succeeded(now, probe: false, Self.rules)
            }
            #expect(probes <= 1)
            if breaker.opened > before { openUntil = now + 100 }
        }
        #expect(breaker.opened > 0)
    }
}
