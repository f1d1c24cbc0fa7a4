import Bytes
import ClientStore

/// The OAuth endpoints and Basic authentication of a mobile backend (OMH-01 to OMH-03).
struct OAuthService: Sendable {
    let profile: ClientProfile

    /// `grant_type=password` (RFC 6749 section 4.3).
    func login(user: String, password: String) throws(ClientError) -> ClientRequest {
        form(
            profile.oauthTokenEndpoint, [("grant_type", "password"), ("username", user), ("password", password)],
            try clientCredential())
    }

    /// Revokes an access token (RFC 7009).
    func revoke(_ token: String) throws(ClientError) -> ClientRequest {
        form(revocationEndpoint, [("token", token)], try clientCredential())
    }

    /// Exchanges an outside token for one of the gateway: a JWT at one endpoint, a packed SAML assertion at the other
    /// (OMH-03).
    func exchange(_ token: String) throws(ClientError) -> ClientRequest {
        if OAuthService.isJWT(token) {
            return form(
                profile.jwtTokenEndpoint,
                [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", token)],
                try clientCredential())
        }
        let backend = try ClientProfile.required(profile.mobileBackendID, "mobileBackendId")
        return ClientRequest(
            "GET", profile.url(profile.ssoTokenEndpoint),
            fields: [.init("Authorization", "Bearer \(token)"), .init("Oracle-Mobile-Backend-ID", backend)])
    }

    /// The user of Basic credentials.
    func whoAmI() -> ClientRequest { ClientRequest("GET", profile.url(GatewayPaths.whoAmI)) }

    /// `Authorization` of RFC 7617. The user name must not contain a colon.
    static func basic(user: String, password: String) throws(ClientError) -> ClientRequest.Field {
        guard !user.contains(":") else {
            throw ClientError(.invalidArgument, "a user name with a colon cannot be used with Basic authentication")
        }
        return .init("Authorization", "Basic \(FormText.base64("\(user):\(password)"))")
    }

    /// Three parts of Base64url, the first of which is a JSON object.
    static func isJWT(_ token: String) -> Bool {
        let parts = token.utf8.split(separator: ASCII.dot, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64.decode(Array(parts[0]).span, .url) else { return false }
        return (try? JSONNode.parse(header.span))?.members != nil
    }

    /// Beside the token endpoint, or where it is by default if that is no place of the gateway's prefix.
    private var revocationEndpoint: String {
        let (endpoint, name) = (profile.oauthTokenEndpoint, GatewayPaths.token)
        let isBelowPrefix = endpoint.hasSuffix(name) && endpoint != name
        let prefix = isBelowPrefix ? String(endpoint.dropLast(name.count)) : GatewayPaths.prefix
        return prefix + GatewayPaths.revocation
    }

    /// Id and secret, percent-encoded before they are joined (RFC 6749 section 2.3.1).
    private func clientCredential() throws(ClientError) -> ClientRequest.Field {
        let id = try ClientProfile.required(profile.clientID, "clientId")
        let secret = try ClientProfile.required(profile.clientSecret, "clientSecret")
        return try OAuthService.basic(user: FormText.escaped(id), password: FormText.escaped(secret))
    }

    private func form(
        _ endpoint: String, _ parameters: [(String, String)], _ authorization: ClientRequest.Field
    ) -> ClientRequest {
        ClientRequest(form: parameters, to: profile.url(endpoint), fields: [authorization])
    }
}
