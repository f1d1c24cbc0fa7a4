import Bytes
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
    private let background: BackgroundEffects
    /// One question for requests with one credential from one network at the same time.
    private let underWay = SharedEffects<Result<Principal, Reason>>()

    /// Nil where nothing verifies passwords for the entry.
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
        background = policy.background
    }

    /// - Parameters:
    ///   - credential: what follows the scheme.
    ///   - address: of the client.
    ///   - now: seconds since 1970.
    func authenticate(_ credential: Span<UInt8>, from address: IPAddress?, now: Int64) -> AuthenticationOutcome {
        let network = address?.subscriberBytes ?? []
        let digest = known.digest(of: credential, context: 0)
        var recall: AuthenticationOutcome?
        if let remembered = known.known(digest, now: now), let current = renew(remembered.principal),
            !revocations.isRevoked(
                tokenID: nil, subject: current.subject, backendID: nil, issuer: issuer, issuedAt: current.issuedAt)
        {
            // Not where guesses are held back: they would still find the password.
            let outcome = AuthenticationOutcome(
                throttle.recall(user: current.subject, realm: settings.realm, network: network, now: now), current)
            guard remembered.isDue, case .principal = outcome else { return outcome }
            recall = outcome
        }
        guard let (typed, password) = BasicCredentials.parts(of: credential),
            let password = String(validating: password, as: UTF8.self), ExternalIdentityRules.isFitForHeaders(typed)
        else { return .rejected(.malformedCredential) }
        // Another spelling of a user's name is that user at the server, too.
        let namesakes = users.namesakes(of: typed, realm: settings.realm)
        let name = namesakes.count == 1 ? namesakes[0].username : typed
        let check = underWay.result(of: digest + network) { [self] in
            throttle.attempt(user: name, realm: settings.realm, network: network, now: now).then { [self] result in
                guard case .success(let attempt) = result else { return .done(.failure(.loginThrottled)) }
                return verifier.verify(PresentedLogin(username: name, password: password), now: now)
                    .map { [self] in conclude($0, name, digest, attempt, now: now) }
            }
        }
        guard let recall else { return .resolve(check) }
        background.begin(check.map { _ in })
        return recall
    }

    private func conclude(
        _ verdict: Result<PasswordVerdict, PasswordOutage>, _ name: String, _ digest: [UInt8], _ attempt: LoginAttempt,
        now: Int64
    ) -> Result<Principal, Reason> {
        switch verdict {
        case .success(.right):
            // Any other password of the user is an old one.
            known.forget(name)
            guard let principal = principal(name, at: now) else {
                attempt.failed()
                return .failure(.wrongPassword)
            }
            attempt.succeeded()
            known.insert(digest, principal, now: now)
            return .success(principal)
        case .success(.wrong):
            known.forget(digest)
            attempt.failed()
            return .failure(.wrongPassword)
        case .success(.forbidden):
            known.forget(name)
            attempt.failed()
            return .failure(.loginForbidden)
        case .success(.throttled):
            attempt.withdraw()
            return .failure(.loginThrottled)
        case .failure(let outage):
            attempt.withdraw()
            return .failure(Reason(outage))
        }
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

extension IssuerCredentials: CredentialJudge {
    func judge(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        guard case .password(let place) = shown.inFields else { return .none }
        return authenticate(bytes.slice(place), from: shown.address, now: shown.now)
    }

    func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
        renew(principal).map { .principal($0) } ?? .rejected(.unknownSubject)
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
