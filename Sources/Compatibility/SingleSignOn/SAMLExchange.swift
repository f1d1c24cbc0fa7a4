import Endpoints
import Identity
import Model
import OAuthServer
import Outbound

/// The exchange of one packed SAML assertion for a token of the gateway (SAML-01 to SAML-14). Unpacking, parsing and
/// verifying run on the computing pool, whose queue is bounded.
struct SAMLExchange: Sendable {
    let service: TokenService
    let client: Client
    /// The bearer credentials.
    let packed: [UInt8]
    /// Seconds since 1970.
    let now: Int64

    private var place: ExchangeEndpoint {
        .singleSignOn(baseURL: service.settings.baseURL, "saml_exchange")
    }

    func run() -> Effect<EndpointResponse> {
        guard let sources = service.settings.assertions else { return refuse(.unknownIssuer) }
        return .offload {
            sources.candidate(in: packed, now: now).then { result in
                switch result {
                case .failure(.document(let rejection)): refuse(rejection)
                case .failure(.issuer(let rejection)): refuse(rejection)
                case .success(let candidate): judge(candidate, sources)
                }
            }
        }
    }

    private func judge(_ candidate: AssertionCandidate, _ sources: AssertionSources) -> Effect<EndpointResponse> {
        let issuer = candidate.issuer
        guard issuer.allows(client) else {
            return .done(place.audited(TokenFailure.ssoBackendNotAllowed.response, client))
        }
        return sources.assertion(of: candidate, now: now).then { result in
            switch result {
            case .success(let assertion): grant(assertion, issuer, candidate.policy)
            case .failure(let rejection): refuse(rejection)
            }
        }
    }

    private func grant(
        _ assertion: SAMLAssertion, _ issuer: AssertionIssuer, _ policy: AssertionPolicy
    ) -> Effect<EndpointResponse> {
        let expiresAt: Int64
        do throws(SAMLRejection) {
            expiresAt = try issuer.samlConditions.check(assertion, now: now)
        } catch {
            var response = error.response
            response.evidence = issuer.samlConditions.evidence(on: assertion, now: now)
            return .done(place.audited(response, client))
        }
        let identity: ExternalIdentity
        do throws(ExternalIdentityRejection) {
            identity = try issuer.rules.identify(
                assertion, realm: client.realm, users: service.settings.users, catalogue: service.settings.catalogue)
        } catch {
            return refuse(AssertionRejection(error))
        }
        return OutsideGrant(
            service: service, place: place, issuer: issuer, lifetime: policy.lifetime, client: client,
            identity: identity, tokenID: assertion.id, issuedAt: assertion.issueInstant, expiresAt: expiresAt,
            skew: SAMLConditions.clockSkew, singleUseName: issuer.singleUseName(of: assertion), now: now
        ).run()
    }

    // MARK: Refusals

    private func refuse(_ rejection: SAMLRejection) -> Effect<EndpointResponse> {
        .done(place.audited(rejection.response, client))
    }

    private func refuse(_ rejection: AssertionRejection) -> Effect<EndpointResponse> {
        .done(place.audited(rejection.response, client))
    }
}

extension SAMLRejection {
    /// The same response for all rejections, as for other outside tokens (JTX-10), except for clients that have packed
    /// the whole response (SAML-03).
    var response: EndpointResponse {
        switch self {
        case .unavailable: TokenFailure.samlUnavailable.response
        case .responseInsteadOfAssertion:
            .tokenError("invalid_grant", "this is a whole SAML response: pack the Assertion in it alone", reason)
        default: .tokenError("invalid_grant", "the assertion is not accepted", reason)
        }
    }
}
