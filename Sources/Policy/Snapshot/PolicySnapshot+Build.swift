import HTTP
import Identity
import Model

extension PolicySnapshot {
    /// Builds a snapshot from checked settings.
    package convenience init(_ settings: PolicySettings) {
        let (groups, claims, sources) = (RouteGroups(settings.routes), settings.claims, settings.tokenSources)
        let origins = RouteOrigins(settings)
        // Routes with the same authenticator share what it remembers.
        let usualKinds = CredentialKinds.all.filter { $0.isUsual }.map { Authenticator(Authenticator.Kind($0)) }
        let listed = Set(settings.routes.flatMap { $0.options.authenticators ?? [] } + usualKinds)
        let judges = Dictionary(
            uniqueKeysWithValues: listed.map { ($0, ListedKind.judge(for: $0, settings, claims)) })
        func chain(_ list: [Authenticator]) -> AuthenticatorChain {
            AuthenticatorChain(list.map { ListedKind($0, judge: judges[$0] ?? nil) })
        }
        let usual = ErrorAnswers(settings.errors, fields: nil, claims)
        let routes = settings.routes.enumerated().map { index, route in
            Route(
                route, index: index, origins: origins, roles: settings.roles,
                allowedMethods: groups.methods(of: route), claims: claims,
                errors: ErrorAnswers.of(route.options, settings.errors, usual: usual, claims), tokenSources: sources,
                authenticators: route.options.authenticators.map(chain), policyServers: settings.policyServers,
                hasSessionCookies: settings.seals != nil)
        }
        self.init(
            settings, claims, routes: RouteTable(routes: routes, endpoints: settings.endpoints, errors: usual),
            origins: origins, usual: chain(usualKinds))
    }
}

/// Groups routes that differ only in their methods.
private struct RouteGroups {
    /// A pattern at one host; nil for hosts that no route names.
    private struct Place: Hashable {
        let host: HostPattern?
        let pattern: PathPattern
    }

    private var places: [Place: [Int]] = [:]
    private let methods: [MethodSet]

    init(_ routes: [ResolvedRoute]) {
        methods = routes.map(\.methodSet)
        for (index, route) in routes.enumerated() {
            for place in RouteGroups.places(of: route) { places[place, default: []].append(index) }
        }
    }

    /// The methods of all routes that share a place.
    func methods(of route: ResolvedRoute) -> MethodSet {
        RouteGroups.places(of: route).flatMap { places[$0] ?? [] }.sorted()
            .reduce(route.methodSet) { $0.union(methods[$1]) }
    }

    private static func places(of route: ResolvedRoute) -> [Place] {
        let hosts: [HostPattern?] = route.hosts.isEmpty ? [nil] : route.hosts
        return hosts.map { Place(host: $0, pattern: route.path) }
    }
}

extension PathPattern {
    /// Whether canonical paths can match it. Excludes patterns with non-UTF-8 escapes or with parameters of dot
    /// segments.
    package var isCanonical: Bool { CanonicalPath.canonical(Array(form.utf8)) == Array(form.utf8) }
}
