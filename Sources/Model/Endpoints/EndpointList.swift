/// The one list of the gateway's endpoints.
package enum EndpointFamily {
    /// In order of precedence. User profiles come first, since their paths are inside those of service domains.
    package static let all: [EndpointDescriptor] =
        UserEndpoints.all + ApplicationEndpoints.all + MobileSocialEndpoints.all + ProviderEndpoints.all
        + BrowserLoginEndpoints.all + OAuthEndpoints.all + SingleSignOnEndpoints.all

    /// The enabled endpoints with their paths.
    package static func routes(_ settings: EndpointSettings) -> [(path: String, endpoint: EndpointDescriptor)] {
        all.filter { settings.features.isSuperset(of: $0.needs) }
            .flatMap { endpoint in endpoint.paths(settings).map { (path: $0, endpoint: endpoint) } }
    }

    /// Patterns that routes cannot have: all below the prefix where an endpoint is there, and each other path that is
    /// served.
    package static func reservedPatterns(_ settings: EndpointSettings) -> [PathPattern] {
        let routes = routes(settings)
        let below =
            routes.contains { $0.endpoint.suffix != nil } ? try? PathPattern("\(settings.paths.prefix)/**") : nil
        let others = routes.compactMap { pattern(of: $0.path) }.filter { below?.covers($0) != true }
        return [below].compactMap(\.self) + others
    }

    /// The pattern of an endpoint's path.
    package static func pattern(of path: String) -> PathPattern? {
        try? PathPattern(path.utf8.last == UInt8(ascii: "/") ? path + "**" : path)
    }
}
