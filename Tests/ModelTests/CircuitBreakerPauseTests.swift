import Testing

@testable import Model

/// Pauses of a server that fails again and again.
@Suite struct CircuitBreakerPauseTests {
    /// A breaker that expectations can ask.
    private final class Bench {
        var breaker = CircuitBreaker()
        var settings = CircuitBreaker.Settings(pause: 1000, longestPause: 60_000)

        init(openedWith spread: Int64? = nil) {
            settings.failures = 5
            guard let spread else { return }
            for _ in 0..<5 { _ = failed(0, spread: spread) }
        }

        func admit(_ now: Int64) -> CircuitBreaker.Verdict { breaker.admit(now) }

        func failed(_ now: Int64, probe: Bool = false, asked: Int64 = 0, spread: Int64 = 0) -> Bool {
            breaker.failed(now, probe: probe, asked: asked, spread: spread, settings)
        }
    }

    @Test func opensAfterFailuresInARow() {
        let bench = Bench()
        for _ in 0..<4 { #expect(!bench.failed(0)) }
        bench.breaker.succeeded(0, probe: false, bench.settings)
        for _ in 0..<4 { #expect(!bench.failed(0)) }
        #expect(bench.admit(0) == .pass)
        #expect(bench.failed(0, spread: 1000))
        #expect(bench.breaker.state == .open)
        #expect(bench.admit(400) == .refuse(600))
    }

    @Test func oneProbeDecides() {
        let bench = Bench(openedWith: 1000)
        #expect(bench.admit(1000) == .probe)
        #expect(bench.admit(1000) == .refuse(1000))
        // What was under way when it opened says nothing new.
        bench.breaker.succeeded(0, probe: false, bench.settings)
        #expect(bench.breaker.state == .halfOpen)
        bench.breaker.succeeded(0, probe: true, bench.settings)
        #expect(bench.admit(1000) == .pass)
    }

    /// Between half and whole of a pause that doubles up to a minute.
    @Test func pausesGrowAndAreSpread() {
        for (spread, share) in [(Int64(0), Int64(2)), (1000, 1)] {
            let bench = Bench(openedWith: spread)
            var now: Int64 = 0
            for whole in [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] as [Int64] {
                #expect(bench.admit(now + whole / share - 1) == .refuse(1))
                now += whole / share
                #expect(bench.admit(now) == .probe)
                #expect(bench.failed(now, probe: true, spread: spread))
            }
        }
    }

    /// RFC 9110 section 10.2.3: once is enough where the issuer itself says for how long, within reason.
    @Test func pauseThatTheIssuerAsksFor() {
        let bench = Bench()
        #expect(bench.failed(0, asked: 20_000))
        #expect(bench.admit(0) == .refuse(20_000))
        let patient = Bench()
        #expect(patient.failed(0, asked: 3_600_000))
        #expect(patient.admit(0) == .refuse(60_000))
    }

    @Test func lostProbesAreReplaced() {
        let bench = Bench(openedWith: 1000)
        #expect(bench.admit(1000) == .probe)
        bench.breaker.probeLost()
        #expect(bench.admit(1000) == .probe)
        #expect(bench.admit(60_999) == .refuse(1000))
        #expect(bench.admit(61_000) == .probe)
    }

    @Test func mayBeSwitchedOff() {
        let bench = Bench()
        bench.settings.failures = 0
        for _ in 0..<100 { #expect(!bench.failed(0, asked: 5000)) }
        #expect(bench.admit(0) == .pass)
    }
}
