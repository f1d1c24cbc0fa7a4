/// Endpoints for identity providers and redirected browsers. The name of the provider follows each path.
package enum ProviderEndpoints {
    /// Limit of a form with the response of a provider.
    package static let longestForm = 262_144

    static let all: [EndpointDescriptor] = [.providerCallback, .providerLogout, .providerMetadata]
}

extension EndpointDescriptor {
    /// Browsers come back from identity providers. SAML answers are posted here as well, so that each provider has one
    /// redirect URI.
    package static let providerCallback = EndpointDescriptor(
        "provider_callback", below: "/callback/", "GET, HEAD, POST", needs: .identityProviders,
        [.takesCredentials, .takesForeignForms], largestBody: ProviderEndpoints.longestForm)
    /// Identity providers report logins that have ended.
    package static let providerLogout = EndpointDescriptor(
        "provider_logout", below: "/backchannel-logout/", "POST", needs: .identityProviders)
    /// The SAML metadata of the gateway.
    package static let providerMetadata = EndpointDescriptor(
        "provider_metadata", below: "/saml/", "GET, HEAD", needs: .identityProviders, [],
        cost: .document)
}
