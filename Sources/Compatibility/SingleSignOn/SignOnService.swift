import Authorization
import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import Outbound

/// `/mobile/platform/sso/exchange-token`: exchanges bearer tokens (SAML-01, SAML-15), and logs in browsers that name a
/// client (SSO-01).
package final class SignOnService: Sendable {
    let tokens: TokenService
    /// Single sign-on of browsers; nil if no client has it.
    let relay: SignOnRelay?
    private let capturesRedirect: Bool

    private var settings: TokenServiceSettings { tokens.settings }

    /// - Parameters:
    ///   - flow: logins of browsers; nil if no client has them.
    ///   - whitelist: addresses that tokens may be posted to (SSO-03).
    ///   - capturesRedirect: whether to show the responses of identity providers to the reserved path (SAML-17).
    package init(
        _ tokens: TokenService, flow: LoginFlow?, whitelist: RedirectWhitelist, capturesRedirect: Bool = false
    ) {
        self.tokens = tokens
        relay = flow.map { SignOnRelay(flow: $0, whitelist: whitelist) }
        self.capturesRedirect = capturesRedirect
    }

    /// What logins of browsers need to know of its pages.
    package static func prepare(
        _ settings: inout LoginFlow.Settings, whitelist: RedirectWhitelist, assertions: AssertionSources?
    ) {
        settings.pages = LoginFlow.Pages(
            refusal: { SignOnRequest(page: $0, clientID: $1.clientID).refusal(at: $1, whitelist) },
            location: { SignOnRequest(page: $0, clientID: $1).location })
        // SSO-09: six hours unless a policy says otherwise.
        settings.pageTokenSeconds = {
            min(assertions?.currentPolicy.lifetime.seconds ?? TokenLifetime.ofSSOEndpoint, TokenLifetime.longest)
        }
    }

    /// Handlers of its endpoints.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .singleSignOn: { request, now in
                self.tokens.answer { () throws(TokenFailure) in try self.signOn(request, now: now) }
            },
            .singleSignOnLogout: { request, now in
                guard let relay = self.relay, let browser = BrowserRequest(request, now: now) else {
                    return .done(SingleSignOnFailure.foreignRequest.response)
                }
                return relay.flow.logOut(browser)
            },
            .singleSignOnRedirect: { request, _ in .done(self.captureRedirect(request)) },
        ]
    }

    private func signOn(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .get else { return .done(.onlyReading("GET")) }
        // ISS-08.
        guard request.authorization.count <= 1 else { throw .repeatedAuthorization }
        guard !request.authorization.isEmpty else { return relay(request, now: now) }
        guard let token = request.credentials() else { return .done(SignOnService.missingBearer) }
        return try exchange(token, request, now: now)
    }

    /// Exchanges a packed SAML assertion or an outside JWT for a token of the gateway.
    private func exchange(
        _ token: [UInt8], _ request: EndpointRequest, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard SignOnService.clientQuery(request) == nil else { throw .twoSignOns }
        guard let id = request.field("oracle-mobile-backend-id"), !id.isEmpty else { throw .missingBackend }
        guard let client = settings.clients.client(id: Array(id.utf8).span) else { throw .unknownBackend }
        // SAML-02.
        guard client.httpBasic else { throw .basicNotEnabled }
        // A JWT has full stops, Base64 has none.
        guard token.contains(ASCII.dot) else {
            guard SAMLVerifier.isAvailable else { throw .samlUnavailable }
            return SAMLExchange(service: tokens, client: client, packed: token, now: now).run()
        }
        let place = ExchangeEndpoint.singleSignOn(baseURL: settings.baseURL, "jwt_exchange")
        guard let sources = settings.assertions else {
            return .done(place.audited(AssertionRejection.unknownIssuer.response, client))
        }
        do throws(TokenRejection) {
            let received = try ReceivedToken(token.span)
            return AssertionExchange(
                service: tokens, sources: sources, client: .client(client), origin: ClientOrigin(request, now: now),
                received: received, token: token, place: place, now: now
            ).run()
        } catch {
            let rejection = AssertionRejection(error)
            var response = rejection.response
            response.evidence = sources.currentPolicy.evidence(on: token, for: rejection, nil, now: now)
            return .done(place.audited(response, client))
        }
    }

    /// The query of a request, if it names a client.
    private static func clientQuery(_ request: EndpointRequest) -> FormFields? {
        guard let query = try? FormFields.parse(request.query.span),
            query.fields.contains(where: { ["clientID", "client_id"].contains($0.name) })
        else { return nil }
        return query
    }

    /// The request of a browser for a token.
    private func relay(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let query = SignOnService.clientQuery(request) else { return .done(SignOnService.missingBearer) }
        guard let relay else { return .done(SingleSignOnFailure.notEnabled.response) }
        return relay.exchange(BrowserRequest(request, query: query, now: now))
    }

    /// AMB-11: there is no token to exchange.
    private static var missingBearer: EndpointResponse {
        .problem(
            .missingCredential, "a bearer token or clientID is missing",
            headers: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)])
    }

    /// SAML-17: the path is reserved and not forwarded. If the capture is enabled, a page shows the identity provider's
    /// response to the person who sets it up.
    private func captureRedirect(_ request: EndpointRequest) -> EndpointResponse {
        guard capturesRedirect else { return .problem(.notFound, "nothing is here") }
        guard [.get, .head, .post].contains(request.method) else {
            return BrowserLoginFailure.methodNotAllowed.response
        }
        let bytes = request.method == .post ? request.body : request.query
        let isForm = request.method != .post || BrowserRequest.isForm(request)
        guard isForm, let fields = try? FormFields.parse(bytes.span, limit: ProviderEndpoints.longestForm),
            !fields.isRepeated("SAMLResponse"), let response = fields.first("SAMLResponse"), !response.isEmpty
        else {
            return Page.failure(.nothingCaptured, link: .start).response(status: 400, reason: .ssoCaptureEmpty)
        }
        return Page.captured(response).response(status: 200, reason: .ssoCapture)
    }
}
