import Identity
import Model

/// The OAuth server: tokens, their exchange and their end, and the documents that describe it.
package enum OAuthEndpoints {
    static let whoAmIPath = "/mobile/platform/users/~"
    /// Where upstreams look that expect the assertions of Pomerium.
    package static let identityKeySetPath = "/.well-known/pomerium/jwks.json"

    package static let all: [EndpointDescriptor] = [
        .authorization, .pushedRequest, .deviceAuthorization, .device, .userInfo, .login, .endSession,
        .clientRegistration, .registeredClient, .token, .revocation, .introspection, .exchange, .jwks, .identityKeys,
        .metadata, .resourceMetadata, .whoAmI,
    ]
}

extension EndpointDescriptor {
    /// Browsers log in for other applications (RFC 6749 section 3.1). Applications may post the request; the answer to the
    /// consent page has a ticket.
    package static let authorization = EndpointDescriptor(
        "authorization", below: "/authorize", "GET, POST", needs: .authorization,
        [.takesCredentials, .takesForeignForms])
    /// Clients push authorization requests (RFC 9126).
    package static let pushedRequest = EndpointDescriptor(
        "pushed_request", below: "/par", "POST", needs: .authorization, [.takesCredentials, .servesClients])
    /// Devices ask for codes (RFC 8628 section 3.1).
    package static let deviceAuthorization = EndpointDescriptor(
        "device_authorization", below: "/device_authorization", "POST", needs: .devices,
        [.takesCredentials, .servesClients])
    /// Users type the code of a device, and are asked whether it gets access.
    package static let device = EndpointDescriptor(
        "device", below: "/device", "GET, HEAD, POST", needs: .devices, [.takesCredentials, .servesPages])
    /// Attributes of the user of a token (OpenID Connect Core section 5.3).
    package static let userInfo = EndpointDescriptor(
        "user_info", below: "/userinfo", "GET, POST", needs: .userInfo, [.takesCredentials, .servesClients])
    /// The login form of clients, and the page to choose a provider.
    package static let login = EndpointDescriptor(
        "login", below: "/login", "GET, HEAD, POST", needs: .logins, [.takesCredentials, .servesPages])
    /// Applications log browsers out (OpenID Connect RP-Initiated Logout section 2). They may post the request; the answer
    /// to the page has a ticket.
    package static let endSession = EndpointDescriptor(
        "end_session", below: "/logout", "GET, POST", needs: .logins,
        [.takesCredentials, .takesForeignForms])
    /// Clients register themselves (RFC 7591).
    package static let clientRegistration = EndpointDescriptor(
        "client_registration", below: "/register", "POST", needs: .registration, largestBody: 16_384)
    /// Clients read their registration and end it (RFC 7592).
    package static let registeredClient = EndpointDescriptor(
        "registered_client", below: "/register/", "GET, DELETE", needs: .registration)
    /// RFC 6749 section 3.2.
    package static let token = EndpointDescriptor(
        "token", below: "/token", at: \.paths.tokenAliases, "POST", needs: .tokenService,
        [.takesCredentials, .servesClients])
    /// Clients end tokens of theirs (RFC 7009).
    package static let revocation = EndpointDescriptor(
        "revocation", below: "/revoke", "POST", needs: .tokenService, [.takesCredentials, .servesClients])
    /// Resource servers ask whether tokens are valid (RFC 7662).
    package static let introspection = EndpointDescriptor(
        "introspection", below: "/introspect", "POST", needs: .tokenService, [.takesCredentials, .servesClients])
    /// Exchanges tokens of outside issuers.
    package static let exchange = EndpointDescriptor(
        "exchange", at: ExchangePaths.tokens, "POST", needs: [.tokenService, .mobileCloud])
    /// The public keys (RFC 7517), also where resource servers look that read no metadata.
    package static let jwks = EndpointDescriptor(
        "jwks", below: "/jwks", at: { _ in ["/.well-known/jwks.json"] }, "GET, HEAD", needs: .tokenService,
        .isForAnyOrigin, cost: .document)
    /// The same, for upstreams that get assertions of identity.
    package static let identityKeys = EndpointDescriptor(
        "identity_keys", at: OAuthEndpoints.identityKeySetPath, "GET, HEAD", needs: .signedIdentity, .isForAnyOrigin,
        cost: .document)
    /// RFC 8414, also under the name that OpenID Connect clients use. The path of an issuer stands behind the well-known
    /// one (RFC 8414 section 3.1) or before it (OpenID Connect Discovery section 4).
    package static let metadata = EndpointDescriptor(
        "metadata",
        at: { settings in
            let (server, provider) = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
            let path = settings.issuerPath
            return [server, provider] + (path.isEmpty ? [] : [server + path, path + provider])
        }, "GET, HEAD", needs: .tokenService, .isForAnyOrigin, cost: .document)
    /// RFC 9728, for clients that look for the authorization server of a route.
    package static let resourceMetadata = EndpointDescriptor(
        "resource_metadata",
        at: { _ in [ProtectedResource.metadataPath, "\(ProtectedResource.metadataPath)/"] },
        "GET, HEAD", needs: .protectedResources, .isForAnyOrigin, cost: .document)
    /// The caller of any credential.
    package static let whoAmI = EndpointDescriptor(
        "who_am_i", at: OAuthEndpoints.whoAmIPath, "GET, HEAD", needs: .mobileCloud, .needsPrincipal, cost: .document)
}
