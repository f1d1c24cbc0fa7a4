import Declaration
import Model

/// Scopes that routes require, and that none of the tokens that they accept has.
struct TokenScopes {
    private let granted: [String]
    private let findings: Findings

    /// Warns of routes that accept tokens of the token service alone and require scopes that it never grants.
    static func check(_ configuration: GatewayConfiguration, _ findings: Findings) {
        // Other servers decide on the scopes of tokens that modules get for clients.
        if configuration.clients.contains(where: { $0.client.issuer != nil }) { return }
        let (names, service) = (SharedNames(configuration), configuration.tokenService)
        // Logins grant those of OpenID Connect as well.
        let granted =
            service.isEnabled
            ? service.terms.knownScopes : []
        let scopes = TokenScopes(granted: granted, findings: findings)
        for (index, route) in configuration.routes.enumerated() where route.application == nil {
            for (place, access) in rules(of: route, at: "/routes/\(index)")
            where !access.isPublic && names.issuers(of: access, on: route) == [TrustedIssuerEntry.ownName] {
                scopes.check(access, at: "\(place)/scopes")
                for rule in access.trial { scopes.check(rule, at: "\(place)/trial/scopes") }
                for rule in route.options.mcp?.rules ?? [] { scopes.check(rule, at: "/routes/\(index)/mcp") }
            }
        }
    }

    /// The rules of a route. One that methods inherit stands once.
    private static func rules(of route: RouteEntry, at pointer: String) -> [(String, AccessRule)] {
        let own = route.methods.filter { $0.access.scopes != route.access.scopes }
        let inherits = route.methods.isEmpty || own.count < route.methods.count
        return (inherits ? [(pointer, route.access)] : [])
            + own.map { ("\(pointer)/methods/\($0.method)", $0.access) }
    }

    private func check(_ access: AccessRule, at pointer: String) {
        var lacking = access.scopes.all.filter { !granted.contains($0) }
        if let any = access.scopes.any, !any.contains(where: granted.contains) { lacking += any }
        if lacking.isEmpty { return }
        findings.warning(
            pointer,
            "no caller has \(SharedNames.list(lacking)): the route takes tokens of the token service, which never grants it",
            expected: "scopes out of \"scopes\" of \"tokenService\"")
    }
}
