import Crypto
import Identity
import Model
import Outbound

/// A module as the data plane uses it: counted, left alone while it fails, and none of its tokens kept for ever.
package final class GuardedIssuer: TokenIssuer {
    package struct Settings: Sendable {
        /// How long a token may be used at the most, whatever its issuer says; nil for as long as that says.
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

    /// What cannot be used counts as the issuer's failure, and what never ends does end (CACHE-05).
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
