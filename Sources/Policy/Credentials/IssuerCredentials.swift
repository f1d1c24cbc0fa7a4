import Bytes
import Crypto
import Identity
import Model
import Outbound

/// Name and password that the server of an issuer verifies. Users of `users.json` have their roles there and must be
/// enabled; others are guests.
final class IssuerCredentials: Sendable {
    private let verifier: any PasswordVerifier
    /// Name of the issuer.
    private let issuer: String
    private let settings: IssuerPasswordSettings
    private let users: UserStore
    private let roles: RoleCatalogue
    private let throttle: LoginThrottle
    private let revocations: RevocationList
    private let level: Int
    private let claims: ClaimSelection
    private let known: PasswordCache

    init?(_ authenticator: Authenticator, _ policy: PolicySettings, _ claims: ClaimSelection) {
        guard let issuer = authenticator.issuer, let settings = authenticator.passwords,
            let verifier = policy.passwordVerifiers[issuer]
        else { return nil }
        self.issuer = issuer
        self.settings = settings
        self.verifier = verifier
        self.claims = claims
        users = policy.users
        roles = policy.roles
        throttle = policy.throttle
        revocations = policy.revocations
        level = policy.passwordLevel
        known = PasswordCache(seconds: settings.cacheSeconds)
    }

    /// - Parameters:
    ///   - credential: what follows the scheme.
    ///   - address: of the client.
    ///   - now: seconds since 1970.
    func authenticate(_ credential: Span<UInt8>, from address: IPAddress?, now: Int64) -> AuthenticationOutcome {
        let network = address?.subscriberBytes ?? []
        let digest = known.digest(of: credential, context: 0)
        if let digest, let principal = known.principal(digest, now: now), let current = renew(principal),
            !revocations.isRevoked(
                tokenID: nil, subject: current.subject, backendID: nil, issuer: issuer, issuedAt: current.issuedAt)
        {
            // Not where guesses are held back: they would still find the password.
            guard
                case .admitted = throttle.admit(
                    user: current.subject, realm: settings.realm, network: network, isRight: true, now: now)
            else { return .rejected(.loginThrottled) }
            return .principal(current)
        }
        guard let (typed, password) = BasicCredentials.parts(of: credential),
            let password = String(validating: password, as: UTF8.self), ExternalIdentityRules.isFitForHeaders(typed)
        else { return .rejected(.malformedCredential) }
        // Another spelling of a user's name is that user at the server, too.
        let namesakes = users.namesakes(of: typed, realm: settings.realm)
        let name = namesakes.count == 1 ? namesakes[0].username : typed
        guard
            case .admitted(let attempt) = throttle.admit(user: name, realm: settings.realm, network: network, now: now)
        else { return .rejected(.loginThrottled) }
        let verdict = verifier.verify(PresentedLogin(username: name, password: password), now: now)
        return .resolve(
            verdict.map { [self] verdict in
                switch verdict {
                case .success(.right): return admit(name, digest, attempt, now: now)
                case .success(.wrong): return .failure(.wrongPassword)
                case .success(.forbidden):
                    known.forget(name)
                    return .failure(.loginForbidden)
                case .success(.throttled):
                    throttle.withdraw(attempt)
                    return .failure(.loginThrottled)
                case .failure(let outage):
                    throttle.withdraw(attempt)
                    return .failure(Reason(outage))
                }
            })
    }

    /// After the server has accepted a password. Any other one of the user is an old one.
    private func admit(
        _ name: String, _ digest: [UInt8]?, _ attempt: LoginThrottle.Attempt, now: Int64
    ) -> Result<Principal, Reason> {
        known.forget(name)
        guard let principal = principal(name, at: now) else { return .failure(.wrongPassword) }
        throttle.succeeded(attempt)
        if let digest { known.insert(digest, principal, now: now) }
        return .success(principal)
    }

    /// The current user; nil for one who may not log in. A name that differs from a user's only in spelling is no guest,
    /// since that user may be disabled.
    private func principal(_ name: String, at time: Int64) -> Principal? {
        let user = users.user(named: name, realm: settings.realm)
        guard user?.enabled ?? users.namesakes(of: name, realm: settings.realm).isEmpty,
            let granted = user?.roles ?? settings.guestRoles, time >= user?.tokensNotBefore ?? .min
        else { return nil }
        return Principal(
            kind: .user, method: .basic, subject: name, issuer: issuer, backendID: nil,
            roles: roles.roles(named: granted), catalogue: roles, level: level, virtual: user == nil, issuedAt: time,
            claims: claims.select(nil, user: user))
    }

    /// A verified caller with the current roles; nil if the user may not log in any more. The server is not asked again.
    func renew(_ principal: Principal) -> Principal? {
        guard issuer.isExactly(principal.issuer), let time = principal.issuedAt else { return nil }
        return self.principal(principal.subject, at: time)
    }
}

extension Reason {
    /// Nothing was learned of the password.
    fileprivate init(_ outage: PasswordOutage) {
        switch outage.reason {
        case .unavailable: self = .loginServerUnavailable
        case .invalidAnswer: self = .loginServerInvalidAnswer
        case .misconfigured: self = .loginServerMisconfigured
        }
    }
}
