/// A list of endpoints, in order of precedence.
extension [EndpointDescriptor] {
    /// The enabled endpoints with their paths.
    package func routes(_ settings: EndpointSettings) -> [(path: String, endpoint: EndpointDescriptor)] {
        filter { settings.features.isSuperset(of: $0.needs) }
            .flatMap { endpoint in endpoint.paths(settings).map { (path: $0, endpoint: endpoint) } }
    }

    /// Patterns that routes cannot have: all below the prefix where an endpoint is there, and each other path that is
    /// served.
    package func reservedPatterns(_ settings: EndpointSettings) -> [PathPattern] {
        let routes = routes(settings)
        let below =
            routes.contains { $0.endpoint.suffix != nil } ? try? PathPattern("\(settings.paths.prefix)/**") : nil
        let others = routes.compactMap { PathPattern(endpoint: $0.path) }.filter { below?.covers($0) != true }
        return [below].compactMap(\.self) + others
    }
}

extension PathPattern {
    /// The pattern of an endpoint's path; nil for what is no path.
    package init?(endpoint path: String) {
        guard let pattern = try? PathPattern(path.utf8.last == UInt8(ascii: "/") ? path + "**" : path) else {
            return nil
        }
        self = pattern
    }
}
