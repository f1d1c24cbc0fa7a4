import Identity
import JOSE
import Model

/// How the claims of another issuer become callers.
package struct OutsideIssuer: Sendable {
    /// Of its entry.
    package let name: String
    package let rules: ExternalIdentityRules
    /// Accepted values of `aud`.
    package let audiences: [String]
    /// The clients of which its tokens must be; nil for any.
    package let clients: [String]?
    /// Whether its tokens are bound to a key or certificate.
    package let requiresProof: Bool
}

extension OutsideIssuer {
    /// The issuers of others whose tokens routes accept.
    package static func all(_ policy: PolicySnapshot) -> [OutsideIssuer] {
        let verified = policy.principals.issuers.compactMap { issuer -> OutsideIssuer? in
            guard case .outside(let rules, _, _) = issuer.claims else { return nil }
            return OutsideIssuer(
                name: issuer.trust.name, rules: rules, audiences: issuer.trust.audiences,
                clients: issuer.trust.purpose?.listedClients, requiresProof: issuer.requiresProof)
        }
        return verified
            + policy.introspected.issuers.map { issuer in
                OutsideIssuer(
                    name: issuer.introspector.server.name, rules: issuer.rules,
                    audiences: issuer.introspector.server.audiences, clients: issuer.purpose.listedClients,
                    requiresProof: issuer.requiresProof)
            }
    }
}

extension RouteTable {
    /// Patterns of the paths that the gateway answers itself.
    package var endpointPatterns: [PathPattern] {
        endpoints.flatMap { endpoint -> [PathPattern] in
            let path = endpoint.path
            return (path.hasSuffix("/") ? [path, "\(path)**"] : [path]).compactMap { try? PathPattern($0) }
        }
    }
}

extension EndpointRoute {
    fileprivate var path: String { String(decoding: pathBytes, as: UTF8.self) }
}

/// What descriptions need to know of a route.
package struct DescribedRoute: Sendable {
    package let route: Route

    package init(_ route: Route) { self.route = route }

    /// The roles that a method needs.
    package func roleNames(for method: String) -> RoleNames {
        (route.entry.access(of: method) ?? route.entry.access).roles
    }

    /// Whether a session of the gateway's own counts.
    package var takesLogins: Bool { route.login?.isOfDomain == false }
}
