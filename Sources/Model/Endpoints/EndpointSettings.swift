/// Features that enable endpoints.
package struct EndpointFeatures: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let tokenService = EndpointFeatures(rawValue: 1)
    /// Applications of `applications.json`.
    package static let applications = EndpointFeatures(rawValue: 2)
    package static let userProfiles = EndpointFeatures(rawValue: 4)
    package static let serviceDomains = EndpointFeatures(rawValue: 8)
    package static let identityProviders = EndpointFeatures(rawValue: 16)
    /// A service domain whose users log in at an identity provider.
    package static let relyingParties = EndpointFeatures(rawValue: 32)
    /// Routes that describe themselves to OAuth clients.
    package static let protectedResources = EndpointFeatures(rawValue: 64)
    /// Clients of the authorization endpoint.
    package static let authorization = EndpointFeatures(rawValue: 128)
    /// Routes whose upstreams get a signed assertion of the caller's identity.
    package static let signedIdentity = EndpointFeatures(rawValue: 256)
    /// Clients of the device grant.
    package static let devices = EndpointFeatures(rawValue: 512)
    /// Clients of either, whose tokens may have the scope `openid`.
    package static let userInfo = EndpointFeatures(rawValue: 1024)
    /// Clients whose users log in by browser.
    package static let logins = EndpointFeatures(rawValue: 4096)
    /// Registration of clients by themselves.
    package static let registration = EndpointFeatures(rawValue: 2048)
    /// Clients of Mobile Cloud.
    package static let mobileCloud = EndpointFeatures(rawValue: 8192)
    /// An authority of certificates.
    package static let acme = EndpointFeatures(rawValue: 16_384)

    /// Those that no vendor's protocol needs, and that another proxy in front of the gateway forwards to it.
    package static let generic: EndpointFeatures = [
        .tokenService, .identityProviders, .protectedResources, .authorization, .signedIdentity, .devices, .userInfo,
        .logins, .registration,
    ]
}

/// The enabled features and configurable paths.
package struct EndpointSettings: Sendable {
    package var features: EndpointFeatures
    package var paths: EndpointPaths
    /// Path of the token service's issuer, without a slash at its end.
    package var issuerPath = ""
    /// Paths of the login forms.
    package var formPaths: [String]
    /// Those whose users have paths of their own.
    package var applications: [Application] = []

    package init(features: EndpointFeatures, paths: EndpointPaths = .standard, formPaths: [String]) {
        self.features = features
        self.paths = paths
        self.formPaths = formPaths
    }
}
