/// The endpoints of the gateway and the reserved paths.
extension EndpointFamily {
    /// In order of precedence. User profiles come first, since their paths are inside those of service domains.
    package static let all = [
        UserEndpoints.family, ApplicationEndpoints.family, MobileSocialEndpoints.family, ProviderEndpoints.family,
        BrowserLoginEndpoints.family, OAuthEndpoints.family, SingleSignOnEndpoints.family,
    ]

    /// The enabled endpoints with their paths.
    package static func routes(_ settings: EndpointSettings) -> [(path: String, endpoint: EndpointDescriptor)] {
        all.flatMap { $0.routes(settings) }
    }

    /// The patterns that the gateway serves or reserves: routes inside them are unreachable.
    package static func reservedPatterns(_ settings: EndpointSettings) -> [PathPattern] {
        func patterns(_ reservations: [Reservation]) -> [PathPattern] {
            reservations.compactMap { try? PathPattern($0.pattern) }
        }
        let always = all.map { patterns($0.reservations.filter(\.needs.isEmpty)) }
        let wide = always.flatMap(\.self)
        return zip(all, always).flatMap { family, always in
            // A reserved pattern includes the endpoints inside it.
            let own = family.routes(settings).compactMap { try? PathPattern(pattern(of: $0.path)) }
                .filter { path in !wide.contains { $0.covers(path) } }
            let others = family.reservations.filter {
                !$0.needs.isEmpty && settings.features.isSuperset(of: $0.needs)
            }
            return always + own + patterns(others)
        }
    }

    private func routes(_ settings: EndpointSettings) -> [(path: String, endpoint: EndpointDescriptor)] {
        endpoints.filter { settings.features.isSuperset(of: $0.needs) }
            .flatMap { endpoint in endpoint.paths(settings).map { (path: $0, endpoint: endpoint) } }
    }

    /// The pattern of an endpoint's path.
    private static func pattern(of path: String) -> String { path.utf8.last == UInt8(ascii: "/") ? path + "**" : path }
}
