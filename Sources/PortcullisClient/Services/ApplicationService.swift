import ClientStore

/// The token endpoints of ApiOmat applications (AOM-01, AOM-25).
struct ApplicationService: Sendable {
    let profile: ClientProfile

    /// A token map for name and password.
    func tokens(user: String, password: String, _ wish: SessionTokenOptions) throws(ClientError) -> ClientRequest {
        var parameters = try [("grant_type", "aom_user")] + client()
        parameters += [
            ("app", try application()), ("system", profile.system), ("username", user), ("password", password),
        ]
        if let scope = wish.scope { parameters.append(("scope", scope)) }
        if let extra = wish.extra { parameters.append(("extra", extra)) }
        if let seconds = wish.accessSeconds { parameters.append(("access_expiration", "\(seconds)")) }
        if let seconds = wish.refreshSeconds { parameters.append(("refresh_expiration", "\(seconds)")) }
        return form(parameters)
    }

    /// A token map for a refresh token, which is consumed (AOM-13).
    func refresh(_ token: String) throws(ClientError) -> ClientRequest {
        form(try [("grant_type", "refresh_token")] + client() + [("refresh_token", token)])
    }

    /// Revokes a session token (AOM-21), or all tokens of its user in the application (AOM-22).
    func revoke(_ token: String, everything: Bool) throws(ClientError) -> ClientRequest {
        ClientRequest(
            "POST",
            profile.url(
                everything ? GatewayPaths.applicationRevocationOfAll : GatewayPaths.applicationRevocation),
            fields: [.init("Authorization", "Bearer \(token)"), try keyField()])
    }

    /// Sent with each credential of a user (AOM-16).
    func keyField() throws(ClientError) -> ClientRequest.Field { .init("X-Apiomat-Apikey", try key()) }

    private func client() throws(ClientError) -> [(String, String)] {
        [("client_id", try application()), ("client_secret", try key())]
    }

    private func application() throws(ClientError) -> String {
        try ClientProfile.required(profile.apiomatApp ?? profile.appName, "apiomatApp")
    }

    private func key() throws(ClientError) -> String { try ClientProfile.required(profile.apiKey, "apiKey") }

    private func form(_ parameters: [(String, String)]) -> ClientRequest {
        ClientRequest(form: parameters, to: profile.url(GatewayPaths.applicationToken))
    }
}
