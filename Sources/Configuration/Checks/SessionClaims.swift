import Bytes
import Model

/// The claims that sessions at providers keep.
package struct SessionClaims {
    private let configuration: GatewayConfiguration

    package init(_ configuration: GatewayConfiguration) { self.configuration = configuration }

    /// Those of all logins with a provider. Logins of clients keep the usual ones, for ID tokens and user information.
    package func kept(at provider: String) -> [ClaimPath] {
        logins(with: provider).flatMap { $0.login.claims ?? RouteLoginEntry.standardClaims }
            + (servesClients(provider) ? RouteLoginEntry.standardClaims + ofScopes : [])
    }

    /// Those that routes with logins at a provider name or look at, and those that clients get, so that they are asked for.
    package func wanted(at provider: String) -> [ClaimPath] {
        logins(with: provider).flatMap { ($0.login.claims ?? []) + used(by: $0.route) }
            + (servesClients(provider) ? SessionClaims.ofClients + ofScopes : [])
    }

    /// Most clients know their users by these.
    private static let ofClients = ["email", "name"].map(ClaimPath.init(literal:))

    private var ofScopes: [ClaimPath] { configuration.tokenService.terms.scopeClaims.flatMap(\.value.claims) }

    private func servesClients(_ provider: String) -> Bool {
        configuration.clients.contains {
            $0.client.grants.asksUsers && $0.identityProviders.contains(where: provider.isExactly)
        }
    }

    /// The claims of the caller that a route's rules, fields and policy servers look at.
    func used(by route: RouteEntry) -> [ClaimPath] {
        route.usedClaims + configuration.policies.servers.filter { $0.isAsked(by: route) }.flatMap(\.rules.claims)
    }

    private func logins(with provider: String) -> [(route: RouteEntry, login: RouteLoginEntry)] {
        configuration.routes.compactMap { route in
            route.login.flatMap { $0.ways.contains(where: provider.isExactly) ? (route, $0) : nil }
        }
    }
}

extension RouteEntry {
    /// The claims of the caller that its rules and fields look at.
    fileprivate var usedClaims: [ClaimPath] {
        let rules = rules.flatMap(\.claims)
        let fields = [options.requestFields, options.responseFields].compactMap(\.self).flatMap(\.lines)
        return rules.map(\.path) + fields.flatMap(\.value.claims) + options.errors.answers.flatMap(\.claims)
    }
}
