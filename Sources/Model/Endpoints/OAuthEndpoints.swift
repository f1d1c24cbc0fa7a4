/// The OAuth server: tokens, their exchange and their end, and the documents that describe it.
package enum OAuthEndpoints {
    package static let userInfoPath = "/oauth2/userinfo"
    package static let pushedRequestPath = "/oauth2/par"
    package static let deviceAuthorizationPath = "/oauth2/device_authorization"
    /// Where users type the code of their device.
    package static let devicePath = "/oauth2/device"
    /// Where clients register themselves; below it, by its id, the registration of each.
    package static let registrationPath = "/oauth2/register"
    /// Where browsers log in for clients.
    package static let loginPath = "/oauth2/login"
    /// Where applications send browsers to log out.
    package static let endSessionPath = "/oauth2/logout"

    package static let exchangePath = "/mobile/platform/auth/token"
    package static let keySetPath = "/.well-known/jwks.json"
    /// Where upstreams look that expect the assertions of Pomerium.
    package static let identityKeySetPath = "/.well-known/pomerium/jwks.json"
    /// The beginning of the paths of RFC 9728; behind it stands the path of a resource.
    package static let resourceMetadataPath = "/.well-known/oauth-protected-resource"
    static let metadataPaths = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]

    static let family = EndpointFamily(
        [
            .authorization, .pushedRequest, .deviceAuthorization, .device, .userInfo, .login, .endSession,
            .clientRegistration,
            .registeredClient, .token, .revocation, .introspection, .exchange, .jwks, .identityKeys, .metadata,
            .resourceMetadata,
        ],
        reserved: [
            EndpointFamily.Reservation(exchangePath), EndpointFamily.Reservation("/oauth2/**", needs: .tokenService),
        ])
}

extension EndpointDescriptor {
    /// Browsers log in for other applications (RFC 6749 section 3.1). Applications may post the request; the answer to the
    /// consent page has a ticket.
    package static let authorization = EndpointDescriptor(
        "authorization", at: { [$0.oauth.authorization] }, "GET, POST", needs: .authorization,
        [.takesCredentials, .takesForeignForms])
    /// Clients push authorization requests (RFC 9126).
    package static let pushedRequest = EndpointDescriptor(
        "pushed_request", at: OAuthEndpoints.pushedRequestPath, "POST", needs: .authorization)
    /// Devices ask for codes (RFC 8628 section 3.1).
    package static let deviceAuthorization = EndpointDescriptor(
        "device_authorization", at: OAuthEndpoints.deviceAuthorizationPath, "POST", needs: .devices)
    /// Users type the code of a device, and are asked whether it gets access.
    package static let device = EndpointDescriptor(
        "device", at: OAuthEndpoints.devicePath, "GET, HEAD, POST", needs: .devices, [.takesCredentials, .servesPages])
    /// Attributes of the user of a token (OpenID Connect Core section 5.3).
    package static let userInfo = EndpointDescriptor(
        "user_info", at: OAuthEndpoints.userInfoPath, "GET, POST", needs: .userInfo)
    /// The login form of clients, and the page to choose a provider.
    package static let login = EndpointDescriptor(
        "login", at: OAuthEndpoints.loginPath, "GET, HEAD, POST", needs: .logins, [.takesCredentials, .servesPages])
    /// Applications log browsers out (OpenID Connect RP-Initiated Logout section 2). They may post the request; the answer
    /// to the page has a ticket.
    package static let endSession = EndpointDescriptor(
        "end_session", at: OAuthEndpoints.endSessionPath, "GET, POST", needs: .logins,
        [.takesCredentials, .takesForeignForms])
    /// Clients register themselves (RFC 7591).
    package static let clientRegistration = EndpointDescriptor(
        "client_registration", at: OAuthEndpoints.registrationPath, "POST", needs: .registration, largestBody: 16_384)
    /// Clients read their registration and end it (RFC 7592).
    package static let registeredClient = EndpointDescriptor(
        "registered_client", at: "\(OAuthEndpoints.registrationPath)/", "GET, DELETE", needs: .registration)
    /// RFC 6749 section 3.2.
    package static let token = EndpointDescriptor("token", at: \.oauth.ofTokens, "POST", needs: .tokenService)
    /// Clients end tokens of theirs (RFC 7009).
    package static let revocation = EndpointDescriptor(
        "revocation", at: { [$0.oauth.revocation] }, "POST", needs: .tokenService)
    /// Resource servers ask whether tokens are valid (RFC 7662).
    package static let introspection = EndpointDescriptor(
        "introspection", at: { [$0.oauth.introspection] }, "POST", needs: .tokenService)
    /// Exchanges tokens of outside issuers.
    package static let exchange = EndpointDescriptor(
        "exchange", at: OAuthEndpoints.exchangePath, "POST", needs: .tokenService)
    /// The public keys (RFC 7517).
    package static let jwks = EndpointDescriptor(
        "jwks", at: OAuthEndpoints.keySetPath, "GET, HEAD", needs: .tokenService, [], cost: .document)
    /// The same, for upstreams that get assertions of identity.
    package static let identityKeys = EndpointDescriptor(
        "identity_keys", at: OAuthEndpoints.identityKeySetPath, "GET, HEAD", needs: .signedIdentity, [],
        cost: .document)
    /// RFC 8414, also under the name that OpenID Connect clients use.
    package static let metadata = EndpointDescriptor(
        "metadata", at: { _ in OAuthEndpoints.metadataPaths }, "GET, HEAD", needs: .tokenService, [], cost: .document)
    /// RFC 9728, for clients that look for the authorization server of a route.
    package static let resourceMetadata = EndpointDescriptor(
        "resource_metadata",
        at: { _ in [OAuthEndpoints.resourceMetadataPath, "\(OAuthEndpoints.resourceMetadataPath)/"] },
        "GET, HEAD", needs: .protectedResources, .isForAnyOrigin, cost: .document)
}
