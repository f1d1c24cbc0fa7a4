/// Where the generic endpoints are: below one prefix.
package struct EndpointPaths: Sendable, Equatable {
    package static let standard = EndpointPaths()
    /// Behind the prefix, and before the name of the provider that browsers come back from.
    package static let callbackSuffix = "/callback/"

    /// A path without a slash at its end.
    package var prefix: String
    /// Further paths of the token endpoint, outside the prefix.
    package var tokenAliases: [String]

    package init(prefix: String = "/oauth2", tokenAliases: [String] = ["/token"]) {
        self.prefix = prefix
        self.tokenAliases = tokenAliases
    }

    /// The path of a generic endpoint; with a slash at its end the beginning of its paths.
    package subscript(_ endpoint: EndpointDescriptor) -> String {
        guard let suffix = endpoint.suffix else { preconditionFailure("\(endpoint) has paths of its own") }
        return prefix + suffix
    }
}
