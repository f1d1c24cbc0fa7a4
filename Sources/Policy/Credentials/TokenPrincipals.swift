import Bytes
import Identity
import JOSE

/// Makes principals of verified tokens: the gateway's own by the claims it wrote, others by the rules of their issuer.
struct TokenPrincipals: Sendable {
    private let issuers: [IssuerSettings]
    private let backends: BackendStore
    private let users: UserStore
    private let roles: RoleCatalogue
    private let liveRoles: Bool

    init(_ settings: PolicySettings) {
        issuers = settings.issuers
        backends = settings.backends
        users = settings.users
        roles = settings.roles
        liveRoles = settings.liveRoles
    }

    /// Whom the token stands for. Its signature, dates and audience have been verified.
    func principal(of token: VerifiedToken) throws(DenialReason) -> Principal {
        let issuer = issuers[token.issuerIndex]
        switch issuer.claims {
        case .own: return try ownPrincipal(of: token, issuer: issuer.trust.name)
        case .outside(let rules, let level, let backendID):
            let realm = backendID.flatMap { backends.backend(id: Array($0.utf8).span)?.realm }
            let identity: ExternalIdentity
            do {
                identity = try rules.identify(claims: token.claims, realm: realm, users: users, catalogue: roles)
            } catch {
                throw .unknownSubject
            }
            return Principal(
                kind: .user, method: .bearer, subject: identity.username, issuer: issuer.trust.name,
                backendID: backendID, roles: identity.roles, catalogue: roles, level: level, virtual: identity.virtual,
                expiresAt: token.expiresAt, issuedAt: token.issuedAt, tokenID: token.tokenID)
        }
    }

    /// - Parameter issuer: name of the embedded issuer's entry.
    private func ownPrincipal(of token: VerifiedToken, issuer: String) throws(DenialReason) -> Principal {
        let claims = token.claims
        // Tokens of other purposes have the same issuer and key: only access tokens open routes (RFC 9068 section 4).
        guard token.type == "at+jwt", let subject = token.subject, !subject.isEmpty,
            let kind = claims["kind"]?.string.flatMap(Principal.Kind.init), kind != .anonymous,
            let backendID = claims["backend_id"]?.string, let level = claims["level"]?.integer
        else { throw .invalidToken }
        // MBE-02: switching a backend off ends the tokens that it has; a deleted one has none (MBE-06).
        guard let backend = backends.backend(id: Array(backendID.utf8).span) else { throw .unknownBackend }
        guard backend.oauthConsumer else { throw .oauthDisabled }

        let virtual = claims["virtual"]?.bool ?? false
        var granted = (claims["roles"]?.array ?? []).compactMap(\.string)
        if liveRoles, kind == .user, !virtual {
            guard let user = users.user(named: subject, realm: backend.realm), user.enabled else {
                throw .unknownSubject
            }
            granted = user.roles
        }
        return Principal(
            kind: kind, method: .bearer, subject: subject, issuer: issuer, backendID: backendID,
            roles: roles.roles(named: granted), catalogue: roles, level: Int(clamping: level), virtual: virtual,
            expiresAt: token.expiresAt, issuedAt: token.issuedAt, tokenID: token.tokenID)
    }
}
