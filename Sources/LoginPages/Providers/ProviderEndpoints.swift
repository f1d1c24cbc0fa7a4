import Model

/// Endpoints for identity providers and redirected browsers. The name of the provider follows each path.
package enum ProviderEndpoints {
    /// Limit of a form with the response of a provider.
    package static let longestForm = 262_144

    package static let all: [EndpointDescriptor] = [
        .providerCallback, .providerLogout, .providerFrameLogout, .serviceProvider,
    ]
}

extension EndpointDescriptor {
    /// Browsers come back from identity providers: their redirect URI.
    package static let providerCallback = EndpointDescriptor(
        "provider_callback", below: EndpointPaths.callbackSuffix, "GET, HEAD", needs: .identityProviders)
    /// Identity providers report logins that have ended.
    package static let providerLogout = EndpointDescriptor(
        "provider_logout", below: "/backchannel-logout/", "POST", needs: .identityProviders)
    /// Pages of identity providers load it in a frame when a login has ended.
    package static let providerFrameLogout = EndpointDescriptor(
        "provider_frame_logout", below: "/frontchannel-logout/", "GET", needs: .identityProviders)
    /// The gateway as a SAML service provider: its metadata, and the assertion consumer service, to which the pages of
    /// providers post answers.
    package static let serviceProvider = EndpointDescriptor(
        "service_provider", below: "/saml/", "GET, HEAD, POST", needs: .identityProviders,
        [.takesCredentials, .takesForeignForms],
        largestBody: ProviderEndpoints.longestForm)
}
