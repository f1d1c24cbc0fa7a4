import Bytes
import Model

extension Client {
    /// Paths of the gateway's endpoints for a client; nil if switched off.
    package struct EndpointPaths: Sendable {
        package var token: String?
        package var exchange: String?
        package var sso: String?
        /// Endpoint of the SAML assertion exchange.
        package var saml: String?

        package init(token: String?, exchange: String?, sso: String?, saml: String? = nil) {
            self.token = token
            self.exchange = exchange
            self.sso = sso
            self.saml = saml
        }
    }

    /// The settings an application developer needs, as a JSON object.
    /// - Parameters:
    ///   - baseURL: without a trailing slash; paths begin with one.
    ///   - includingSecrets: whether to include the client secret.
    package func settingsJSON(baseURL: String, paths: EndpointPaths, includingSecrets: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if isStandard {
            addClient(&writer, includingSecrets: includingSecrets)
            writer.member("baseUrl", baseURL)
            if let token = paths.token { writer.member("tokenEndpoint", baseURL + token) }
            writer.endObject()
            return writer.bytes
        }
        writer.member("name", name)
        writer.member("version", version)
        writer.member("mobileBackendId", id)
        writer.member("anonymousKey", anonymousKey)
        writer.member("clientId", clientID)
        if includingSecrets { writer.member("clientSecret", clientSecret?.value ?? "") }
        writer.member("realm", realm)
        writer.member("oauthConsumer", oauthConsumer)
        writer.member("httpBasic", httpBasic)
        writer.member("enableSso", enableSSO)
        if isRevoked { writer.member("revoked", true) }
        writer.member("baseUrl", baseURL)
        if let token = paths.token, oauthConsumer { writer.member("oauthTokenEndpoint", baseURL + token) }
        if let exchange = paths.exchange { writer.member("exchangeEndpoint", baseURL + exchange) }
        // With SSO off the endpoint is absent, not empty. SSO needs OAuth Consumer.
        if let sso = paths.sso, enableSSO, oauthConsumer { writer.member("ssoTokenEndpoint", baseURL + sso) }
        // The identity provider needs this value (SAML-18). The exchange requires HTTP Basic (SAML-02).
        if let saml = paths.saml, httpBasic { writer.member("samlAudience", baseURL + saml) }
        writer.endObject()
        return writer.bytes
    }

    /// The settings of a client in the words of `clients.json`.
    private func addClient(_ writer: inout JSONWriter, includingSecrets: Bool) {
        writer.member("clientId", clientID)
        if includingSecrets, let clientSecret { writer.member("clientSecret", clientSecret.value) }
        writer.member("name", title)
        writer.member("realm", realm)
        if isRevoked { return writer.member("revoked", true) }
        if grants.isPublic { writer.member("public", true) }
        writer.member("grantTypes", GrantType.allCases.filter { !grants.withheld.contains($0) }.map(\.rawValue))
        if let rules = grants.authorization { writer.member("redirectUris", rules.redirectURIs.map(\.text)) }
        if let scopes = grants.scopes { writer.member("scopes", scopes) }
        if !grants.roles.isEmpty { writer.member("roles", grants.roles) }
    }
}
