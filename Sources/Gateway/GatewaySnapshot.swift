import Crypto
import Endpoints
import HTTP
import Identity
import Issuers
import Model
import OAuthServer
import Outbound
import Policy

/// A worker's complete configuration. Immutable: a reload gives a new one to every worker, and exchanges in progress
/// keep theirs.
package final class GatewaySnapshot: Sendable {
    /// Sequence number of the configuration in this process.
    package let generation: UInt64
    package let policy: PolicySnapshot
    /// Sources of the upstream's tokens, by route index and in the order of the route's rules; empty if none is injected.
    package let injections: [[InjectionTarget]]
    /// The Webgates of the upstream, by route index; nil if it has none (CACHE-08).
    package let upstreamWebgates: [UpstreamWebgates?]
    package let tokens: TokenService
    /// By endpoint index in the route table.
    let endpointHandlers: [EndpointHandler]
    package let clients: Clients
    package let upstreams: [Upstream]
    package let limits: GatewayLimits
    package let proxies: TrustedProxies
    /// Field names that are never forwarded as sent by a client.
    package let managedNames: ManagedNames
    package let rateLimits: RequestLimiters
    /// The steps of decisions; without rate limits that step is omitted.
    let steps: Decision.Steps
    /// Of trusted issuers that publish their keys.
    package let issuerKeys: [IssuerKeys]
    /// Issuers of upstream tokens, sorted by name.
    package let issuers: [IssuerGate]
    /// By listener id; listeners not listed here speak HTTP/1 without TLS.
    package let listeners: [ListenerSettings]
    /// The ends of the gateway's own certificates.
    let certificates: [CertificateEnd]
    /// The names of the certificates of listeners.
    let certifiedHosts: [HostPattern]
    /// Bearer token of the admin listener; nil for none.
    package let adminToken: [UInt8]?
    /// Host names of the admin listener in lower case, besides `localhost` and IP addresses.
    package let adminHosts: [String]
    /// Public names of the gateway.
    package let names: PublicNames

    /// Whether requests of the admin listener are in the access log.
    private let logsAdmin: Bool
    /// Whether those of all listeners are: asked for each request.
    private let logsEveryListener: Bool
    /// Optional fields of the access log.
    package let accessFields: AccessLogFields
    /// Whether `user_agent` is among them: asked for each request.
    let logsUserAgent: Bool
    /// The share of requests in the access log; nil for all.
    let accessSample: AccessLogSample?

    /// Makes error pages for browsers; nil for none.
    let errorPage: ErrorPage?

    /// Sends spans of requests to a collector; nil for none.
    package let tracer: Tracer?

    /// Whether the gateway sets cookies in browsers, which are withheld from upstreams.
    var hasBrowserCookies: Bool { policy.hasBrowserCookies }

    /// Route names by index, for the counters.
    var routeNames: [String] { policy.routes.routes.map(\.name) }

    /// The Webgates of the route's upstream; nil if it has none.
    func upstreamWebgates(of route: Route) -> UpstreamWebgates? {
        upstreamWebgates.indices.contains(route.index) ? upstreamWebgates[route.index] : nil
    }

    /// The client that a credential is bound to.
    func client(of principal: Principal) -> Client? {
        let id = principal.backendBytes
        return id.isEmpty ? nil : clients.client(id: id.span)
    }

    /// Maximum request body length in bytes; nil for no limit.
    ///
    /// - Parameter route: nil for requests without one.
    package func bodyLimit(of route: Route?) -> Int? {
        let limit = route?.entry.options.maximumBodyBytes ?? limits.maximumBodyBytes
        return limit == 0 ? nil : limit
    }

    /// Whether requests of a client are in the access log.
    func logs(_ client: ClientConnection?) -> Bool {
        guard !logsEveryListener, let client else { return true }
        return client.role == .admin ? logsAdmin : listener(client.listener)?.rules.isLogged ?? true
    }

    func listener(_ id: Int) -> ListenerSettings? { listeners.indices.contains(id) ? listeners[id] : nil }

    /// Set if the peer of an exchange tells the certificate of its client.
    func forwardedCertificates(of exchange: Exchange) -> ForwardedCertificates? {
        guard let client = exchange.client, let forwarded = listener(client.listener)?.forwardedCertificates else {
            return nil
        }
        // Who may ask for decisions was looked at with the question.
        return exchange.forwardAuth != nil || proxies.contains(client.address) ? forwarded : nil
    }

    /// The client's certificate, with its listener's present rules for certificates. The certificate of a proxy that asks
    /// for a decision is not the client's, nor is that of one which tells those of its clients.
    func certificate(of exchange: Exchange) -> PresentedCertificate? {
        if let certificate = exchange.certificate, let forwarded = certificate.forwarded {
            guard let now = forwardedCertificates(of: exchange) else { return nil }
            // Verified by the configuration of the exchange; a later one may have other authorities.
            let isRefused = exchange.snapshot !== self && now.refuses(forwarded)
            return PresentedCertificate(certificate.certificate, rules: now.users, isOnList: isRefused)
        }
        if forwardedCertificates(of: exchange) != nil { return nil }
        guard exchange.forwardAuth == nil, let client = exchange.client, let known = client.certificate else {
            return nil
        }
        let tls = listener(client.listener)?.tls
        let isRevoked = tls.map { client.isRevoked(by: $0.context, generation: generation) } ?? false
        // A proxy serves many clients, who are not logged in by its certificate.
        let isProxy = client.address.map(proxies.contains) ?? false
        return PresentedCertificate(known.certificate, rules: isProxy ? [] : tls?.users ?? [], isOnList: isRevoked)
    }

    /// The client's certificate where the client itself is the peer, and not a proxy for many of them: neither one that
    /// forwards requests nor one that asks for decisions, which may be none of `trustedProxies`.
    func ownCertificate(of exchange: Exchange) -> PresentedCertificate? {
        if exchange.forwardAuth != nil || exchange.client?.address.map(proxies.contains) == true { return nil }
        return certificate(of: exchange)
    }

    /// The page for an error status, with the id of the request in the log, in the best of the languages of `Accept-Language`.
    package typealias ErrorPage = @Sendable (ShownError) -> EndpointResponse

    package init(
        generation: UInt64, policy: PolicySnapshot, injections: [[InjectionTarget]], tokens: TokenService,
        endpoints: EndpointHandlers,
        clients: Clients,
        upstreamWebgates: [UpstreamWebgates?] = [],
        upstreams: [Upstream], limits: GatewayLimits, listeners: [ListenerSettings] = [],
        adminToken: [UInt8]?, adminHosts: [String] = [], names: PublicNames = PublicNames(),
        proxies: TrustedProxies = TrustedProxies(), managedNames: ManagedNames = .standard,
        rateLimits: RequestLimiters = RequestLimiters(), issuerKeys: [IssuerKeys] = [],
        issuers: [IssuerGate] = [], accessFields: AccessLogFields = [], accessSample: AccessLogSample = .all,
        logsAdmin: Bool = true, errorPage: ErrorPage? = nil, tracer: Tracer? = nil,
        certificates: [CertificateEnd] = []
    ) {
        self.errorPage = errorPage
        self.generation = generation
        self.certificates = certificates
        self.logsAdmin = logsAdmin
        logsEveryListener = logsAdmin && listeners.allSatisfy(\.rules.isLogged)
        self.accessFields = accessFields
        logsUserAgent = accessFields.contains(.userAgent)
        self.accessSample = accessSample.isAll ? nil : accessSample
        self.policy = policy
        self.tracer = tracer
        self.injections = injections
        self.upstreamWebgates = upstreamWebgates
        self.tokens = tokens
        endpointHandlers = policy.routes.endpoints.map { route in
            endpoints.handler(of: route.descriptor) ?? { _, _ in .done(.problem(.noRoute, "no such resource")) }
        }
        self.clients = clients
        self.upstreams = upstreams
        self.limits = limits
        self.listeners = listeners
        certifiedHosts = listeners.flatMap { $0.tls?.context.certificates ?? [] }.flatMap(\.names).compactMap {
            HostPattern($0)
        }
        self.adminToken = adminToken
        self.adminHosts = adminHosts
        self.names = names
        self.proxies = proxies
        self.managedNames = managedNames
        self.issuerKeys = issuerKeys
        self.issuers = issuers
        self.rateLimits = rateLimits
        steps = rateLimits.isEmpty ? .request.subtracting(.rates) : .request
    }
}

extension GatewayLimits {
    /// Limits of request heads on a listener. Administrators may use a whole buffer, so that entities with long names
    /// can be removed.
    func head(_ role: ListenerRole) -> HTTPLimits {
        guard role == .admin else { return head }
        var limits = head
        limits.maximumHeadBytes = 65_536
        limits.maximumTargetBytes = 65_536
        return limits
    }
}
