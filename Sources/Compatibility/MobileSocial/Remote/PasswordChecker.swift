import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Verification of passwords, of the gateway's own users or by another server (OMS-10 to OMS-13).
final class PasswordChecker: Sendable {
    private let settings: MobileSocialSettings
    private let logins: PasswordLogin
    private let verifiers: OfflineVerifierStore

    init(_ settings: MobileSocialSettings) {
        self.settings = settings
        verifiers = OfflineVerifierStore(store: settings.store, key: settings.key, hasher: settings.hasher)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
    }

    /// Verifies a password and counts the attempt.
    func check(_ presented: PasswordCheck, _ next: @escaping PasswordCheck.Next) -> Answer {
        // RP-01: a domain with providers only accepts no passwords, not even of the gateway's own users.
        guard presented.domain.acceptsPasswords else { return next(.refused(.useProvider)) }
        let check = presented.domain.remote == nil ? presented : presented.named(by: settings.users)
        let guess = settings.key.digest(check.login.password)
        switch settings.attempts.begin(check.key, guess: guess, maximum: check.maximum, now: check.now) {
        case .locked: return next(.refused(.attemptsExceeded))
        case .busy: return next(.refused(.loginThrottled, retryAfter: 1))
        case .admitted: break
        }
        let counted: @Sendable (PasswordVerdict?, PasswordCheck.Result) -> Answer = { [self] verdict, result in
            next(count(verdict, result, check, guess))
        }
        guard let remote = check.domain.remote else { return checkLocally(check, counted) }
        return checkRemotely(check, remote, counted)
    }

    /// A wrong password before the remaining attempts are counted.
    private static let wrong = PasswordCheck.Result.wrong(left: 0)

    /// - Parameter verdict: nil if the password was not checked.
    private func count(
        _ verdict: PasswordVerdict?, _ result: PasswordCheck.Result, _ check: PasswordCheck, _ guess: [UInt8]
    ) -> PasswordCheck.Result {
        guard case .wrong = result else {
            settings.attempts.end(check.key, guess: guess, isLogin: verdict == .right && check.completes)
            return result
        }
        let left = settings.attempts.fail(
            check.key, guess: guess, maximum: check.maximum, lockoutSeconds: check.application.lockoutSeconds,
            now: check.now)
        return .wrong(left: left)
    }

    private typealias Counted = @Sendable (PasswordVerdict?, PasswordCheck.Result) -> Answer

    private func checkLocally(_ check: PasswordCheck, _ next: @escaping Counted) -> Answer {
        let login = logins.login(
            check.login.username, password: Array(check.login.password.utf8), realm: check.application.backend.realm,
            network: check.network, now: check.now)
        return login.then { result in
            switch result {
            case .success(let user): next(.right, .right(user, isOffline: false))
            case .failure(.wrongPassword): next(.wrong, PasswordChecker.wrong)
            case .failure(let refusal): next(nil, .refused(MobileSocialFailure(refusal)))
            }
        }
    }

    private func checkRemotely(
        _ check: PasswordCheck, _ remote: RemoteAuthentication, _ next: @escaping Counted
    ) -> Answer {
        // Names are used in header fields, slots of sessions, and logs.
        let name = check.login.username
        guard !name.isEmpty, ExternalIdentityRules.isFitForHeaders(name) else {
            return next(.wrong, PasswordChecker.wrong)
        }
        let attempt = settings.throttle.attempt(
            user: name, realm: check.application.backend.realm, network: check.network, now: check.now)
        return attempt.then { [self] result in
            guard case .success(let attempt) = result else { return next(nil, .refused(.loginThrottled)) }
            return checkRemotely(
                check, remote,
                throttled: { verdict, result in
                    switch verdict {
                    case .right?: attempt.succeeded()
                    case .wrong?, .forbidden?: attempt.failed()
                    case .throttled?, nil: attempt.withdraw()
                    }
                    return next(verdict, result)
                })
        }
    }

    /// - Parameter next: counts the attempt.
    private func checkRemotely(
        _ check: PasswordCheck, _ remote: RemoteAuthentication, throttled next: @escaping Counted
    ) -> Answer {
        let isAllowed = check.mayBeOffline ? check.application.offlineAuthentication : nil
        // The server decides if it may be asked; the verifier is used after a failure of the server.
        if remote.connectivity != .offline || isAllowed != true {
            let source = PasswordSource(remote.connectivity, isAllowed: isAllowed, .none, maximum: check.maximum)
            guard source == .server else { return next(nil, .refused(.loginServerSpared)) }
            return askServer(check, remote, isBacked: remote.connectivity == .auto && isAllowed == true, next)
        }
        return checkVerifier(check, remote, or: PasswordOutage?.none, next)
    }

    /// - Parameter isBacked: whether the verifier is used if the server is down.
    private func askServer(
        _ check: PasswordCheck, _ remote: RemoteAuthentication, isBacked: Bool, _ next: @escaping Counted
    ) -> Answer {
        remote.passwords.verify(check.login, now: check.now).then { [self] result in
            switch result {
            case .success(.right): return admit(check, remote, next)
            case .success(.wrong):
                // The user may have changed it; the old one must not work any more.
                verifiers.wipe(check.verifier, now: check.now)
                return next(.wrong, PasswordChecker.wrong)
            case .success(.forbidden):
                verifiers.wipe(check.verifier, now: check.now)
                return next(.forbidden, .refused(.loginForbidden))
            case .success(.throttled(let seconds)):
                return next(.throttled(retryAfter: seconds), .refused(.loginThrottled, retryAfter: seconds))
            case .failure(let outage) where isBacked && outage.isDown:
                return checkVerifier(check, remote, or: outage, next)
            case .failure(let outage):
                return next(nil, .refused(MobileSocialFailure(outage), retryAfter: outage.retryAfterSeconds))
            }
        }
    }

    /// Continues after the server has accepted a password.
    private func admit(_ check: PasswordCheck, _ remote: RemoteAuthentication, _ next: @escaping Counted) -> Answer {
        guard let user = settings.user(named: check.login.username, check.application, check.domain), user.enabled
        else {
            verifiers.wipe(check.verifier, now: check.now)
            return next(.wrong, PasswordChecker.wrong)
        }
        let right: @Sendable () -> Answer = { next(.right, .right(user, isOffline: false)) }
        let isKept = check.domain.applications.contains { $0.offlineAuthentication == true }
        guard remote.connectivity != .online, isKept else {
            // An existing verifier may be of an earlier password.
            verifiers.forget(check.verifier, now: check.now)
            return right()
        }
        return verifiers.keep(
            check.login, check.verifier, scheme: check.application.verifierScheme, seconds: remote.verifierSeconds,
            maximum: remote.maximumVerifiers, now: check.now, right)
    }

    /// - Parameter outage: failure of the server; nil if it was not asked.
    private func checkVerifier(
        _ check: PasswordCheck, _ remote: RemoteAuthentication, or outage: PasswordOutage?, _ next: @escaping Counted
    ) -> Answer {
        // OMS-12: a user without a verifier cannot log in, but the password is not counted as wrong.
        let unknown = outage.map {
            PasswordCheck.Result.refused(MobileSocialFailure($0), retryAfter: $0.retryAfterSeconds)
        }
        return verifiers.attempt(
            check.verifier, now: check.now,
            source: { [self] verifier in
                guard isUsable(verifier, check) else { return nil }
                return PasswordSource(
                    remote.connectivity, isAllowed: true, verifier.state, maximum: check.maximum)
            }
        ) { [self] attempt in
            switch attempt {
            case .none: return next(nil, unknown ?? .refused(.loginServerSpared))
            // OMS-13: the server decides. In the mode `auto` it was asked already.
            case .wiped:
                guard let unknown else { return askServer(check, remote, isBacked: false, next) }
                return next(nil, unknown)
            case .busy: return next(nil, .refused(.loginThrottled, retryAfter: 1))
            case .failed: return next(nil, .refused(.storeUnavailable))
            case .counted(let verifier):
                return .hash { [self] in
                    guard verifiers.isRight(check.login.password, verifier) else {
                        return missed(verifier, check, remote, wasAsked: outage != nil, next)
                    }
                    return recognised(verifier, check, or: unknown ?? .refused(.loginServerSpared), next)
                }
            }
        }
    }

    /// Whether nothing was revoked since the login of the verifier.
    private func isUsable(_ verifier: StoredVerifier, _ check: PasswordCheck) -> Bool {
        let record = verifier.record
        guard let user = settings.user(named: record.subject, check.application, check.domain), user.enabled,
            record.issuedAt >= user.tokensNotBefore
        else { return false }
        return !settings.revocations.isRevoked(
            tokenID: record.id, subject: record.subject, backendID: check.application.backend.id,
            issuer: OwnAccessTokens.issuerName, issuedAt: record.issuedAt)
    }

    private func recognised(
        _ verifier: StoredVerifier, _ check: PasswordCheck, or unknown: PasswordCheck.Result, _ next: @escaping Counted
    ) -> Answer {
        verifiers.clear(verifier, check.verifier, now: check.now) { [self] result in
            switch result {
            case .failure: return next(nil, .refused(.storeUnavailable))
            case .success(true):
                guard let user = settings.user(named: check.login.username, check.application, check.domain) else {
                    return next(nil, unknown)
                }
                return next(.right, .right(user, isOffline: true))
            case .success(false): return next(nil, unknown)
            }
        }
    }

    private func missed(
        _ verifier: StoredVerifier, _ check: PasswordCheck, _ remote: RemoteAuthentication, wasAsked: Bool,
        _ next: @escaping Counted
    ) -> Answer {
        // CON-21: the first failure beyond the maximum.
        guard verifier.failures > check.maximum else { return next(.wrong, PasswordChecker.wrong) }
        // Counted before the store is asked.
        let answer = wasAsked ? next(.wrong, PasswordChecker.wrong) : nil
        return verifiers.end(verifier, now: check.now) { [self] in
            answer ?? askServer(check, remote, isBacked: false, next)
        }
    }
}
