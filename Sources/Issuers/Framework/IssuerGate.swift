import Crypto
import Model
import Synchronization

/// Circuit breaker and call counters of one issuer, shared by all threads. Survives configuration changes.
package final class IssuerGate: Sendable {
    /// Outcome of a call. The raw values are metric labels.
    package enum Outcome: String, Sendable, CaseIterable {
        case issued, refused, unavailable
        /// A password was right.
        case verified
        case invalidToken = "invalid_token"
        case misconfigured
        case credentialMissing = "credential_missing"
        /// Skipped because the breaker is open.
        case spared

        init(_ failure: IssueFailure) {
            self =
                switch failure.kind {
                case .refused, .loginEnded: .refused
                case .unavailable: .unavailable
                case .invalidToken: .invalidToken
                case .misconfigured: .misconfigured
                case .credentialMissing: .credentialMissing
                }
        }
    }

    /// State for metrics and readiness.
    package struct Report: Sendable {
        package let name: String
        package let state: CircuitBreaker.State
        /// In the order of `Outcome.allCases`.
        package let outcomes: [UInt64]
        /// Total duration of all calls, in microseconds.
        package let microseconds: UInt64
        package let underWay: Int
        /// Of the last call, if the issuer caused its failure.
        package let failure: IssueFailure?

        /// Completed calls.
        package var made: UInt64 { outcomes.reduce(0, &+) &- count(.spared) }

        package func count(_ outcome: Outcome) -> UInt64 {
            outcomes[Outcome.allCases.firstIndex(of: outcome) ?? 0]
        }
    }

    /// An event for the log.
    package enum Event: Sendable {
        /// The first failure after a success.
        case failed(IssueFailure)
        /// The breaker opened.
        case opened(IssueFailure)
        case recovered
    }

    /// Permission for one call.
    struct Pass {
        let isProbe: Bool
        /// Microseconds of the monotonic clock.
        let startedAt: Int64
    }

    private struct State {
        var breaker = CircuitBreaker()
        var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
        var microseconds: UInt64 = 0
        var underWay = 0
        var failure: IssueFailure?

        mutating func count(_ outcome: Outcome) {
            outcomes[Outcome.allCases.firstIndex(of: outcome) ?? 0] += 1
        }
    }

    package let name: String
    private let state = Mutex(State())
    private let observe: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - name: of the entry in `issuers.json`.
    ///   - observe: called when the issuer begins or ceases to fail; must not block.
    package init(name: String, observe: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.name = name
        self.observe = observe
    }

    package var report: Report {
        state.withLock {
            Report(
                name: name, state: $0.breaker.state, outcomes: $0.outcomes, microseconds: $0.microseconds,
                underWay: $0.underWay, failure: $0.failure)
        }
    }

    /// - Parameter now: microseconds of the monotonic clock.
    func enter(_ now: Int64) -> Result<Pass, IssueFailure> {
        state.withLock { state in
            switch state.breaker.admit(now / 1000) {
            case .refuse(let milliseconds):
                state.count(.spared)
                return .failure(.unavailable(retryAfter: Int(clamping: (milliseconds + 999) / 1000)))
            case .pass, .probe:
                state.underWay += 1
                return .success(Pass(isProbe: state.breaker.state == .halfOpen, startedAt: now))
            }
        }
    }

    /// - Parameters:
    ///   - success: counted as this outcome if the call did not fail.
    ///   - failure: nil if the call did not fail.
    func leave(
        _ pass: Pass, _ success: Outcome, _ failure: IssueFailure?, _ settings: CircuitBreaker.Settings, _ now: Int64
    ) {
        let spread = Int64(SecureRandom.uint64() % 1001)
        let event = state.withLock { state -> Event? in
            state.underWay -= 1
            state.count(failure.map(Outcome.init) ?? success)
            state.microseconds += UInt64(max(0, now - pass.startedAt))
            guard let failure else { return IssuerGate.succeeded(&state, pass, nil, settings, now) }
            guard let isDown = failure.isOutage else {
                if pass.isProbe { state.breaker.probeLost() }
                return nil
            }
            guard isDown else { return IssuerGate.succeeded(&state, pass, failure, settings, now) }
            let wasWell = state.failure == nil
            state.failure = failure
            let asked = Int64(failure.requestedPause ?? 0) * 1000
            let isOpened = state.breaker.failed(
                now / 1000, probe: pass.isProbe, asked: asked, spread: spread, settings)
            return isOpened && !pass.isProbe ? .opened(failure) : wasWell ? .failed(failure) : nil
        }
        if let event { observe(event) }
    }

    /// Records a call that the server answered, even if with a refusal.
    private static func succeeded(
        _ state: inout State, _ pass: Pass, _ failure: IssueFailure?, _ settings: CircuitBreaker.Settings, _ now: Int64
    ) -> Event? {
        let before = state.failure
        state.breaker.succeeded(now / 1000, probe: pass.isProbe, settings)
        // A refusal of one caller does not mean that the issuer is faulty.
        state.failure = failure?.kind == .misconfigured ? failure : nil
        if let now = state.failure { return before?.kind == now.kind ? nil : .failed(now) }
        return before == nil ? nil : .recovered
    }
}
