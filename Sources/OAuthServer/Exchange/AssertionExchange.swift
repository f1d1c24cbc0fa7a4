import Bytes
import Endpoints
import Identity
import JOSE
import Model
import Outbound

/// Exchanges an outside token for one of the gateway's own, in the order of JTX-10: issuer, client, keys and
/// signature, times, audience, filters, user, roles, lifetime.
package struct AssertionExchange: Sendable {
    let service: TokenService
    let sources: AssertionSources
    let client: ExchangeClient
    let origin: ClientOrigin
    let received: ReceivedToken
    let token: [UInt8]
    let place: ExchangeEndpoint
    /// Seconds since 1970.
    let now: Int64

    package init(
        service: TokenService, sources: AssertionSources, client: ExchangeClient, origin: ClientOrigin,
        received: ReceivedToken, token: [UInt8], place: ExchangeEndpoint = .tokenEndpoint, now: Int64
    ) {
        self.service = service
        self.sources = sources
        self.client = client
        self.origin = origin
        self.received = received
        self.token = token
        self.place = place
        self.now = now
    }

    private var settings: TokenServiceSettings { service.settings }

    package func run() -> Effect<EndpointResponse> {
        guard let name = received.issuer else { return refuse(.unknownIssuer, by: sources.currentPolicy) }
        return sources.policy(for: name, now: now).then { policy in
            guard policy.isSound else { return refuse(.invalidIssuer, by: policy) }
            switch policy.lookup(name) {
            case .unknown: return refuse(.unknownIssuer, by: policy)
            case .invalid: return refuse(.invalidIssuer, by: policy)
            case .issuer(let issuer):
                // JWT-11.
                return issuer.isEnabled ? authenticate(issuer, policy) : refuse(.disabledIssuer, by: policy)
            }
        }
    }

    private func authenticate(_ issuer: AssertionIssuer, _ policy: AssertionPolicy) -> Effect<EndpointResponse> {
        let client: Client
        do throws(TokenFailure) {
            client = try authenticatedClient(issuer)
        } catch {
            return refuse(error)
        }
        return sources.keys(for: received, token: token, issuer, policy, now: now).then { result in
            switch result {
            case .failure(.unavailable): return refuse(.keysUnavailable, client)
            case .failure(.unusable): return refuse(.unusableKeys, by: policy, issuer, client)
            case .success(let keys): return judge(keys, issuer, policy, client)
            }
        }
    }

    /// The client, if it may exchange tokens of the issuer.
    private func authenticatedClient(_ issuer: AssertionIssuer) throws(TokenFailure) -> Client {
        let client: Client? =
            switch self.client {
            case .secret(let presented): try service.clients.authenticate(presented, from: origin)
            case .token(let token, let named): try client(ofClientToken: token, named: named)
            case .name(let id) where !issuer.requiresClientAuthentication: settings.clients.client(clientID: id)
            case .client(let client):
                // CON-17: the endpoint checks the switches of the client.
                if issuer.allows(client) { client } else { throw .ssoBackendNotAllowed }
            case .name, .unrecognised: nil
            }
        guard let client else { throw .invalidClient }
        if case .client = self.client { return client }
        // JTX-09.
        guard client.oauthConsumer else { throw .unauthorizedClient }
        // A client of identity assertions has the grant for these alone.
        guard issuer.allows(client), !client.grants.withheld.contains(.jwtBearer),
            client.grants.assertionIssuers.isEmpty
        else { throw .clientNotAllowed }
        guard service.clients.admits(client, from: origin) else { throw .foreignOrigin }
        return client
    }

    /// JTX-06: a token that this service issued to the client itself, valid as for a route.
    private func client(ofClientToken token: String, named: String?) throws(TokenFailure) -> Client? {
        guard let claims = try service.ownTokens.live(token, now: now), claims.kind == .client,
            claims.audience.contains(where: { audience in
                settings.audience.contains { $0.isExactly(audience) }
            })
        else { throw .invalidClientAssertion }
        if let named, !named.isExactly(claims.clientID) { throw .conflictingClientID }
        return settings.clients.client(id: Array(claims.backendID.utf8).span)
    }

    private func judge(
        _ keys: KeySet, _ issuer: AssertionIssuer, _ policy: AssertionPolicy, _ client: Client
    ) -> Effect<EndpointResponse> {
        var issuer = issuer
        issuer.audiences += place.audiences
        let verifier = AssertionVerifier(issuer: issuer, users: settings.users, catalogue: settings.catalogue)
        let assertion = AssertionVerifier.Assertion(received, token: token, keys: keys)
        let identity: ExternalIdentity
        do throws(AssertionRejection) {
            identity = try verifier.verify(assertion, realm: client.realm, now: now)
        } catch {
            return refuse(error, by: policy, issuer, keys: keys, client)
        }
        // The verifier has checked that there is an expiry in the future.
        guard let expiresAt = received.expiresAt else { return refuse(.missingExpiry, by: policy, issuer, client) }
        return OutsideGrant(
            service: service, place: place, issuer: issuer, lifetime: policy.lifetime, client: client,
            identity: identity, tokenID: received.tokenID, issuedAt: received.issuedAt, expiresAt: expiresAt,
            singleUseName: issuer.isSingleUse ? singleUseName : nil, now: now
        ).run()
    }

    /// Identifies an assertion for single use (JTX-11): `jti`, or all claims if it has none. Excludes the signature,
    /// since some algorithms allow several valid ones.
    private var singleUseName: [UInt8] {
        received.tokenID.map { Array("id \($0)".utf8) } ?? Array("text ".utf8) + received.signedPart(of: token.span)
    }

    // MARK: Refusals

    private func refuse(
        _ rejection: AssertionRejection, by policy: AssertionPolicy, _ issuer: AssertionIssuer? = nil,
        keys: KeySet? = nil, _ client: Client? = nil
    ) -> Effect<EndpointResponse> {
        var response = rejection.response
        response.evidence = policy.evidence(on: token, for: rejection, issuer, keys: keys, now: now)
        return .done(place.audited(response, client))
    }

    private func refuse(_ failure: TokenFailure, _ client: Client? = nil) -> Effect<EndpointResponse> {
        .done(place.audited(failure.response, client))
    }
}

extension AssertionRejection {
    /// One answer for all rejections: details would only help forgers (JTX-10).
    package var response: EndpointResponse { .tokenError("invalid_grant", "the assertion is not accepted", reason) }
}
