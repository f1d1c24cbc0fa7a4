import Bytes
import HTTP
import Identity
import JOSE
import Model

/// What a request reaches by host, path, method, fields and query, before anything is asked of its caller.
package enum RequestTarget: Hashable, Sendable {
    case none
    /// By its name.
    case endpoint(String)
    /// By its index.
    case route(Int)
    /// The route of the most specific pattern lacks the method.
    case lackingMethod(Int)
}

/// How the claims of another issuer become callers.
package struct OutsideIssuer: Sendable {
    /// Of its entry.
    package let name: String
    package let rules: ExternalIdentityRules
    /// Accepted values of `aud`.
    package let audiences: [String]
    /// The clients of which its tokens must be; nil for any.
    package let clients: [String]?
    /// The authentication context level that each value of `amr` stands for.
    package let levelsByMethod: [String: String]
    /// Whether its tokens are bound to a key or certificate.
    package let requiresProof: Bool
}

extension PolicyDescription {
    /// What a request reaches.
    /// - Parameters:
    ///   - path: the canonical path.
    ///   - bytes: the buffer of `head` and `headers`.
    package func target(
        path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> RequestTarget {
        switch policy.match(path: path, bytes: bytes, head: head, headers: headers) {
        case .route(let route): return .route(route.index)
        case .selection(let selection):
            let (route, hasMethod) = selection.choose(bytes: bytes, head: head, headers: headers)
            return route.map { hasMethod ? .route($0.index) : .lackingMethod($0.index) } ?? .none
        case .endpoint(let endpoint): return .endpoint(endpoint.descriptor.name)
        case .methodNotAllowed(let route): return .lackingMethod(route.index)
        case .notFound: return .none
        }
    }

    /// The issuers of others whose tokens routes accept.
    package var outsideIssuers: [OutsideIssuer] {
        let verified = policy.principals.issuers.compactMap { issuer -> OutsideIssuer? in
            guard case .outside(let rules, _, _) = issuer.claims else { return nil }
            return OutsideIssuer(
                name: issuer.trust.name, rules: rules, audiences: issuer.trust.audiences,
                clients: issuer.trust.purpose?.listedClients, levelsByMethod: issuer.levelsByMethod,
                requiresProof: issuer.requiresProof)
        }
        return verified
            + policy.introspected.issuers.map { issuer in
                OutsideIssuer(
                    name: issuer.introspector.server.name, rules: issuer.rules,
                    audiences: issuer.introspector.server.audiences, clients: issuer.purpose.listedClients,
                    levelsByMethod: issuer.levelsByMethod, requiresProof: issuer.requiresProof)
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
        let methods = route.entry.methods
        let own = methods.first { $0.method == method }
        return (own ?? (method == "HEAD" ? methods.first { $0.method == "GET" } : nil))?.access.roles
            ?? route.entry.access.roles
    }

    /// Whether a session of the gateway's own counts.
    package var takesLogins: Bool { route.login?.isOfDomain == false }
}
