import Bytes
import Identity
import JOSE
import Model

/// Who the holders of valid credentials are that are described, without their secrets. They never stand for those that a request
/// has shown.
package struct PolicyDescription: Sendable {
    private let policy: PolicySnapshot
    /// Seconds since 1970.
    private let now: Int64

    /// - Parameter now: seconds since 1970.
    package init(_ policy: PolicySnapshot, now: Int64) { (self.policy, self.now) = (policy, now) }

    /// The caller on a route; nil where no credential counts.
    ///
    /// - Parameters:
    ///   - route: nil for endpoints.
    ///   - holder: that of the credential, asked for where one may count.
    /// - Throws: why the credential does not count.
    package func caller(
        on route: Route?, _ holder: () throws(Reason) -> Principal?
    ) throws(Reason) -> Principal? {
        if route?.isPublic == true { return nil }
        guard var holder = try holder() else { return nil }
        guard let chain = route?.authenticators else { return holder }
        // Where an API key must come beside another credential, one is taken as there.
        if chain.hasPairs, holder.method != .apiKey {
            holder = holder.with(key: policy.consumerKeys.anyHolder(now: now))
        }
        if chain.accepts(holder) { return holder }
        throw chain.refusal(ofUnlisted: holder)
    }

    /// The holder of a token of a trusted issuer.
    ///
    /// - Parameters:
    ///   - issuer: the name of its entry.
    ///   - claims: an object; those that each usable token has may be missing.
    package func token(of issuer: String, _ claims: JSONNode) throws(Reason) -> Principal {
        if let index = policy.verifier.issuers.firstIndex(where: { $0.name.isExactly(issuer) }) {
            switch policy.verifier.outcome(ofDescribed: claims, by: index, now: now) {
            case .verified(let token): return try policy.principals.principal(of: token, [])
            case .rejected(let rejection): throw Reason(rejection)
            case .needsKeys, .keysUnavailable: throw .keysUnavailable
            }
        }
        guard let entry = policy.introspected.issuers.first(where: { $0.introspector.server.name.isExactly(issuer) })
        else {
            throw .unknownIssuer
        }
        guard let token = IntrospectedToken(described: claims, of: entry.introspector.server, now: now) else {
            throw .invalidToken
        }
        return try policy.principals.principal(of: token, [], entry)
    }

    /// The holder of an access token that the token service makes now.
    ///
    /// - Parameters:
    ///   - id: id or reference of the client.
    ///   - name: a user of the client's realm; nil for a token of the client itself.
    ///   - scopes: those that the token has; with one that the client may not have it does not count.
    package func accessToken(of id: String, user name: String?, scopes: [String]) throws(Reason) -> Principal {
        let principals = policy.principals
        guard let issuer = principals.issuers.first(where: \.isOwn) else { throw .unknownIssuer }
        guard let client = principals.clients.client(clientID: id) ?? principals.clients.client(reference: id) else {
            throw .unknownClient
        }
        var rights = TokenRights(subject: id, kind: .client, roles: client.grants.roles)
        if let name {
            guard let user = principals.users.user(named: name, realm: client.realm) else { throw .unknownSubject }
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
        return try principals.principal(
            of: claims, [], issuer: issuer.trust.name, json: json,
            authentication: AuthenticationClaims(
                json, levels: issuer.levelsByMethod, clockSkewSeconds: issuer.trust.clockSkewSeconds))
    }

    /// The local user of a name and the right password.
    /// - Parameter id: id or reference of the client that is named beside them; nil for none.
    package func user(_ name: String, client id: String?, on route: Route?) throws(Reason) -> Principal {
        let passwords = policy.passwords
        func user(of realm: String) throws(Reason) -> User {
            guard let user = passwords.users.user(named: name, realm: realm), user.enabled, user.passwordHash != nil
            else { throw .wrongPassword }
            return user
        }
        var own = id
        if id == nil {
            switch route?.passwordOwner {
            case .application(let application)?:
                return passwords.principal(try user(of: application.realm), application, at: now)
            case .users?:
                if let realm = passwords.loginRealm { return passwords.principal(try user(of: realm), nil, at: now) }
            case .client(let id)?: own = id.map { String(decoding: $0, as: UTF8.self) }
            case nil: break
            }
        }
        let clients = passwords.clients
        let index =
            own.map { own in
                clients.index(id: Array(own.utf8).span)
                    ?? clients.clients.firstIndex { $0.reference.isExactly(own) }
            } ?? clients.defaultIndex
        guard let index else { throw id == nil ? .missingBackend : .unknownClient }
        let client = clients.client(at: index)
        guard client.httpBasic else { throw .basicDisabled }
        if client.socialLogin != nil { throw .socialLoginOnly }
        return passwords.principal(try user(of: client.realm), client, at: now)
    }

    /// The holder of a key of a consumer.
    /// - Parameter id: of the key; nil for any that counts.
    package func consumer(_ name: String, key id: String?) throws(Reason) -> Principal {
        try policy.consumerKeys.principal(ofDescribed: name, id, now: now)
    }

    /// The user of a browser that has logged in; nil where no session is looked at.
    package func session(_ session: Session, on route: Route?) throws(Reason) -> Principal? {
        guard let login = route?.login else { return nil }
        let principal = try policy.principals.principal(of: session, [])
        guard login.accepts(sessionOf: principal) else { throw .sessionInvalid }
        return principal
    }

    /// Nil for an unknown method.
    package func known(_ caller: KnownCaller) -> Principal? {
        let all: [Principal.Method] = [
            .bearer, .basic, .anonymousKey, .social, .apiKey, .cookie, .certificate, .saml,
        ]
        guard let method = all.first(where: { $0.rawValue.isExactly(caller.method) }) else { return nil }
        return Principal(
            kind: caller.kind, method: method, subject: caller.subject, issuer: caller.issuer,
            clientID: caller.clientID, backendID: caller.backendID,
            roles: policy.roles.roles(named: caller.roles), catalogue: policy.roles, level: caller.level,
            claims: policy.claims.select(caller.claims))
    }
}

/// A caller about which a log says what rules ask for.
package struct KnownCaller: Sendable {
    package var kind = Principal.Kind.user
    /// Name of the method.
    package var method = ""
    package var subject = ""
    package var issuer = ""
    package var clientID: String?
    /// Id of the client that the credential is bound to; nil for none.
    package var backendID: String?
    package var level = Principal.standardLevel
    package var roles: [String] = []
    /// `scope`, and the claims that rules ask for.
    package var claims = JSONNode.object([])

    package init() {}
}
