/// Endpoints for identity providers and redirected browsers. The name of the provider follows each path.
package enum ProviderEndpoints {
    package static let callbackPath = "/mobile/platform/sso/callback/"
    package static let logoutPath = "/mobile/platform/sso/backchannel-logout/"
    package static let metadataPath = "/mobile/platform/sso/metadata/"
    /// Limit of a form with the response of a provider.
    package static let longestForm = 262_144

    static let family = EndpointFamily([.providerCallback, .providerLogout, .providerMetadata])
}

extension EndpointDescriptor {
    /// Browsers come back from identity providers.
    package static let providerCallback = EndpointDescriptor(
        "provider_callback", at: ProviderEndpoints.callbackPath, "GET, HEAD, POST", needs: .identityProviders,
        [.takesCredentials, .takesForeignForms], largestBody: ProviderEndpoints.longestForm)
    /// Identity providers report logins that have ended.
    package static let providerLogout = EndpointDescriptor(
        "provider_logout", at: ProviderEndpoints.logoutPath, "POST", needs: .identityProviders)
    /// The SAML metadata of the gateway.
    package static let providerMetadata = EndpointDescriptor(
        "provider_metadata", at: ProviderEndpoints.metadataPath, "GET, HEAD", needs: .identityProviders, [],
        cost: .document)
}
