import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound

/// The gateway's own endpoints as requests and responses. It opens no socket and never blocks: what takes time is returned
/// as an effect.
package final class TokenService: Sendable {
    let settings: TokenServiceSettings
    let minter: AccessTokenMinter
    let keySet: [UInt8]
    let metadata: [UInt8]
    let clients: ClientAuthentication
    let ownTokens: OwnAccessTokens
    let logins: PasswordLogin

    package init(settings: TokenServiceSettings) {
        self.settings = settings
        minter = AccessTokenMinter(
            signer: settings.signer, issuer: settings.issuer, audience: settings.audience)
        keySet = settings.publishedKeys.jwks()
        metadata = TokenService.metadata(settings)
        // RFC 7523 section 3: an assertion names the token endpoint or the issuer.
        clients = ClientAuthentication(
            backends: settings.backends,
            audiences: [settings.issuer, settings.baseURL + settings.tokenPath], throttle: settings.clientThrottle)
        ownTokens = OwnAccessTokens(settings)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
    }

    func answer(_ body: () throws(TokenFailure) -> Effect<EndpointResponse>) -> Effect<EndpointResponse> {
        do throws(TokenFailure) { return try body() } catch { return .done(error.response) }
    }

    /// The response to GET and HEAD; other methods don't apply to documents.
    func read(_ request: EndpointRequest, _ document: () -> EndpointResponse) -> EndpointResponse {
        guard request.method == .get || request.method == .head else {
            return TokenService.onlyReading("GET, HEAD")
        }
        return document()
    }

    /// The refusal of other methods than these.
    static func onlyReading(_ methods: String) -> EndpointResponse {
        .problem(.methodNotAllowed, "use GET", headers: [(name: "Allow", value: methods)])
    }
}

extension TokenService {
    /// Answers requests for an endpoint, by the settings of a service.
    typealias Method = @Sendable (TokenService, EndpointRequest, _ now: Int64) -> Effect<EndpointResponse>

    /// What each family of endpoints is answered by.
    private static let methods: [EndpointDescriptor: Method] = [
        TokenService.endpoints, ApplicationTokens.endpoints, MobileSocial.endpoints, UserProfiles.endpoints,
        BrowserLogin.endpoints, ProviderLogin.endpoints, SignOnRelay.endpoints,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// The handler of an endpoint; nil for one that no family answers. Looked up once for each configuration.
    package func handler(of endpoint: EndpointDescriptor) -> EndpointHandler? {
        guard let method = TokenService.methods[endpoint] else { return nil }
        let limit = endpoint.largestBody
        return { request, now in
            guard request.body.count <= limit else { return .done(TokenFailure.bodyTooLarge.response) }
            return method(self, request, now)
        }
    }

    /// The OAuth server, and what callers learn about themselves.
    private static let endpoints: [EndpointDescriptor: Method] = [
        .token: { service, request, now in
            service.answer { () throws(TokenFailure) in try service.grantToken(request, now: now) }
        },
        .exchange: { service, request, now in
            service.answer { () throws(TokenFailure) in try service.exchangeAssertion(request, now: now) }
        },
        .revocation: { service, request, now in
            service.answer { () throws(TokenFailure) in try service.revokeToken(request, now: now) }
        },
        .introspection: { service, request, now in
            service.answer { () throws(TokenFailure) in try service.introspect(request, now: now) }
        },
        .jwks: { service, request, _ in
            .done(service.read(request) { .document(service.keySet, reason: .keySet) })
        },
        .metadata: { service, request, _ in
            .done(service.read(request) { .document(service.metadata, reason: .metadata) })
        },
        .whoAmI: { service, request, _ in .done(service.read(request) { service.whoAmI(request.principal) }) },
    ]
}
