import Bytes
import Crypto
import Model
import Outbound
import Synchronization

/// Limits guesses of passwords by user name, existing or not, and by client network. Attempts come back with time, so
/// that no user is locked out permanently.
///
/// Only attempts that have failed count. Those under way hold a place each, and further ones wait for their end, so that
/// many at a time test no more passwords than one after the other, and right ones are not refused.
///
/// A user who has logged in from a network has a count of their own there: guesses from other networks use up the
/// attempts of all other networks, but not those of this one.
package final class LoginThrottle: Sendable {
    package typealias Settings = LoginThrottleSettings

    package enum Verdict: Sendable {
        case admitted(LoginAttempt)
        /// - Parameter seconds: after which the next attempt is admitted.
        case refused(retryAfter: Int)
        /// The attempts under way may use up what is left.
        case busy
    }

    /// Whether a password counts that is known to be right.
    package enum Recall: Sendable {
        case admitted, refused
        /// Attempts under way decide.
        case waits(Effect<Bool>)
    }

    /// Too many attempts were wrong.
    package struct Refusal: Error, Sendable {
        package let retryAfter: Int
    }

    private let state: Mutex<LoginThrottleState>
    private let clock: SteadyClock
    private let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())

    /// - Parameters:
    ///   - capacity: how many users and networks are distinguished.
    ///   - clock: of a gateway, the system's.
    package init(_ settings: Settings = Settings(), capacity: Int = 16_384, clock: SteadyClock = .ofCaller) {
        self.clock = clock
        state = Mutex(LoginThrottleState(settings, capacity: capacity))
    }

    /// Another configuration; what was used up stays used up.
    package func use(_ settings: Settings) { state.withLock { $0.settings = settings } }

    // MARK: Attempts

    /// An attempt to show the password of a user, once it may go on.
    ///
    /// - Parameters:
    ///   - network: the address that one party is counted by; empty where there is none.
    ///   - now: seconds since 1970.
    package func attempt(
        user: String, realm: String, network: [UInt8], now: Int64
    ) -> Effect<Result<LoginAttempt, Refusal>> {
        attempt(question(user, realm, network), now)
    }

    /// The same for what names no user, such as the code of an identity provider.
    package func attempt(network: [UInt8], now: Int64) -> Effect<Result<LoginAttempt, Refusal>> {
        attempt(question(network), now)
    }

    /// An attempt that does not wait for others.
    package func admit(user: String, realm: String, network: [UInt8], now: Int64) -> Verdict {
        verdict(decide(question(user, realm, network), now))
    }

    /// Whether a password counts that is known to be right. It uses up nothing. Where attempts are used up it is refused as
    /// well: a guess that is answered in another way than the others would be found out.
    package func recall(user: String, realm: String, network: [UInt8], now: Int64) -> Recall {
        var question = question(user, realm, network)
        question.isKnown = true
        switch decide(question, now) {
        case .admitted: return .admitted
        case .usedUp: return .refused
        case .busy:
            return .waits(
                wait(question, now).map { answer in
                    if case .admitted = answer { true } else { false }
                })
        }
    }

    /// Counts an event of a network, as if it had failed.
    /// - Returns: nil if it is within the limit, else the seconds until the next is.
    package func count(network: [UInt8], now: Int64) -> Int? {
        switch verdict(decide(question(network), now)) {
        case .admitted(let event):
            event.failed()
            return nil
        case .refused(let seconds): return seconds
        case .busy: return 1
        }
    }

    private func attempt(
        _ question: LoginThrottleState.Question, _ now: Int64
    ) -> Effect<Result<LoginAttempt, Refusal>> {
        let answer = decide(question, now)
        guard case .busy = answer else { return .done(result(answer)) }
        return wait(question, now).map { [self] in result($0) }
    }

    private func decide(_ question: LoginThrottleState.Question, _ now: Int64) -> LoginThrottleState.Answer {
        let nanoseconds = nanoseconds(now)
        return state.withLock { $0.admit(question, at: nanoseconds) }
    }

    /// The answer once it is not `busy`.
    private func wait(_ question: LoginThrottleState.Question, _ now: Int64) -> Effect<LoginThrottleState.Answer> {
        .await { [self] resume in
            let waiter = LoginThrottleState.Waiter(question: question, now: now) { resume(.done($0)) }
            let nanoseconds = nanoseconds(now)
            let answer = state.withLock { $0.wait(waiter, at: nanoseconds) }
            if let answer { resume(.done(answer)) }
        }
    }

    private func result(_ answer: LoginThrottleState.Answer) -> Result<LoginAttempt, Refusal> {
        switch verdict(answer) {
        case .admitted(let attempt): .success(attempt)
        case .refused(let seconds): .failure(Refusal(retryAfter: seconds))
        case .busy: .failure(Refusal(retryAfter: 1))
        }
    }

    private func verdict(_ answer: LoginThrottleState.Answer) -> Verdict {
        switch answer {
        case .admitted(let places): .admitted(LoginAttempt(places, of: self))
        case .usedUp(let nanoseconds): .refused(retryAfter: Int((nanoseconds + 999_999_999) / 1_000_000_000))
        case .busy: .busy
        }
    }

    fileprivate func end(_ places: LoginThrottleState.Places, _ outcome: LoginThrottleState.Outcome) {
        let answered = state.withLock { $0.end(places, outcome) { nanoseconds($0) } }
        for (waiter, answer) in answered { waiter.resume(answer) }
    }

    private func nanoseconds(_ now: Int64) -> Int64 { clock.seconds(now) * 1_000_000_000 }

    private func question(_ user: String, _ realm: String, _ network: [UInt8]) -> LoginThrottleState.Question {
        let name = hash.hash(Array(user.utf8).span) ^ rotated(hash.hash(Array(realm.utf8).span), 1)
        let place = hash.hash(network.span)
        return LoginThrottleState.Question(
            name: name, pair: name ^ rotated(place, 7), place: network.isEmpty ? nil : place)
    }

    private func question(_ network: [UInt8]) -> LoginThrottleState.Question {
        LoginThrottleState.Question(place: network.isEmpty ? nil : hash.hash(network.span))
    }

    private func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}

/// One attempt that may go on. It holds its place until it ends; one that is dropped has learned nothing.
package final class LoginAttempt: Sendable {
    private let places: LoginThrottleState.Places
    private let throttle: LoginThrottle
    private let hasEnded = Atomic<Bool>(false)

    fileprivate init(_ places: LoginThrottleState.Places, of throttle: LoginThrottle) {
        self.places = places
        self.throttle = throttle
    }

    deinit { withdraw() }

    /// When its password is checked, if checks wait for each other.
    package var priority: HashPriority { places.priority }

    /// The password was right.
    package func succeeded() { end(.right) }

    /// The password was wrong, which uses up an attempt.
    package func failed() { end(.wrong) }

    /// Nothing was learned of the password.
    package func withdraw() { end(.unknown) }

    private func end(_ outcome: LoginThrottleState.Outcome) {
        if !hasEnded.exchange(true, ordering: .relaxed) { throttle.end(places, outcome) }
    }
}
