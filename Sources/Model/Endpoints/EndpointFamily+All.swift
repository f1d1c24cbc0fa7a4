/// The endpoints of the gateway, and the paths that no route may have.
extension EndpointFamily {
    /// In the order of precedence. User profiles are inside the paths of Mobile & Social, and so come first.
    package static let all = [
        UserEndpoints.family, ApplicationEndpoints.family, MobileSocialEndpoints.family, ProviderEndpoints.family,
        BrowserLoginEndpoints.family, OAuthEndpoints.family, SingleSignOnEndpoints.family,
    ]

    /// The endpoints that are switched on, with a path each.
    package static func routes(_ settings: EndpointSettings) -> [(path: String, endpoint: EndpointDescriptor)] {
        all.flatMap { $0.routes(settings) }
    }

    /// The patterns that the gateway answers itself, or keeps for itself: a route inside one of them is never reached.
    package static func reservedPatterns(_ settings: EndpointSettings) -> [PathPattern] {
        func patterns(_ reservations: [Reservation]) -> [PathPattern] {
            reservations.compactMap { try? PathPattern($0.pattern) }
        }
        let always = all.map { patterns($0.reservations.filter(\.needs.isEmpty)) }
        let wide = always.flatMap(\.self)
        return zip(all, always).flatMap { family, always in
            // A pattern that is always reserved stands for the endpoints inside it.
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

    /// What a route would say for the path of an endpoint.
    private static func pattern(of path: String) -> String { path.utf8.last == UInt8(ascii: "/") ? path + "**" : path }
}
