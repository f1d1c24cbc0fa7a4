import Bytes
import Identity
import JOSE
import Model

extension TokenPrincipals {
    /// The caller of an access token that the token service makes now: for a client, or for a user of its realm.
    ///
    /// - Parameters:
    ///   - clientID: of the client.
    ///   - scopes: those that the token has; with one that the client may not have it does not count.
    ///   - now: seconds since 1970.
    func principal(
        ofDescribed clientID: String, user name: String?, scopes: [String], now: Int64
    ) throws(Reason) -> Principal {
        guard let issuer = issuers.first(where: \.isOwn) else { throw .unknownIssuer }
        guard let client = clients.client(clientID: clientID) ?? clients.client(reference: clientID) else {
            throw .unknownClient
        }
        var rights = TokenRights(subject: clientID, kind: .client, roles: client.grants.roles)
        if let name {
            guard let user = users.user(named: name, realm: client.realm) else { throw .unknownSubject }
            rights = TokenRights(subject: user.username, kind: .user, roles: user.roles)
            rights.authenticatedAt = now
        }
        // There are no such tokens.
        if let allowed = client.grants.scopes, !scopes.allSatisfy(allowed.contains) { throw .invalidToken }
        if !scopes.isEmpty { rights.scope = scopes.joined(separator: " ") }
        let claims = AccessTokenClaims(
            rights, of: client, issuer: issuer.trust.issuer,
            audience: client.grants.audience ?? issuer.trust.audiences.first.map { [$0] } ?? [], issuedAt: now,
            expiresAt: now + 60, tokenID: "described")
        let json = try? JSONNode.parse(claims.json().span)
        return try principal(
            of: claims, [], issuer: issuer.trust.name, json: json,
            authentication: AuthenticationClaims(
                json, levels: issuer.levelsByMethod, clockSkewSeconds: issuer.trust.clockSkewSeconds))
    }
}

extension BasicCredentials {
    /// The local user of a name and a right password on a route.
    ///
    /// - Parameters:
    ///   - id: id or reference of the client that is named beside them; nil for none.
    ///   - now: seconds since 1970.
    func principal(
        ofDescribed name: String, _ id: String?, on route: Route?, now: Int64
    ) throws(Reason) -> Principal {
        func user(of realm: String) throws(Reason) -> User {
            guard let user = users.user(named: name, realm: realm), user.enabled, user.passwordHash != nil else {
                throw .wrongPassword
            }
            return user
        }
        var own = id
        if id == nil {
            switch route?.passwordOwner {
            case .application(let application)?:
                return principal(try user(of: application.realm), application, at: now)
            case .users?: if let loginRealm { return principal(try user(of: loginRealm), nil, at: now) }
            case .client(let id)?: own = id.map { String(decoding: $0, as: UTF8.self) }
            case nil: break
            }
        }
        let index =
            own.map { own in
                clients.index(id: Array(own.utf8).span)
                    ?? clients.clients.firstIndex { $0.reference.isExactly(own) }
            } ?? clients.defaultIndex
        guard let index else { throw id == nil ? .missingBackend : .unknownClient }
        let client = clients.client(at: index)
        guard client.httpBasic else { throw .basicDisabled }
        if client.socialLogin != nil { throw .socialLoginOnly }
        return principal(try user(of: client.realm), client, at: now)
    }
}
