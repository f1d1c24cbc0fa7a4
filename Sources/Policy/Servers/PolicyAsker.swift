import Crypto
import Identity
import Model
import Outbound
import Synchronization

/// Asks a policy server, with one call for all concurrent equal questions, and keeps its answers for as long as the
/// configuration says. Failures are not kept. Every configuration begins with an empty cache.
package final class PolicyAsker: Sendable {
    struct Known {
        let answer: PolicyAnswer
        let end: Int64
    }

    struct State {
        var answers: AnswerTable<Known, @Sendable (PolicyAnswer) -> Void>
        var breaker = CircuitBreaker()
        var counters: Report
    }

    package let server: PolicyServer
    private let caller: SharingCaller
    let state: Mutex<State>
    /// Key of the digests by which answers are kept.
    private let key = SecureRandom.bytes(32)
    /// Microseconds of the monotonic clock.
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: microseconds of the monotonic clock.
    package init(_ server: PolicyServer, caller: any OutboundCaller, clock: @escaping @Sendable () -> Int64) {
        self.server = server
        self.caller = SharingCaller(caller, limit: server.rules.maximumCalls)
        self.clock = clock
        state = Mutex(
            State(
                answers: AnswerTable(capacity: server.rules.maximumEntries), counters: Report(name: server.name)))
    }

    /// The answer about a request of a caller.
    func ask(_ question: PolicyQuestion) -> Effect<PolicyAnswer> {
        let (key, material) = (key, question.identity)
        let digest = DigestAlgorithm.sha256.hmac(key: key.span, material.span)
        let now = clock() / 1000
        let known = state.withLock { state -> PolicyAnswer? in
            guard let known = state.answers[digest], now < known.end else { return nil }
            state.counters.hits += 1
            state.counters.add(known.answer.outcome)
            return known.answer
        }
        if var known {
            known.isCached = true
            return .done(known)
        }
        return .await { [self] resume in join(digest, question) { resume(.done($0)) } }
    }

    private enum Part { case leader(isProbe: Bool), follower, refused }

    /// The first waiter makes the call for all.
    private func join(
        _ digest: [UInt8], _ question: PolicyQuestion, _ waiter: @escaping @Sendable (PolicyAnswer) -> Void
    ) {
        let startedAt = clock()
        let part = state.withLock { state -> Part in
            if state.answers.follow(digest, waiter) {
                state.counters.shared += 1
                return .follower
            }
            let isProbe: Bool
            switch state.breaker.admit(startedAt / 1000) {
            case .pass: isProbe = false
            case .probe: isProbe = true
            case .refuse:
                state.counters.add(.failed, cause: "circuit_open")
                return .refused
            }
            state.answers.lead(digest, waiter)
            return .leader(isProbe: isProbe)
        }
        switch part {
        case .follower: return
        case .refused: waiter(named(.failed("circuit_open", isOutage: true, server.rules.onFailure)))
        case .leader(let isProbe):
            let call = server.call(question)
            caller.perform(call) { [self] result in
                finish(digest, answer(result, to: call), isProbe: isProbe, startedAt: startedAt)
            }
        }
    }

    private func answer(_ result: OutboundResult, to call: OutboundCall) -> PolicyAnswer {
        switch result {
        case .response(let response): named(server.answer(in: response, to: call))
        case .failed(let failure, _):
            named(.failed(failure.rawValue, isOutage: failure.isOutage, server.rules.onFailure))
        }
    }

    func named(_ answer: PolicyAnswer) -> PolicyAnswer {
        var answer = answer
        answer.server = server.name
        return answer
    }

    private func finish(_ digest: [UInt8], _ answer: PolicyAnswer, isProbe: Bool, startedAt: Int64) {
        let now = clock()
        let waiters = state.withLock { state in
            let waiters = state.answers.settle(digest)
            state.counters.calls += 1
            state.counters.microseconds += UInt64(max(0, now - startedAt))
            let isFailure = answer.outcome == .failed
            for _ in waiters { state.counters.add(answer.outcome, cause: isFailure ? answer.note : nil) }
            state.counters.isFailing = isFailure
            // A server that gives unusable answers can be reached. An open circuit counts as an outage, during which
            // requests may pass, so that these answers must not open it.
            if answer.isOutage {
                state.breaker.failed(now / 1000, probe: isProbe, server.rules.breaker)
            } else {
                state.breaker.succeeded(now / 1000, probe: isProbe, server.rules.breaker)
            }
            // From the question on, so that the time of the call does not extend it.
            if !isFailure { remember(digest, answer, startedAt / 1000, &state) }
            return waiters
        }
        for waiter in waiters { waiter(answer) }
    }

    private func remember(_ digest: [UInt8], _ answer: PolicyAnswer, _ now: Int64, _ state: inout State) {
        let rules = server.rules
        let configured = answer.outcome == .allowed ? rules.allowedMilliseconds : rules.deniedMilliseconds
        let time = min(configured, answer.maximumAge ?? .max)
        if time > 0 {
            state.answers.keep(digest, Known(answer: answer, end: now + time))
        } else {
            state.answers.forget(digest)
        }
    }
}

/// Metrics of a policy server.
extension PolicyAsker {
    /// Since the configuration took effect.
    package struct Report: Sendable {
        package let name: String
        /// Calls to the server, and the time that they took together.
        package var calls: UInt64 = 0
        package var microseconds: UInt64 = 0
        /// Requests that were decided by a kept answer, and those by the call of another one.
        package var hits: UInt64 = 0
        package var shared: UInt64 = 0
        package var allowed: UInt64 = 0
        package var denied: UInt64 = 0
        /// By cause: a raw value of `OutboundFailure`, `status_N`, `unusable`, `decision`, `evaluations`, `request_id` or
        /// `circuit_open`.
        package var failed: [String: UInt64] = [:]
        package var isFailing = false
        /// Number of kept answers, expired ones included.
        package fileprivate(set) var remembered = 0

        init(name: String) { self.name = name }

        fileprivate mutating func add(_ outcome: PolicyAnswer.Outcome, cause: String? = nil) {
            switch outcome {
            case .allowed: allowed += 1
            case .denied: denied += 1
            case .failed: failed[cause ?? "", default: 0] += 1
            }
        }
    }

    package var report: Report {
        state.withLock { state in
            var report = state.counters
            report.remembered = state.answers.count
            return report
        }
    }
}

extension OutboundFailure {
    /// Whether the server cannot be reached. A wrong certificate may be that of another server, an answer that is too long or
    /// malformed may have been a denial, and a malformed call was made so by its client.
    fileprivate var isOutage: Bool {
        switch self {
        case .resolve, .connect, .timeout, .unavailable: true
        case .tls, .malformed, .tooLarge: false
        }
    }
}
