import Crypto
import Model
import Synchronization

/// How it stands with one issuer, for all threads: its breaker, and what became of the calls so far. It outlives
/// configurations.
package final class IssuerGate: Sendable {
    /// What a call came to. The raw values stand in metrics.
    package enum Outcome: String, Sendable, CaseIterable {
        case issued, refused, unavailable
        /// A password was right.
        case verified
        case invalidToken = "invalid_token"
        case misconfigured
        case credentialMissing = "credential_missing"
        /// Not made, since the breaker is open.
        case spared

        init(_ failure: IssueFailure) {
            self =
                switch failure.kind {
                case .refused: .refused
                case .unavailable: .unavailable
                case .invalidToken: .invalidToken
                case .misconfigured: .misconfigured
                case .credentialMissing: .credentialMissing
                }
        }
    }

    /// How it stands at a moment, for metrics and readiness.
    package struct Report: Sendable {
        package let name: String
        package let state: CircuitBreaker.State
        /// In the order of `Outcome.allCases`.
        package let outcomes: [UInt64]
        /// The time of all calls together, in microseconds.
        package let microseconds: UInt64
        package let underWay: Int
        /// Of the last call, where that failed by the issuer's fault.
        package let failure: IssueFailure?

        /// Calls that were made and have ended.
        package var made: UInt64 { outcomes.reduce(0, &+) &- count(.spared) }

        package func count(_ outcome: Outcome) -> UInt64 {
            outcomes[Outcome.allCases.firstIndex(of: outcome) ?? 0]
        }
    }

    /// What the log is told.
    package enum Event: Sendable {
        /// It fails for the first time since it was well.
        case failed(IssueFailure)
        /// It is left alone for a while.
        case opened(IssueFailure)
        case recovered
    }

    /// A call that may be made.
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
    ///   - observe: is told when the issuer begins or ceases to fail; must not block.
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
    ///   - success: what the call is counted as that has not failed.
    ///   - failure: nil where it has not.
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

    /// It has answered, though perhaps not as one would like.
    private static func succeeded(
        _ state: inout State, _ pass: Pass, _ failure: IssueFailure?, _ settings: CircuitBreaker.Settings, _ now: Int64
    ) -> Event? {
        let before = state.failure
        state.breaker.succeeded(now / 1000, probe: pass.isProbe, settings)
        // Who refuses one caller is well.
        state.failure = failure?.kind == .misconfigured ? failure : nil
        if let now = state.failure { return before?.kind == now.kind ? nil : .failed(now) }
        return before == nil ? nil : .recovered
    }
}
