import Endpoints
import HTTP
import Identity
import Issuers
import Model
import OAuthServer
import Outbound
import Policy

/// Everything a worker acts by that can change with the configuration. Immutable: a reload hands a new one to every
/// worker, and exchanges under way keep the one they began with.
package final class GatewaySnapshot: Sendable {
    /// Counts the configurations of this process.
    package let generation: UInt64
    package let policy: PolicySnapshot
    /// Where the upstream's token comes from, by the number of the route; nil where nothing is injected.
    package let injections: [InjectionTarget?]
    /// The Webgates that the upstream is behind, by the number of the route; nil where it is behind none (CACHE-08).
    package let upstreamWebgates: [UpstreamWebgates?]
    package let tokens: TokenService
    /// Of the endpoints, by their position in the route table.
    let endpointHandlers: [EndpointHandler]
    package let backends: BackendStore
    package let upstreams: [Upstream]
    package let limits: GatewayLimits
    package let proxies: TrustedProxies
    /// Names of request fields that never reach an upstream as a client sent them.
    package let managedNames: ManagedNames
    /// The request-rate limits of each route, by its number; empty where no route has any.
    package let rateLimits: [[RateLimiter]]
    /// Those of the gateway's own endpoints together.
    package let endpointLimits: [RateLimiter]
    /// The steps of decisions: rates are no step where nothing is limited.
    let steps: Decision.Steps
    /// Of the trusted issuers that publish theirs.
    package let issuerKeys: [IssuerKeys]
    /// Those that obtain tokens for upstreams, in the order of their names.
    package let issuers: [IssuerGate]
    /// By the listener's id; those that are not here speak HTTP/1 without TLS.
    package let listeners: [ListenerSettings]
    /// What the admin listener wants as bearer token; nil where there is none.
    package let adminToken: [UInt8]?
    /// Names in lower case by which the admin listener is asked, beside `localhost` and IP addresses.
    package let adminHosts: [String]
    /// The names by which clients reach the gateway.
    package let names: PublicNames

    /// What the access log tells beside the rest.
    package let accessFields: AccessLogFields

    /// Whether browsers have cookies of the gateway's, which are no upstream's business.
    var hasBrowserCookies: Bool { policy.hasBrowserCookies }

    /// Names of the routes in the order of their numbers, for the counters.
    var routeNames: [String] { policy.routes.routes.map(\.name) }

    /// The Webgates that the route's upstream is behind, where it is behind one.
    func upstreamWebgates(of route: Route) -> UpstreamWebgates? {
        upstreamWebgates.indices.contains(route.index) ? upstreamWebgates[route.index] : nil
    }

    /// The backend that a credential is bound to.
    func backend(of principal: Principal) -> Backend? {
        let id = principal.backendBytes
        return id.isEmpty ? nil : backends.backend(id: id.span)
    }

    /// The longest body that a request may have, in bytes; nil for no limit.
    ///
    /// - Parameter route: nil for requests without one.
    package func bodyLimit(of route: Route?) -> Int? {
        let limit = route?.options.maximumBodyBytes ?? limits.maximumBodyBytes
        return limit == 0 ? nil : limit
    }

    /// The limits of the rate of a route's requests.
    package func rateLimits(of route: Route) -> [RateLimiter] { rateLimits.isEmpty ? [] : rateLimits[route.index] }

    func listener(_ id: Int) -> ListenerSettings? { listeners.indices.contains(id) ? listeners[id] : nil }

    package init(
        generation: UInt64, policy: PolicySnapshot, injections: [InjectionTarget?], tokens: TokenService,
        endpoints: EndpointHandlers,
        backends: BackendStore,
        upstreamWebgates: [UpstreamWebgates?] = [],
        upstreams: [Upstream], limits: GatewayLimits, listeners: [ListenerSettings] = [],
        adminToken: [UInt8]?, adminHosts: [String] = [], names: PublicNames = PublicNames(),
        proxies: TrustedProxies = TrustedProxies(), managedNames: ManagedNames = .standard,
        rateLimits: [[RateLimiter]] = [], endpointLimits: [RateLimiter] = [], issuerKeys: [IssuerKeys] = [],
        issuers: [IssuerGate] = [], accessFields: AccessLogFields = []
    ) {
        self.generation = generation
        self.accessFields = accessFields
        self.policy = policy
        self.injections = injections
        self.upstreamWebgates = upstreamWebgates
        self.tokens = tokens
        endpointHandlers = policy.routes.endpoints.map { route in
            endpoints.handler(of: route.descriptor) ?? { _, _ in .done(.problem(.noRoute, "no such resource")) }
        }
        self.backends = backends
        self.upstreams = upstreams
        self.limits = limits
        self.listeners = listeners
        self.adminToken = adminToken
        self.adminHosts = adminHosts
        self.names = names
        self.proxies = proxies
        self.managedNames = managedNames
        self.endpointLimits = endpointLimits
        self.issuerKeys = issuerKeys
        self.issuers = issuers
        self.rateLimits = rateLimits.allSatisfy(\.isEmpty) ? [] : rateLimits
        steps =
            self.rateLimits.isEmpty && endpointLimits.isEmpty ? .request.subtracting(.rates) : .request
    }
}

extension GatewayLimits {
    /// The limits of request heads on a listener. Administrators get as much as a buffer holds, to name and remove what was
    /// created under a long name.
    func head(_ role: ListenerRole) -> HTTPLimits {
        guard role == .admin else { return head }
        var limits = head
        limits.maximumHeadBytes = 65_536
        limits.maximumTargetBytes = 65_536
        return limits
    }
}
