import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import Model
import Outbound
import TokenStorage

/// The exchange of an authorization code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
struct CodeRedemption: Sendable {
    /// Maximum number of logins of one user at a client that have tokens.
    private static let maximumLogins = 256

    let service: TokenService
    let client: Client
    /// Of the code, in the store.
    let digest: [UInt8]
    let redirectURI: String
    let verifier: String
    /// Of the request; empty for those of the code.
    let resources: [String]
    /// The grant, for the audit log.
    let action: String
    /// What the tokens are bound to; nil for bearer tokens.
    let binding: TokenBinding?
    /// Seconds since 1970.
    let now: Int64

    private var settings: TokenServiceSettings { service.settings }

    init(
        _ service: TokenService, _ form: TokenForm, _ client: Client, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) {
        guard client.grants.authorization != nil else {
            // Without such clients the server does not know the grant.
            throw service.settings.hasAuthorization ? .grantNotAllowed : .unsupportedGrantType
        }
        guard let code = form["code"], let redirectURI = form["redirect_uri"], let verifier = form["code_verifier"]
        else { throw .missingParameter }
        // RFC 7636 section 4.1.
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(CodeRedemption.isUnreserved) else {
            throw .invalidParameter
        }
        self.service = service
        self.client = client
        digest = service.settings.storeKey.digest(code)
        self.redirectURI = redirectURI
        self.verifier = verifier
        resources = form.resources
        action = GrantType.authorizationCode.rawValue
        self.binding = binding
        self.now = now
    }

    /// For a code that was redirected nowhere, such as that of a device.
    init(
        _ service: TokenService, digest: [UInt8], _ client: Client, _ binding: TokenBinding?, resources: [String],
        action: String, now: Int64
    ) {
        self.service = service
        self.client = client
        self.digest = digest
        redirectURI = ""
        verifier = ""
        self.resources = resources
        self.action = action
        self.binding = binding
        self.now = now
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
    }

    func run() -> Effect<EndpointResponse> {
        service.ask(.find(.refresh(digest)), now: now) { answer in
            guard case .record(let record?) = answer else { return refuseUsed() }
            guard record.kind == .authorization, record.application.isExactly(client.id),
                record.accessLives(at: now), let code = AuthorizationCode(record.attributes)
            else { return .done(TokenFailure.invalidCode.response) }
            guard isFor(code) else { return void() }
            return exchange(code, of: record)
        }
    }

    /// Compares in constant time, so that the time reveals nothing about the challenge.
    private func isFor(_ code: AuthorizationCode) -> Bool {
        let isChallenge = constantTimeEqual(
            Array(LoginSecrets.challenge(of: verifier).utf8).span, Array(code.challenge.utf8).span)
        let isOfKey = code.proofKey.map { binding?.thumbprint?.isExactly($0) == true } ?? true
        return redirectURI.isExactly(code.redirectURI) && isChallenge && isOfKey
    }

    /// Ends a code that its client presented with a wrong verifier, key or redirect URI, since it may have been stolen.
    private func void() -> Effect<EndpointResponse> {
        service.ask(.revoke(.refresh(digest)), now: now) { _ in .done(TokenFailure.wrongCodeVerifier.response) }
    }

    /// The code is not stored. If it was exchanged before, its tokens are revoked (RFC 6749 section 4.1.2).
    func refuseUsed() -> Effect<EndpointResponse> {
        // A placeholder: there is nothing to replace.
        let nothing = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .refresh, application: client.id, subject: "",
            tokenID: "", accessExpiresAt: 0, issuedAt: now)
        return rotate(to: nothing) { .done(TokenFailure.invalidCode.response) }
    }

    private func rotate(
        to record: TokenRecord, _ next: @escaping @Sendable () -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        let operation = StoreOperation.rotate(
            refresh: digest, application: client.id, proposed: record, reuse: .detected())
        return service.ask(operation, now: now) { answer in
            switch answer {
            case .rotated: return next()
            case .reused(let family):
                // Names the tokens of an issuer module, which the store does not find by the family.
                let until = now + service.settings.userSeconds(of: client)
                return service.ask(.deny(.token(family, subject: record.subject, until: until)), now: now) { _ in
                    settings.revocations.revoke(tokenID: family, until: until)
                    return .done(TokenFailure.reusedCode.response)
                }
            default: return .done(TokenFailure.invalidCode.response)
            }
        }
    }

    /// Whether the access token gets a name in the deny list that its record has too.
    private var hasFamily: Bool { client.grants.refresh != nil && !settings.terms.revokesOnRefresh }

    // MARK: The login behind the code

    /// Exchanges a login for tokens, if the store has the session and the logins that it depends on.
    func exchange(_ login: AuthorizationCode, of record: TokenRecord) -> Effect<EndpointResponse> {
        let ids = [login.session][...] + login.foundations
        return settings.store.haveAll(ids, now: now) { [now] in $0.accessLives(at: now) }.then { stands in
            guard let stands else { return .done(TokenFailure.storeUnavailable.response) }
            return stands ? exchange(record, login) : .done(TokenFailure.invalidCode.response)
        }
    }

    private func exchange(_ record: TokenRecord, _ code: AuthorizationCode) -> Effect<EndpointResponse> {
        let isRevoked = settings.revocations.isRevoked(
            tokenID: nil, subject: record.subject, backendID: client.tokenClientID,
            issuer: OwnAccessTokens.issuerName, issuedAt: code.login.authenticatedAt, session: code.family)
        guard !isRevoked, code.login.authenticatedAt >= client.tokensNotBefore,
            let roles = roles(of: record.subject, code)
        else {
            return .done(TokenFailure.invalidCode.response)
        }
        // A request without resources leaves them to this one (RFC 8707 section 2.2).
        guard
            let granted = code.resources.isEmpty
                ? try? settings.resources.known(resources, to: client) : code.resources,
            let targets = try? settings.resources.narrowed(resources, of: granted, client)
        else { return .done(TokenFailure.invalidTarget.response) }
        var issuance = issuance(record, code, roles, targets: targets)
        var family = RefreshFamily(issuance.grant, now: now)
        family.resources = granted
        family.provided = code.login.roles
        (family.login.authenticatedAt, family.login.providerTime) = (
            code.login.authenticatedAt, code.login.providerTime
        )
        var successor =
            if let lifetimes = client.grants.refresh {
                RefreshTokens(service: service).attach(to: &issuance, family, lifetimes, id: record.id, now: now)
            } else {
                TokenRecord(
                    id: record.id, kind: .refresh, application: client.id, subject: record.subject,
                    tokenID: issuance.tokenID, accessExpiresAt: now + issuance.grant.lifetimeSeconds, issuedAt: now)
            }
        successor.sealed = record.sealed
        return rotate(to: successor) { [issuance, successor] in
            settings.store.keepNewest(CodeRedemption.maximumLogins, like: successor, now: now)
                .then { service.issue(issuance, now: now) }
        }
    }

    /// The user's current roles; nil if the user may no longer log in.
    private func roles(of subject: String, _ code: AuthorizationCode) -> [String]? {
        let catalogue = settings.catalogue
        guard !code.login.isVirtual else {
            // The provider may have begun to require accounts since.
            if settings.accountProviders.contains(code.provider) { return nil }
            return catalogue.names(of: catalogue.roles(named: code.login.roles))
        }
        guard code.realm.isExactly(client.realm),
            let user = settings.users.user(named: subject, realm: client.realm), user.enabled,
            code.login.authenticatedAt >= user.tokensNotBefore
        else { return nil }
        return catalogue.names(of: catalogue.roles(named: user.roles + code.login.roles))
    }

    private func issuance(
        _ record: TokenRecord, _ code: AuthorizationCode, _ roles: [String], targets: [String]
    ) -> Issuance {
        var grant = AccessTokenMinter.Grant(
            subject: record.subject, kind: .user, client: client,
            lifetimeSeconds: service.settings.userSeconds(of: client))
        grant.rights.take(code.login)
        grant.limit(to: targets)
        grant.scope = code.scope.isEmpty ? nil : code.scope
        settings.give(roles, to: &grant)
        grant.binding = binding
        grant.session = code.family
        grant.origins = code.foundations.map { TokenOrigin(tokenID: $0, backendID: nil) }
        if client.issuer != nil, !hasFamily { grant.origins.append(TokenOrigin(tokenID: record.id, backendID: nil)) }
        var issuance = Issuance(grant, GrantedScope(granted: code.scope), action: action)
        issuance.shape = .standard
        issuance.identify(nonce: code.nonce, provided: record.providedClaims(settings.storeKey))
        return issuance
    }
}
