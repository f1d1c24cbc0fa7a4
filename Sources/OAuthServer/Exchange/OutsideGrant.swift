import Endpoints
import Identity
import Model
import Outbound
import TokenStorage

/// An endpoint that exchanges outside tokens.
package struct ExchangeEndpoint: Sendable {
    /// For the audit log.
    let action: String
    /// Default lifetime in seconds (CON-01).
    let standardLifetime: Int64
    /// Accepted audiences of a JWT besides the issuer's own.
    let audiences: [String]

    /// `/mobile/platform/auth/token`.
    static let tokenEndpoint = ExchangeEndpoint(
        action: "jwt_exchange", standardLifetime: TokenLifetime.ofTokenEndpoint, audiences: [])

    /// `/mobile/platform/sso/exchange-token` (SAML-14, SAML-15).
    package static func singleSignOn(baseURL: String, _ action: String) -> ExchangeEndpoint {
        ExchangeEndpoint(
            action: action, standardLifetime: TokenLifetime.ofSSOEndpoint,
            audiences: [AssertionIssuer.exchangeURL(baseURL)])
    }

    package func audited(_ response: EndpointResponse, _ client: Client?) -> EndpointResponse {
        var response = response
        response.audit = AuditEntry(action: "grant.\(action)", outcome: .refused, client: client?.reference ?? "")
        return response
    }
}

/// A verified outside token, about to be exchanged for the gateway's own unless it is revoked or was exchanged before.
package struct OutsideGrant: Sendable {
    let service: TokenService
    let place: ExchangeEndpoint
    let issuer: AssertionIssuer
    /// The environment's setting.
    let lifetime: TokenLifetime
    let client: Client
    let identity: ExternalIdentity
    /// `jti`, or the id of a SAML assertion; nil if absent.
    let tokenID: String?
    /// Seconds since 1970, as are all times here; nil if not stated.
    let issuedAt: Int64?
    let expiresAt: Int64
    /// Clock skew for which it is still accepted after its expiry.
    let skew: Int64
    /// Identifies the assertion if it is single-use.
    let singleUseName: [UInt8]?
    let now: Int64

    package init(
        service: TokenService, place: ExchangeEndpoint, issuer: AssertionIssuer, lifetime: TokenLifetime,
        client: Client,
        identity: ExternalIdentity, tokenID: String?, issuedAt: Int64?, expiresAt: Int64, skew: Int64 = 0,
        singleUseName: [UInt8]?, now: Int64
    ) {
        self.service = service
        self.place = place
        self.issuer = issuer
        self.lifetime = lifetime
        self.client = client
        self.identity = identity
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.skew = skew
        self.singleUseName = singleUseName
        self.now = now
    }

    package func run() -> Effect<EndpointResponse> {
        guard !isRevoked else { return refuse(.revoked) }
        guard let singleUseName else { return issue() }
        let key = issuer.singleUseKey(singleUseName)
        return service.ask(.remember(key: key, until: expiresAt + skew), now: now) { answer in
            answer == .fresh(true) ? issue() : refuse(.usedBefore)
        }
    }

    /// Whether the outside token, or all tokens of its subject, are revoked. A token without a date counts as just
    /// issued: otherwise a revocation of its subject would block it for as long as the list keeps the entry.
    private var isRevoked: Bool {
        service.settings.revocations.isRevoked(
            tokenID: tokenID, subject: identity.username, backendID: nil, issuedAt: issuedAt ?? now)
    }

    private func issue() -> Effect<EndpointResponse> {
        let seconds = issuer.lifetime.effective(
            lifetime, remaining: max(1, expiresAt - now), standard: place.standardLifetime)
        var grant = AccessTokenMinter.Grant(
            subject: identity.username, kind: .user, client: client, lifetimeSeconds: seconds)
        grant.roles = service.settings.catalogue.names(of: identity.roles)
        grant.level = issuer.level
        grant.virtual = identity.virtual
        // Revoking the outside token by its id revokes tokens derived from it.
        if let tokenID, (1...TokenOrigin.maximumTokenIDBytes).contains(tokenID.utf8.count) {
            grant.origins = [TokenOrigin(tokenID: tokenID, backendID: nil)]
        }
        var issuance = Issuance(grant, GrantedScope.none, action: place.action)
        issuance.shape = .mobile
        return service.issue(issuance, now: now)
    }

    private func refuse(_ rejection: AssertionRejection) -> Effect<EndpointResponse> {
        .done(place.audited(rejection.response, client))
    }
}
