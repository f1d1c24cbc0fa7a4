import Bytes
import Identity
import JOSE
import Model

/// A valid credential as it is described, without its secret: for what a configuration would decide about its holder. It
/// never stands for one that a request has shown.
package enum DescribedCredential: Sendable {
    case none
    /// A token of a trusted issuer, by the name of its entry. Of the claims, an object, those that each usable token has may
    /// be missing.
    case token(issuer: String, claims: JSONNode)
    /// An access token of the token service: for a client, or for a user of its realm.
    case accessToken(client: String, user: String?, scopes: [String])
    /// Name and password of a local user, with the id of a client where one is shown beside them.
    case password(user: String, client: String?)
    /// The session of a browser that has logged in.
    case session(Session)
    /// A key of a consumer, by its id; nil for any that counts.
    case key(consumer: String, id: String?)
    /// One whose holder is known.
    case known(KnownCaller)
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

    /// Nil for an unknown method.
    fileprivate func principal(_ roles: RoleCatalogue, _ selection: ClaimSelection) -> Principal? {
        let all: [Principal.Method] = [
            .bearer, .basic, .anonymousKey, .social, .apiKey, .cookie, .certificate, .saml,
        ]
        guard let method = all.first(where: { $0.rawValue.isExactly(method) }) else { return nil }
        return Principal(
            kind: kind, method: method, subject: subject, issuer: issuer, clientID: clientID, backendID: backendID,
            roles: roles.roles(named: self.roles), catalogue: roles, level: level, claims: selection.select(claims))
    }
}

/// What a policy decides about callers and requests that are described.
package struct PolicyDescription: Sendable {
    let policy: PolicySnapshot

    package init(_ policy: PolicySnapshot) { self.policy = policy }

    /// Who the holder of a described credential is on a route, or why the credential does not count; nil where none counts.
    ///
    /// - Parameters:
    ///   - route: nil for endpoints.
    ///   - now: seconds since 1970.
    package func holder(
        of credential: DescribedCredential, on route: Route?, now: Int64
    ) -> Result<Principal?, Reason> {
        if route?.isPublic == true { return .success(nil) }
        return Result { () throws(Reason) in
            guard var holder = try holder(credential, route, at: now) else { return nil }
            guard let chain = route?.authenticators else { return holder }
            // Where an API key must come beside another credential, one is taken as there.
            if chain.hasPairs, holder.method != .apiKey {
                holder = holder.with(key: policy.consumerKeys.anyHolder(now: now))
            }
            if chain.accepts(holder) { return holder }
            throw chain.refusal(ofUnlisted: holder)
        }
    }

    private func holder(
        _ credential: DescribedCredential, _ route: Route?, at now: Int64
    ) throws(Reason) -> Principal? {
        switch credential {
        case .none: nil
        case .token(let issuer, let claims): try token(of: issuer, claims, now)
        case .accessToken(let client, let user, let scopes):
            try policy.principals.principal(ofDescribed: client, user: user, scopes: scopes, now: now)
        case .password(let user, let client):
            try policy.passwords.principal(ofDescribed: user, client, on: route, now: now)
        case .session(let session):
            // Elsewhere a cookie is not looked at.
            if let login = route?.login { try self.session(session, login) } else { nil }
        case .known(let caller): caller.principal(policy.roles, policy.claims)
        case .key(let consumer, let id): try policy.consumerKeys.principal(ofDescribed: consumer, id, now: now)
        }
    }

    private func token(of issuer: String, _ claims: JSONNode, _ now: Int64) throws(Reason) -> Principal {
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

    private func session(_ session: Session, _ login: LoginRule) throws(Reason) -> Principal {
        let principal = try policy.principals.principal(of: session, [])
        guard login.accepts(sessionOf: principal) else { throw .sessionInvalid }
        return principal
    }
}
