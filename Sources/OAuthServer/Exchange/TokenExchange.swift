import Bytes
import Endpoints
import Identity
import JOSE
import Model
import Outbound

/// The grant of token exchange.
struct TokenExchange: Sendable {
    let service: TokenService

    /// RFC 8693: exchanges a user's token for a more restricted one, for a client that has rules for it. User,
    /// level and login data are kept; scope, audience and lifetime can only shrink. The new token names its origin and
    /// is revoked with it.
    func answer(
        _ form: TokenForm, _ client: Client, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let rules = client.grants.exchange else { throw .exchangeNotAllowed }
        guard let token = form["subject_token"], let type = form["subject_token_type"] else { throw .missingParameter }
        try Self.check(type: type)
        if let wanted = form["requested_token_type"] { try Self.check(type: wanted) }
        let subject = try subject(token, client, rules, now: now)
        let target = try TokenExchangeTarget(
            audience: form["audience"], resources: form.resources, client, rules, in: service.settings)
        try check(subject, target.client)
        let scope = try GrantedScope(
            requested: form["scope"],
            granted: Self.narrowed(subject.scope, by: rules.scopes.isEmpty ? nil : rules.scopes, target.client),
            allowed: service.settings.terms.scopes)
        var grant = AccessTokenMinter.Grant(
            subject: subject.subject, kind: subject.kind, client: target.client,
            lifetimeSeconds: min(rules.lifetimeSeconds, subject.expiresAt - now))
        grant.roles = subject.roles
        grant.userRoles = subject.userRoles
        grant.level = subject.level
        grant.virtual = subject.virtual
        grant.scope = scope.claim
        grant.authenticatedAt = subject.authenticatedAt
        grant.methods = subject.methods
        grant.binding = binding
        // Restrictions of a token also apply to tokens derived from it (DEC-06, OMS-17).
        grant.webgate = subject.webgate
        grant.session = subject.session
        grant.idleSeconds = subject.idleSeconds
        if let audience = target.audience { grant.audience = audience }
        grant.origins = [TokenOrigin(tokenID: subject.tokenID, backendID: subject.backendID)] + subject.origins
        grant.actors = try actors(form, behind: subject.actors, client, rules, now: now)
        var issuance = Issuance(grant, scope, action: "token_exchange")
        issuance.shape = .exchanged
        return service.issue(issuance, now: now)
    }

    /// The subject token: valid, issued by this service for the gateway itself, of a client that the rules name.
    private func subject(
        _ token: String, _ client: Client, _ rules: ExchangeRules, now: Int64
    ) throws(TokenFailure) -> AccessTokenClaims {
        guard let claims = try service.ownTokens.live(token, now: now), isForGateway(claims),
            claims.origins.count < TokenOrigin.maximumCount
        else { throw .invalidSubjectToken }
        let reference = claims.isOfClient ? claims.backendID : "\(claims.backendName)/\(claims.backendVersion)"
        guard
            claims.backendID.isExactly(client.id)
                || rules.subjects.contains(where: { $0.isExactly(reference) })
        else { throw .invalidSubjectToken }
        return claims
    }

    /// A token for another audience is not accepted as proof (RFC 8693 section 2.1).
    private func isForGateway(_ claims: AccessTokenClaims) -> Bool {
        claims.audience.contains { audience in
            service.settings.audience.contains { $0.isExactly(audience) }
        }
    }

    /// A user must belong to the client's realm, and a token without a user to its own client.
    private func check(_ subject: AccessTokenClaims, _ target: Client) throws(TokenFailure) {
        if subject.backendID.isExactly(target.id) { return }
        let origin = service.settings.clients.client(id: Array(subject.backendID.utf8).span)
        guard subject.kind == .user,
            subject.virtual || (origin?.realm.isExactly(target.realm) ?? false)
        else { throw .invalidTarget }
    }

    /// The chain of actors (section 4.1): the holder of the actor token, which must be the client's own, before earlier
    /// actors.
    private func actors(
        _ form: TokenForm, behind earlier: [String], _ client: Client, _ rules: ExchangeRules, now: Int64
    ) throws(TokenFailure) -> [String] {
        guard let token = form["actor_token"] else {
            if form["actor_token_type"] != nil { throw .missingParameter }
            return earlier
        }
        guard let type = form["actor_token_type"] else { throw .missingParameter }
        try Self.check(type: type)
        guard rules.actors, let actor = try service.ownTokens.live(token, now: now), isForGateway(actor),
            actor.clientID.isExactly(client.clientID),
            earlier.count < AccessTokenClaims.maximumActors
        else { throw .invalidActorToken }
        return [actor.subject] + earlier
    }

    /// Both token types mean the same here, because access tokens of this service are JWTs (section 3).
    private static func check(type: String) throws(TokenFailure) {
        let known = ["urn:ietf:params:oauth:token-type:access_token", "urn:ietf:params:oauth:token-type:jwt"]
        guard known.contains(where: { $0.isExactly(type) }) else { throw .unsupportedTokenType }
    }

    /// The part of a scope that the rules allow, and that the client of the new token may have.
    ///
    /// - Parameter limit: nil for all.
    private static func narrowed(_ scope: String?, by limit: [String]?, _ client: Client) -> String {
        (scope ?? "").split(separator: " ").map(String.init).filter { name in
            limit?.contains(name) ?? true && client.grants.scopes?.contains(name) ?? true
        }.joined(separator: " ")
    }
}

/// Target of an exchanged token.
struct TokenExchangeTarget {
    let client: Client
    /// `aud`; nil for the gateway's own.
    let audience: [String]?

    /// - Parameters:
    ///   - audience: a client by its reference, or a value of `aud`; nil for the client itself.
    ///   - resources: the same as URLs, or resources of routes (RFC 8707); exclude `audience`.
    init(
        audience: String?, resources: [String], _ client: Client, _ rules: ExchangeRules,
        in settings: TokenServiceSettings
    ) throws(TokenFailure) {
        guard let name = audience ?? resources.first else {
            self.client = client
            self.audience = nil
            return
        }
        guard audience == nil || resources.isEmpty else { throw .invalidTarget }
        func isListed(_ name: String) -> Bool { rules.audiences.contains { $0.isExactly(name) } }
        if resources.count > 1 || audience == nil && settings.resources.route(name) != nil {
            // A route of the gateway is a part of what the subject token is for.
            let routes = resources.filter { !isListed($0) }
            guard routes.allSatisfy({ settings.resources.route($0) != nil }) else { throw .invalidTarget }
            self.client = client
            self.audience = resources.filter(isListed) + (try settings.resources.known(routes, to: client))
            return
        }
        if name.isExactly(client.reference) {
            self.client = client
            self.audience = nil
        } else if rules.clients.contains(where: { $0.isExactly(name) }) {
            guard let other = settings.clients.client(reference: name), other.oauthConsumer else {
                throw .invalidTarget
            }
            self.client = other
            self.audience = nil
        } else if isListed(name) {
            self.client = client
            self.audience = [name]
        } else {
            throw .invalidTarget
        }
    }
}
