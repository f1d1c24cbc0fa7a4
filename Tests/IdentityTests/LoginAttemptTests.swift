import Model
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Identity

/// Attempts at the same time: they test no more passwords than one after the other, and none is refused for one that
/// has not ended.
@Suite("Attempts under way") struct LoginAttemptTests {
    private typealias Attempts = ManualEffects<Result<LoginAttempt, LoginThrottle.Refusal>>
    private static let (home, away, now) = (LoginThrottleTests.home, LoginThrottleTests.away, LoginThrottleTests.now)

    /// Begins so many attempts.
    private func begin(
        _ count: Int, _ throttle: LoginThrottle, user: (Int) -> String = { _ in "joe" }, _ network: [UInt8] = home
    ) -> Attempts {
        let attempts = Attempts()
        for index in 0..<count {
            attempts.begin(throttle.attempt(user: user(index), realm: "R", network: network, now: Self.now))
        }
        return attempts
    }

    private func admitted(_ attempts: Attempts) -> [LoginAttempt] { attempts.values.compactMap { try? $0.get() } }

    private func refused(_ attempts: Attempts) -> Int { attempts.values.count - admitted(attempts).count }

    @Test("further attempts wait, and follow one by one when the ones before were right")
    func right() {
        let attempts = begin(16, LoginThrottleTests.throttle())
        #expect(attempts.values.count == 3)
        for index in 0..<16 {
            let all = admitted(attempts)
            // After the first the user is at home there, with as many places more.
            guard all.count == min(16, index == 0 ? 3 : max(6, 3 + index)) else {
                Issue.record("\(all.count) are admitted after \(index)")
                return
            }
            all[index].succeeded()
        }
        #expect(refused(attempts) == 0)
    }

    @Test("no more wrong passwords are looked at than one after the other")
    func wrong() {
        let attempts = begin(100, LoginThrottleTests.throttle())
        for index in 0..<3 {
            #expect(attempts.values.count == 3)
            admitted(attempts)[index].failed()
        }
        #expect(admitted(attempts).count == 3 && refused(attempts) == 97)
    }

    @Test("a right one among wrong ones gives its place to the next")
    func mixed() {
        let attempts = begin(5, LoginThrottleTests.throttle(), Self.away)
        admitted(attempts)[0].failed()
        admitted(attempts)[1].withdraw()
        #expect(admitted(attempts).count == 4)
        admitted(attempts)[2].failed()
        #expect(admitted(attempts).count == 4)
        // From here on the user is at home there, with a count of its own.
        admitted(attempts)[3].succeeded()
        #expect(admitted(attempts).count == 5 && refused(attempts) == 0)
    }

    @Test("attempts of a network wait for each other, also those of different users")
    func network() {
        let throttle = LoginThrottleTests.throttle(perNetwork: 4)
        let attempts = begin(40, throttle, user: { "user \($0)" })
        #expect(attempts.values.count == 4)
        for index in 0..<4 { admitted(attempts)[index].withdraw() }
        #expect(admitted(attempts).count == 8)
        for index in 4..<8 { admitted(attempts)[index].failed() }
        #expect(admitted(attempts).count == 8 && refused(attempts) == 32)
        // Those that were refused for the network have used up nothing of their users.
        for attempt in admitted(begin(3, throttle, user: { _ in "user 20" }, Self.away)) { attempt.failed() }
        #expect(refused(begin(1, throttle, user: { _ in "user 20" }, Self.away)) == 1)
    }

    @Test("callbacks and other attempts without a user wait as well")
    func withoutUser() {
        let throttle = LoginThrottleTests.throttle(perNetwork: 2)
        let attempts = Attempts()
        for _ in 0..<9 { attempts.begin(throttle.attempt(network: Self.home, now: Self.now)) }
        for index in 0..<9 { admitted(attempts)[index].withdraw() }
        #expect(admitted(attempts).count == 9)
        #expect(throttle.count(network: Self.home, now: Self.now) == nil)
        #expect(throttle.count(network: Self.home, now: Self.now) == nil)
        #expect(throttle.count(network: Self.home, now: Self.now) == 150)
    }

    @Test("an attempt that is dropped has used up nothing, and those behind it follow")
    func dropped() {
        let throttle = LoginThrottleTests.throttle()
        var attempts: Attempts? = begin(3, throttle)
        let waiting = begin(2, throttle)
        #expect(attempts?.values.count == 3 && waiting.values.isEmpty)
        attempts = nil
        #expect(admitted(waiting).count == 2)
        for attempt in admitted(waiting) { attempt.withdraw() }
        for attempt in admitted(begin(3, throttle)) { attempt.failed() }
        #expect(refused(begin(1, throttle)) == 1)
    }

    @Test("a password that is known to be right waits for the attempts that could use up the count")
    func recall() throws {
        for isWrong in [true, false] {
            let throttle = LoginThrottleTests.throttle()
            let attempts = begin(3, throttle)
            let answers = ManualEffects<Bool>()
            guard case .waits(let effect) = throttle.recall(user: "joe", realm: "R", network: Self.home, now: Self.now)
            else {
                Issue.record("it would tell which guess is right")
                return
            }
            answers.begin(effect)
            #expect(answers.values.isEmpty)
            for attempt in admitted(attempts) { isWrong ? attempt.failed() : attempt.withdraw() }
            #expect(answers.values == [!isWrong])
        }
    }

    @Test("so many wait for one user, and further ones are refused for a second")
    func bounded() {
        let throttle = LoginThrottleTests.throttle()
        let attempts = begin(3 + 256 + 5, throttle)
        #expect(admitted(attempts).count == 3 && refused(attempts) == 5)
        for case .failure(let refusal) in attempts.values { #expect(refusal.retryAfter == 1) }
        // Attempts that wait on would hold the throttle that holds them.
        for index in 0..<3 + 256 { admitted(attempts)[index].withdraw() }
        #expect(admitted(attempts).count == 3 + 256 && refused(attempts) == 5)
    }

    @Test("known users come first, and networks with wrong passwords last")
    func priorities() {
        let throttle = LoginThrottleTests.throttle(perNetwork: 10)
        #expect(admitted(begin(1, throttle)).map(\.priority) == [.standard])
        admitted(begin(1, throttle))[0].succeeded()
        #expect(admitted(begin(1, throttle)).map(\.priority) == [.known])
        // Attempts under way are no failures.
        let ann = begin(2, throttle, user: { _ in "ann" }, Self.away)
        #expect(admitted(ann).map(\.priority) == [.standard, .standard])
        admitted(ann)[0].failed()
        #expect(admitted(begin(1, throttle, user: { _ in "bob" }, Self.away)).map(\.priority) == [.suspected])
    }
}
