/// Parts of a configuration that switch endpoints on.
package struct EndpointFeatures: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let tokenService = EndpointFeatures(rawValue: 1)
    /// Applications of ApiOmat.
    package static let applications = EndpointFeatures(rawValue: 2)
    package static let userProfiles = EndpointFeatures(rawValue: 4)
    package static let serviceDomains = EndpointFeatures(rawValue: 8)
    package static let identityProviders = EndpointFeatures(rawValue: 16)
    /// A service domain whose users log in at an identity provider.
    package static let relyingParties = EndpointFeatures(rawValue: 32)
}

/// What decides which endpoints there are, and the paths that a configuration chooses.
package struct EndpointSettings: Sendable {
    package var features: EndpointFeatures
    /// Of the token endpoint: the one that the metadata names, and its aliases.
    package var tokenPaths: [String]
    package var revocationPath: String
    package var introspectionPath: String
    /// Of the login forms for browsers.
    package var formPaths: [String]

    package init(
        features: EndpointFeatures, tokenPaths: [String], revocationPath: String, introspectionPath: String,
        formPaths: [String]
    ) {
        self.features = features
        self.tokenPaths = tokenPaths
        self.revocationPath = revocationPath
        self.introspectionPath = introspectionPath
        self.formPaths = formPaths
    }
}
