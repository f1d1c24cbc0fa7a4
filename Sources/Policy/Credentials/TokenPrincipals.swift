import Bytes
import Identity
import JOSE
import Model

/// Makes principals of verified tokens: the gateway's own by the claims it wrote, others by the rules of their issuer.
struct TokenPrincipals: Sendable {
    let issuers: [IssuerSettings]
    let clients: Clients
    let users: UserStore
    private let roles: RoleCatalogue
    private let liveRoles: Bool
    private let browserDomains: [String: BrowserDomain]
    private let loginRealm: String
    private let accountProviders: Set<String>
    private let activities: (any SessionActivities)?
    private let claims: ClaimSelection
    /// The audiences of own tokens that open all routes; nil where no tokens are for resources alone.
    private let ownAudiences: [String]?

    init(_ settings: PolicySettings, _ claims: ClaimSelection) {
        self.claims = claims
        issuers = settings.issuers
        clients = settings.clients
        users = settings.users
        roles = settings.roles
        liveRoles = settings.liveRoles
        browserDomains = settings.browserDomains
        loginRealm = settings.loginRealm
        accountProviders = settings.accountProviders
        activities = settings.activities
        let own = settings.issuers.first { $0.isOwn && !$0.resources.isEmpty }
        ownAudiences = own.map { own in
            own.trust.audiences.filter { audience in !own.resources.contains(where: audience.isExactly) }
        }
    }

    /// The caller that the token identifies. Its signature, dates and audience have been verified.
    ///
    /// - Parameter bytes: the token as it came.
    func principal(of token: VerifiedToken, _ bytes: [UInt8]) throws(Reason) -> Principal {
        let issuer = issuers[token.issuerIndex]
        switch issuer.claims {
        case .own: return try ownPrincipal(of: token, bytes, issuer: issuer)
        case .outside(let rules, let level, let backendID):
            let identity = try identify(token.claims, rules, backendID: backendID)
            let binding = token.binding
            if issuer.requiresProof, binding == nil { throw .tokenUnbound }
            return Principal(
                kind: .user, method: .bearer, subject: identity.username, issuer: issuer.trust.name,
                clientID: Self.client(of: token.claims),
                backendID: backendID, isOfClient: isClient(backendID), roles: identity.roles, catalogue: roles,
                level: level, virtual: identity.virtual,
                expiresAt: token.expiresAt, issuedAt: token.issuedAt, tokenID: token.tokenID, token: bytes,
                claims: claims.select(
                    token.claims, user: identity.user, authentication: issuer.authentication(token.claims)),
                binding: binding)
        }
    }

    /// The caller of a token that its server has found active.
    ///
    /// - Parameter bytes: the token as it came.
    func principal(
        of token: IntrospectedToken, _ bytes: [UInt8], _ issuer: IntrospectedIssuerSettings
    ) throws(Reason) -> Principal {
        do throws(TokenRejection) {
            try issuer.purpose.check(untyped: token.claims)
        } catch {
            throw Reason(error)
        }
        let identity = try identify(token.claims, issuer.rules, backendID: issuer.backendID)
        let binding = token.binding
        if issuer.requiresProof, binding == nil { throw .tokenUnbound }
        return Principal(
            kind: .user, method: .bearer, subject: identity.username, issuer: issuer.introspector.server.name,
            clientID: Self.client(of: token.claims),
            backendID: issuer.backendID, isOfClient: isClient(issuer.backendID), roles: identity.roles,
            catalogue: roles, level: issuer.level,
            virtual: identity.virtual, expiresAt: token.expiresAt, issuedAt: token.issuedAt, tokenID: token.tokenID,
            token: bytes, knownUntil: token.knownUntil,
            claims: claims.select(
                token.claims, user: identity.user,
                authentication: AuthenticationClaims(
                    token.claims, levels: issuer.levelsByMethod,
                    clockSkewSeconds: issuer.introspector.server.clockSkewSeconds)),
            binding: binding)
    }

    /// The client of RFC 9068 section 2.2 or OpenID Connect, or what some issuers write in its place.
    private static func client(of claims: JSONNode) -> String? {
        ["client_id", "azp", "cid", "appid"].lazy.compactMap { claims[$0]?.string }.first.map {
            String($0.prefix(longestClient))
        }
    }

    /// Whether an id is that of a client of `clients.json`.
    private func isClient(_ id: String?) -> Bool {
        id.flatMap { clients.client(id: Array($0.utf8).span) }?.isStandard ?? false
    }

    /// Characters of a client that are logged.
    private static let longestClient = 256

    private func identify(
        _ claims: JSONNode, _ rules: ExternalIdentityRules, backendID: String?
    ) throws(Reason) -> ExternalIdentity {
        let realm = backendID.flatMap { clients.client(id: Array($0.utf8).span)?.realm }
        do {
            return try rules.identify(claims: claims, realm: realm, users: users, catalogue: roles)
        } catch {
            throw .unknownSubject
        }
    }

    private func ownPrincipal(
        of token: VerifiedToken, _ bytes: [UInt8], issuer: IssuerSettings
    ) throws(Reason) -> Principal {
        guard let claims = AccessTokenClaims(verified: token.claims) else { throw .invalidToken }
        return try principal(
            of: claims, bytes, issuer: issuer.trust.name, json: token.claims,
            authentication: issuer.authentication(token.claims))
    }

    /// The caller of a token with claims of this gateway: one of its own, or one that an issuer module has made for a
    /// client.
    ///
    /// - Parameters:
    ///   - bytes: the token as it came.
    ///   - issuer: name of the embedded issuer's entry.
    ///   - json: all claims of a token that has more.
    func principal(
        of claims: AccessTokenClaims, _ bytes: [UInt8], issuer: String = "local", json: JSONNode? = nil,
        authentication: AuthenticationClaims = .none
    ) throws(Reason) -> Principal {
        // Switching OAuth off for a client ends the tokens that it has; a deleted client has none.
        guard let client = clients.client(id: Array(claims.backendID.utf8).span) else { throw .unknownClient }
        guard client.oauthConsumer else { throw .oauthDisabled }
        guard claims.issuedAt >= client.tokensNotBefore, clients.stand(behind: claims) else { throw .tokenRevoked }
        let (catalogue, activity) = (roles, activity(of: claims))
        let isLimited = ownAudiences.map { own in !claims.audience.contains { own.contains(where: $0.isExactly) } }
        let resources = isLimited == true ? claims.audience : []
        let selected = self.claims.select(
            json, user: account(of: claims, realm: client.realm), authentication: authentication)
        func caller(_ roles: RoleSet, unlimited: Principal? = nil) -> Principal {
            Principal(
                kind: claims.kind, method: .bearer, subject: claims.subject, issuer: issuer, clientID: claims.clientID,
                backendID: claims.backendID, isOfClient: client.isStandard, roles: roles, catalogue: catalogue,
                level: claims.level,
                virtual: claims.virtual, expiresAt: claims.expiresAt, issuedAt: claims.issuedAt,
                tokenID: claims.tokenID, token: bytes, origins: claims.origins, webgate: claims.webgate,
                session: claims.session, login: claims.login, activity: activity, claims: selected,
                binding: claims.binding, unlimited: unlimited, resources: resources)
        }
        let held = catalogue.roles(named: try heldRoles(by: claims, of: client))
        guard claims.userRoles != nil else { return caller(held) }
        return caller(held.intersection(catalogue.roles(named: claims.roles)), unlimited: caller(held))
    }

    /// The caller of a session's cookie; it was opened, and has not expired.
    ///
    /// - Parameter bytes: the value of the cookie.
    func principal(of session: Session, _ bytes: [UInt8]) throws(Reason) -> Principal {
        let (start, login) = (session.login.authenticatedAt, session.login)
        let holder =
            if let place = session.place {
                try holder(of: session, at: place)
            } else {
                try holder(of: session, realm: loginRealm, guestRoles: nil)
            }
        guard start >= holder.user?.tokensNotBefore ?? 0 else { throw .tokenRevoked }
        let activity = session.idleSeconds.flatMap { idle in
            activities?.activity(
                of: session.id, idleSeconds: idle, usedAt: session.usedAt, endsAt: session.expiresAt)
        }
        let origins = session.place == nil ? [session.family] + session.foundations : session.foundations
        return Principal(
            kind: .user, method: .cookie, subject: session.subject, issuer: "local",
            backendID: session.place?.backendID,
            roles: roles.roles(named: holder.roles + login.roles), catalogue: roles, level: login.level,
            virtual: holder.user == nil, expiresAt: session.expiresAt, issuedAt: start, tokenID: session.id,
            token: bytes,
            origins: origins.map { TokenOrigin(tokenID: $0, backendID: nil) },
            session: session.id, login: holder.loginClass.text, activity: activity,
            claims: claims.select(session.providedClaims, user: holder.user, authentication: session.authentication))
    }

    /// Whose session it is.
    private struct SessionHolder {
        /// The account; nil for a user without one.
        var user: User?
        /// Those of the account, or of guests.
        var roles: [String]
        var loginClass: LoginClass
    }

    /// The holder of a session at a service domain.
    private func holder(of session: Session, at place: Session.Place) throws(Reason) -> SessionHolder {
        guard let client = clients.client(id: Array(place.backendID.utf8).span) else { throw .unknownClient }
        // A session ends with what its access tokens would end with.
        guard client.oauthConsumer else { throw .oauthDisabled }
        // Logins of a removed domain, provider or form are refused.
        guard let domain = browserDomains[place.domain],
            session.isProvided ? domain.providers.contains(where: session.provider.isExactly) : domain.takesPasswords
        else { throw .sessionInvalid }
        guard session.login.authenticatedAt >= client.tokensNotBefore else { throw .tokenRevoked }
        var holder = try holder(
            of: session, realm: client.realm,
            guestRoles: roles(ofGuest: session.subject, place, domain, realm: client.realm))
        if !session.isProvided { holder.loginClass = domain.passwordLogin }
        return holder
    }

    /// - Parameter guestRoles: of a user without an account who is admitted; nil to refuse them.
    private func holder(
        of session: Session, realm: String, guestRoles: [String]?
    ) throws(Reason) -> SessionHolder {
        // A user that only a provider knows is not the account of the same name (JWT-13), and no account is that of a namesake
        // in the realm that counts now.
        let isVirtual = session.login.isVirtual
        guard isVirtual || session.realm.isExactly(realm) else { throw .sessionInvalid }
        if isVirtual, accountProviders.contains(session.provider) { throw .unknownSubject }
        let user = isVirtual ? nil : users.user(named: session.subject, realm: realm)
        guard let known = user?.roles ?? (isVirtual ? [] : guestRoles), user?.enabled ?? true else {
            throw .unknownSubject
        }
        return SessionHolder(
            user: user, roles: known, loginClass: session.isProvided ? .provider(session.provider) : .password())
    }

    /// Nil for a session whose user is not a guest. A name that differs from a local user's only in spelling is no guest.
    private func roles(
        ofGuest name: String, _ place: Session.Place, _ domain: BrowserDomain, realm: String
    ) -> [String]? {
        guard place.isGuest, users.namesakes(of: name, realm: realm).isEmpty else { return nil }
        return domain.guestRoles
    }

    /// When the session of a token was used last; nil where it may lie idle. To obtain a token is a use.
    private func activity(of claims: AccessTokenClaims) -> SessionActivity? {
        guard let session = claims.session, let idleSeconds = claims.idleSeconds else { return nil }
        return activities?.activity(
            of: session, idleSeconds: idleSeconds, usedAt: claims.issuedAt, endsAt: claims.expiresAt)
    }

    /// The local account of a token's holder.
    private func account(of claims: AccessTokenClaims, realm: String) -> User? {
        claims.kind == .user && !claims.virtual ? users.user(named: claims.subject, realm: realm) : nil
    }

    /// The user's roles in the token without those that another gateway has taken away since its issue, or with `liveRoles`
    /// those that the user has now (ROLE-03). A user who is gone or disabled has no tokens (MAP-04), nor has one those of
    /// the password before or of an earlier bearer of the name.
    private func heldRoles(by claims: AccessTokenClaims, of client: Client) throws(Reason) -> [String] {
        let ofToken = claims.userRoles ?? claims.roles
        guard claims.kind == .user, !claims.virtual else {
            return claims.kind == .client ? claims.rolesLeft(to: client) : ofToken
        }
        guard let user = account(of: claims, realm: client.realm), user.enabled else { throw .unknownSubject }
        guard claims.issuedAt >= user.tokensNotBefore else { throw .tokenRevoked }
        return liveRoles ? user.roles : users.current(ofToken, of: user, issuedAt: claims.issuedAt)
    }
}

extension IssuerSettings {
    fileprivate func authentication(_ claims: JSONNode) -> AuthenticationClaims {
        AuthenticationClaims(claims, levels: levelsByMethod, clockSkewSeconds: trust.clockSkewSeconds)
    }
}
