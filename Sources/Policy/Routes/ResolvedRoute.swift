import Model

/// The entry of a route with what its names stand for. Other members are those of the entry.
@dynamicMemberLookup
package struct ResolvedRoute: Sendable {
    package var entry: RouteEntry
    /// Index of the upstream; of no meaning where the route answers by itself.
    package var upstream = 0
    /// Rewriting of the forwarded path.
    package var rewrite = PathRewrite.identity
    /// `Host` of forwarded requests; empty for the client's.
    package var host = ""
    /// Ids of the clients whose credentials are accepted; empty for all.
    package var clients: [String] = []
    /// The id of the client of Basic credentials that name none.
    package var defaultBackend: String?
    package var webgate: Webgate?
    /// How the route's users log in, instead of the Webgate's scheme (SCH-03).
    package var scheme: AuthenticationScheme?
    /// How browsers log in, without a scheme.
    package var login: RouteLogin?
    package var application: Application?
    /// Empty for those of the Webgate.
    package var injections: [InjectionRule] = []
    /// Claims for its upstream's tokens.
    package var issuedClaims: [ClaimPath] = []
    /// Identifiers of the resource, the first for requests at another origin (RFC 9728); empty for none.
    package var resources: [WebURL] = []

    package init(_ entry: RouteEntry) { self.entry = entry }

    package subscript<Value>(dynamicMember member: WritableKeyPath<RouteEntry, Value>) -> Value {
        get { entry[keyPath: member] }
        set { entry[keyPath: member] = newValue }
    }

    var methodSet: MethodSet { entry.methods.isEmpty ? .any : MethodSet(entry.methods.map(\.method)) }

    /// One route for each group of methods with the same requirements besides roles.
    package var parts: [ResolvedRoute] {
        var groups: [(access: AccessRule, methods: [MethodEntry])] = []
        for method in entry.methods {
            if let place = groups.firstIndex(where: { $0.access.withoutRoles == method.access.withoutRoles }) {
                groups[place].methods.append(method)
            } else {
                groups.append((method.access, [method]))
            }
        }
        if groups.isEmpty { return [self] }
        return groups.map { access, methods in
            var part = self
            part.entry.methods = methods
            if groups.count > 1 { part.entry.name += " \(methods.map(\.method).joined(separator: ","))" }
            part.entry.access = access
            part.entry.access.roles = entry.access.roles
            return part
        }
    }

    /// The route with the rule on trial in place of its own; nil without one.
    var onTrial: ResolvedRoute? {
        guard var rule = entry.access.trial.first else { return nil }
        rule.level = rule.level ?? entry.access.level
        var route = self
        route.entry.access = rule
        for i in entry.methods.indices { route.entry.methods[i].access = rule }
        return route
    }
}
