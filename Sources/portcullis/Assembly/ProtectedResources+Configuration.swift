import Configuration
import Model
import OAuthServer

extension ProtectedResources {
    /// The resources that the routes of a configuration describe.
    init(_ configuration: GatewayConfiguration) {
        self.init(
            configuration.routes.flatMap { route in
                route.resourceIdentifiers(configuration.origins).map { url in
                    var resource = Resource(url)
                    resource.name = route.options.protectedResource?.name
                    resource.documentation = route.options.protectedResource?.documentation?.description
                    resource.authorizationServers = configuration.authorizationServers(of: route)
                    resource.scopes = route.resourceScopes
                    resource.requiresProof = route.access.requiresProof
                    resource.bearerMethods = route.bearerMethods
                    return resource
                }
            })
    }
}

extension GatewayConfiguration {
    /// The issuers whose tokens a route accepts: in the order of its `issuers`, otherwise of `trustedIssuers`, the gateway
    /// itself last. An issuer that is no URL has no metadata.
    fileprivate func authorizationServers(of route: RouteEntry) -> [String] {
        let own = TrustedIssuerEntry.ownName
        let names =
            route.resourceIssuers.isEmpty
            ? trustedIssuers.filter(\.opensRoutes).map(\.name) + [own] : route.resourceIssuers
        let issuers = names.compactMap { name in
            name == own
                ? (tokenService.isEnabled ? tokenService.issuer : nil)
                : trustedIssuers.first { $0.name == name }?.issuer
        }
        return issuers.filter { (try? WebURL($0)) != nil }
    }
}

extension RouteEntry {
    /// The places of tokens that RFC 6750 section 2 names.
    fileprivate var bearerMethods: [String] {
        guard let sources = options.tokenSources else { return ["header"] }
        return sources.compactMap { source in
            switch source {
            case .authorization: "header"
            case .query("access_token"): "query"
            default: nil
            }
        }
    }
}
