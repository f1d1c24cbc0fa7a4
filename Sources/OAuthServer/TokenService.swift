import Endpoints
import Identity
import JOSE
import Model
import Outbound

/// The gateway's own endpoints as requests and responses. Opens no sockets and never blocks: slow work is returned as
/// an effect.
package final class TokenService: Sendable {
    package let settings: TokenServiceSettings
    let minter: AccessTokenMinter
    let keySet: [UInt8]
    let metadata: [UInt8]
    let clients: ClientAuthentication
    package let ownTokens: OwnAccessTokens
    package let logins: PasswordLogin

    package init(settings: TokenServiceSettings) {
        self.settings = settings
        minter = AccessTokenMinter(
            signer: settings.keys.signer, issuer: settings.issuer, audience: settings.audience)
        keySet = settings.keys.published.jwks()
        metadata = ServerDocument(settings).json()
        // RFC 7523 section 3: an assertion names the token endpoint or the issuer.
        clients = ClientAuthentication(
            clients: settings.clients,
            audiences: [settings.issuer, settings.baseURL + settings.paths[.token]],
            ownOrigins: settings.possession.origins,
            throttle: settings.clientThrottle)
        ownTokens = OwnAccessTokens(settings)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
    }

    package func answer(_ body: () throws(TokenFailure) -> Effect<EndpointResponse>) -> Effect<EndpointResponse> {
        do throws(TokenFailure) { return try body() } catch { return .done(error.response) }
    }
}

extension TokenService {
    /// The OAuth server, and the description of the caller.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .token: { request, now in
                self.clients.naming(request, self.settings, now: now) { clients throws(TokenFailure) in
                    try TokenEndpoint(service: self).answer(request, clients, now: now)
                }
            },
            .exchange: { request, now in
                self.answer { () throws(TokenFailure) in try self.exchangeAssertion(request, now: now) }
            },
            .revocation: { request, now in
                self.clients.naming(request, self.settings, now: now) { clients throws(TokenFailure) in
                    try Revocation(service: self).answer(request, clients, now: now)
                }
            },
            .introspection: { request, now in
                self.answer { () throws(TokenFailure) in try Introspection(service: self).answer(request, now: now) }
            },
            .deviceAuthorization: { request, now in
                self.clients.naming(request, self.settings, now: now) { clients throws(TokenFailure) in
                    try DeviceAuthorization(service: self).begin(request, clients, now: now)
                }
            },
            .clientRegistration: { request, now in ClientRegistration(service: self).answer(request, now: now) },
            .registeredClient: { request, now in ClientRegistration(service: self).manage(request, now: now) },
            .userInfo: { request, now in
                self.answer { () throws(TokenFailure) in try UserAttributes(service: self).answer(request, now: now) }
            },
            .jwks: { request, _ in .done(request.readByAnyone { .document(self.keySet, reason: .keySet) }) },
            .identityKeys: { request, _ in .done(request.readByAnyone { .document(self.keySet, reason: .keySet) }) },
            .metadata: { request, _ in .done(request.readByAnyone { .document(self.metadata, reason: .metadata) }) },
            .whoAmI: { request, _ in .done(request.read { self.whoAmI(request.principal) }) },
        ]
    }
}
