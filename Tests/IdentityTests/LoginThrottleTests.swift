import Crypto
import Identity
import Model
import TestSupport
import Testing

@Suite("Login throttle (BASIC-05)") struct LoginThrottleTests {
    static let home: [UInt8] = [10, 0, 0, 1]
    static let away: [UInt8] = [10, 0, 0, 2]
    static let now: Int64 = 1_700_000_000

    static func throttle(perUser: Int = 3, perNetwork: Int = 0, seconds: Int64 = 300) -> LoginThrottle {
        var settings = LoginThrottle.Settings()
        settings.failuresPerUser = perUser
        settings.failuresPerNetwork = perNetwork
        settings.perMilliseconds = seconds * 1000
        return LoginThrottle(settings)
    }

    /// How many attempts in a row are admitted, at most 100, and the seconds that the next one has to wait.
    private func failures(
        _ throttle: LoginThrottle, _ user: String, _ network: [UInt8] = home, at now: Int64 = now, realm: String = "R"
    ) -> (count: Int, wait: Int) {
        for count in 0..<100 {
            switch throttle.admit(user: user, realm: realm, network: network, now: now) {
            case .admitted(let attempt): attempt.failed()
            case .refused(let wait): return (count, wait)
            case .busy: return (count, 0)
            }
        }
        return (100, 0)
    }

    private func logIn(_ throttle: LoginThrottle, _ user: String, _ network: [UInt8], at now: Int64 = now) -> Bool {
        guard case .admitted(let attempt) = throttle.admit(user: user, realm: "R", network: network, now: now) else {
            return false
        }
        attempt.succeeded()
        return true
    }

    @Test("failures of a user are counted across networks")
    func failuresOfAUserAreCountedWhereverTheyComeFrom() {
        let throttle = Self.throttle()
        #expect(failures(throttle, "joe", Self.home) == (3, 100))
        #expect(failures(throttle, "joe", Self.away).count == 0)
        #expect(failures(throttle, "ann", Self.away).count == 3)
        #expect(failures(throttle, "joe", realm: "Other").count == 3, "another realm's joe")
    }

    @Test("attempts are regained over time")
    func theyComeBackWithTime() {
        let throttle = Self.throttle()
        #expect(failures(throttle, "joe").count == 3)
        #expect(failures(throttle, "joe", at: Self.now + 99).count == 0)
        #expect(failures(throttle, "joe", at: Self.now + 100).count == 1)
        #expect(failures(throttle, "joe", at: Self.now + 400).count == 3)
    }

    @Test("a password that is known to be right uses up nothing, and is refused with the guesses")
    func known() {
        let throttle = Self.throttle(perNetwork: 3)
        func isAdmitted(_ network: [UInt8]) -> Bool {
            if case .admitted = throttle.recall(user: "joe", realm: "R", network: network, now: Self.now) {
                true
            } else {
                false
            }
        }
        for _ in 0..<100 { #expect(isAdmitted(Self.home)) }
        #expect(failures(throttle, "joe", Self.away).count == 3)
        #expect(!isAdmitted(Self.away))
        // Strangers do not lock a user out at a known address.
        #expect(isAdmitted(Self.home))
    }

    @Test("successful logins use up no attempts")
    func successfulLoginsAreNotCounted() {
        let throttle = Self.throttle(perNetwork: 3)
        for _ in 0..<50 { #expect(logIn(throttle, "joe", Self.home)) }
        #expect(failures(throttle, "ann", Self.home).count == 3)
    }

    @Test("attackers do not lock a user out of a known network")
    func attackersDoNotLockAUserOutOfKnownNetworks() {
        let throttle = Self.throttle()
        #expect(logIn(throttle, "joe", Self.home))
        #expect(failures(throttle, "joe", Self.away).count == 3)
        #expect(logIn(throttle, "joe", Self.home))
        #expect(!logIn(throttle, "joe", Self.away))
        #expect(failures(throttle, "joe", Self.home).count == 3, "at home he is counted as well")
        #expect(!logIn(throttle, "joe", Self.home))
    }

    @Test("a network that tries many users is throttled")
    func aNetworkThatTriesManyUsersIsHeldBack() {
        let throttle = Self.throttle(perUser: 3, perNetwork: 10)
        var admitted = 0
        for index in 0..<50 {
            if case .admitted(let attempt) = throttle.admit(
                user: "user\(index)", realm: "R", network: Self.away, now: Self.now)
            {
                attempt.failed()
                admitted += 1
            }
        }
        #expect(admitted == 10)
        // A user that it has tried in vain still has all attempts elsewhere.
        #expect(failures(throttle, "user40", Self.home).count == 3)
        #expect(failures(throttle, "user1", Self.home).count == 2)
    }

    @Test("zero means no limit")
    func zeroIsNoLimit() {
        #expect(failures(Self.throttle(perUser: 0), "joe").count == 100)
    }

    @Test("throttle memory is bounded")
    func memoryIsBounded() {
        let settings = LoginThrottle.Settings()
        let throttle = LoginThrottle(settings, capacity: 64)
        for index in 0..<10_000 { _ = logIn(throttle, "user\(index)", Self.home) }
        #expect(logIn(throttle, "user9999", Self.home))
    }
}
