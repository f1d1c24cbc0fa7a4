import Identity
import Model
import Synchronization
import Testing

/// A wall clock that is set back, beside one that runs on.
@Suite struct SteadyClockTests {
    private final class Time: Sendable {
        private let value = Mutex<Int64>(1)
        var clock: SteadyClock { SteadyClock { [self] in value.withLock { $0 } } }
        func pass(_ seconds: Int64) { value.withLock { $0 += seconds } }
    }

    private static let wall: Int64 = 1_700_000_000

    @Test("the system's clock advances")
    func theSystemsClockRuns() {
        let first = SteadyClock.system.seconds(0)
        #expect(first > 0 && SteadyClock.system.seconds(-1_000_000) >= first)
        #expect(SteadyClock.ofCaller.seconds(7) == 7)
    }

    @Test("throttles are unaffected by steps of the wall clock", arguments: [-3600, -400, 0, 400, 3600])
    func throttlesCountByTheSteadyClock(_ step: Int64) {
        var settings = LoginThrottle.Settings()
        settings.failuresPerUser = 3
        settings.failuresPerNetwork = 5
        settings.perMilliseconds = 300_000
        let time = Time()
        let throttle = LoginThrottle(settings, clock: time.clock)
        func admits(_ user: String, at wall: Int64) -> Bool {
            guard
                case .admitted(let attempt) = throttle.admit(user: user, realm: "R", network: [10, 0, 0, 1], now: wall)
            else { return false }
            attempt.failed()
            return true
        }
        func comesBack(at wall: Int64) -> Bool {
            throttle.count(network: [10, 0, 0, 1], now: wall) == nil
        }
        for _ in 0..<3 { #expect(admits("joe", at: Self.wall)) }
        for _ in 0..<2 { #expect(comesBack(at: Self.wall)) }
        let later = Self.wall + step
        #expect(!admits("joe", at: later) && !comesBack(at: later), "the step is no time that has passed")
        time.pass(59)
        #expect(!comesBack(at: later + 59))
        time.pass(1)
        #expect(comesBack(at: later + 60))
        time.pass(60)
        #expect(admits("joe", at: later + 120))
        #expect(!admits("joe", at: later + 120))
    }

    @Test("cache terms end when the clock is set back")
    func termsEndWithASetClock() {
        let term = CacheTerm(from: 1000, seconds: 60)
        #expect([1000, 1059, 999, 998].allSatisfy(term.covers))
        #expect(![1060, 997, 600, -2600].contains(where: term.covers))
    }

    @Test("cached passwords are checked again when the clock is set back")
    func passwordsAreLookedAtAgain() {
        let cache = PasswordCache(seconds: 60)
        let text = Array("am9lOng=".utf8)
        let digest = cache.digest(of: text.span, context: 1)
        let joe = Principal(
            kind: .user, method: .basic, subject: "joe", issuer: "local", backendID: "b", roles: RoleSet(),
            catalogue: RoleCatalogue([]), level: 1)
        cache.insert(digest, joe, now: 1000)
        #expect(cache.known(digest, now: 1030) != nil)
        #expect(cache.known(digest, now: 600) == nil)
    }
}
