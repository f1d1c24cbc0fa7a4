import Crypto
import Identity
import Model
import Outbound

/// A module as used by the data plane: with metrics, a circuit breaker, and limited token lifetimes.
package final class GuardedIssuer: TokenIssuer {
    package struct Settings: Sendable {
        /// Upper bound of token lifetimes; nil for the issuer's own.
        package var maximumLifetimeSeconds: Int64?
        package var breaker: CircuitBreaker.Settings = {
            var breaker = CircuitBreaker.Settings(pause: 1000, longestPause: 60_000)
            breaker.failures = 5
            return breaker
        }()

        package init() {}
    }

    private let base: any TokenIssuer
    private let settings: Settings
    package let gate: IssuerGate
    private let clock: @Sendable () -> Int64
    package let configurationID: String
    package let dependsOnCredential: Bool
    package let dependsOnCaller: Bool
    package let needsChallenge: Bool

    /// - Parameter clock: microseconds of the monotonic clock.
    package init(
        _ base: any TokenIssuer, settings: Settings, gate: IssuerGate, clock: @escaping @Sendable () -> Int64
    ) {
        self.base = base
        self.settings = settings
        self.gate = gate
        self.clock = clock
        configurationID =
            settings.maximumLifetimeSeconds.map { "\(base.configurationID) \($0)" } ?? base.configurationID
        dependsOnCredential = base.dependsOnCredential
        dependsOnCaller = base.dependsOnCaller
        needsChallenge = base.needsChallenge
    }

    package var kind: String { base.kind }
    package var outlivesProcess: Bool { base.outlivesProcess }
    package var publishedKeys: [SigningKey] { base.publishedKeys }

    package func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        switch gate.enter(clock()) {
        case .failure(let failure): .done(.failure(failure))
        case .success(let pass):
            base.issue(request, now: now).map { [self] result in
                let judged = judge(result, now: now)
                gate.leave(pass, .issued, judged.failure, settings.breaker, clock())
                return judged
            }
        }
    }

    package var verifiesPasswords: Bool { base.verifiesPasswords }

    package func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        switch gate.enter(clock()) {
        case .failure(let failure): .done(.failure(failure))
        case .success(let pass):
            base.verify(login, now: now).map { [self] result in
                let outcome: IssuerGate.Outcome = result == .success(.right) ? .verified : .refused
                gate.leave(pass, outcome, result.failure, settings.breaker, clock())
                return result
            }
        }
    }

    /// Unusable tokens count as failures of the issuer, and tokens without an expiry get one (CACHE-05).
    private func judge(
        _ result: Result<IssuedToken, IssueFailure>, now: Int64
    ) -> Result<IssuedToken, IssueFailure> {
        guard case .success(let token) = result else { return result }
        guard token.isFitForHeaders, token.expiresAt > now else { return .failure(.invalidToken) }
        guard let most = settings.maximumLifetimeSeconds, token.expiresAt - now > most else { return result }
        return .success(
            IssuedToken(
                value: token.value, issuedAt: token.issuedAt, expiresAt: now + most, refresh: token.refresh,
                refreshExpiresAt: token.refreshExpiresAt))
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
