import Bytes
import HTTP
import Identity
import JOSE
import Model

/// Everything that decides requests, from one configuration. Immutable and shared by all workers.
///
/// Each method is one step of a `Decision`: it gets the time as an argument and has no side effects outside.
package final class PolicySnapshot: Sendable {
    package let generation: UInt64
    package let routes: RouteTable
    package let roles: RoleCatalogue
    package let challenges: ChallengeIssuer
    package let revocations: RevocationList

    /// Counts key removals by issuers; nil if all keys are configured.
    private let keyEpochs: KeyEpoch?
    /// What other gateways have withdrawn; nil where there are none.
    private let withdrawn: WithdrawnAccounts?
    /// For endpoints, routes without origins or settings of their own, and where no route is.
    private let origins: RouteOrigins
    /// The claims and scopes that routes use.
    package let claims: ClaimSelection
    let verifier: JWTVerifier
    let principals: TokenPrincipals
    let introspected: IntrospectedTokens
    let passwords: BasicCredentials
    let consumerKeys: ConsumerKeys
    let certificates: CertificateCredentials
    /// The kinds that count on routes without a list.
    let usual: AuthenticatorChain
    let opaqueTokens: (any OpaqueTokens)?
    let grantedTokens: (any GrantedTokens)?
    let activities: (any SessionActivities)?
    let sessions: SessionCookies?
    /// Whether there is a route that serves callers without a token, such as while the deny list is unknown.
    package let servesWithoutTokens: Bool

    init(
        _ settings: PolicySettings, _ claims: ClaimSelection, routes: RouteTable, origins: RouteOrigins,
        usual: AuthenticatorChain
    ) {
        generation = settings.generation
        self.routes = routes
        self.claims = claims
        self.origins = origins
        roles = settings.roles
        challenges = settings.challenges
        revocations = settings.revocations
        verifier = JWTVerifier(issuers: settings.issuers.map(\.trust))
        keyEpochs = settings.keyEpoch
        withdrawn = settings.withdrawn
        principals = TokenPrincipals(settings, claims)
        introspected = IntrospectedTokens(settings, principals)
        passwords = BasicCredentials(settings, claims)
        consumerKeys = ConsumerKeys(settings)
        certificates = CertificateCredentials(settings, claims)
        self.usual = usual
        opaqueTokens = settings.opaqueTokens
        grantedTokens = settings.grantedTokens
        activities = settings.activities
        sessions = SessionCookies(settings, principals)
        servesWithoutTokens =
            routes.routes.isEmpty
            || routes.routes.contains { PolicySnapshot.serves($0, withoutTokens: settings, usual) }
    }

    /// Whether the gateway sets cookies in browsers, which are withheld from upstreams.
    package var hasBrowserCookies: Bool { sessions != nil }

    /// The epoch of caches of verified tokens, in addition to the generation: it advances where an issuer removes keys,
    /// and where another gateway takes rights away. Two atomic loads.
    package var keyEpoch: UInt64 { (keyEpochs?.current ?? 0) &+ (withdrawn?.rightsVersion ?? 0) }

    /// The introspectors, for metrics.
    package var introspectors: [Introspector] { introspected.issuers.map(\.introspector) }

    /// The route or endpoint of a request (GW-01). A preflight matches like the request that it announces.
    ///
    /// - Parameters:
    ///   - path: the canonical path; may be in another buffer than the head.
    ///   - bytes: the buffer of `head` and `headers`.
    func match(
        path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> RouteMatch {
        let host = bytes.slice(head.authority)
        guard CORSPolicy.isPreflight(head, headers), let field = headers.value(.accessControlRequestMethod) else {
            return routes.match(host: host, path: path, method: head.method, methodText: bytes.slice(head.methodText))
        }
        let method = bytes.slice(field)
        let match = routes.match(host: host, path: path, method: Method(method), methodText: method)
        // CORS-06: the answer lists the methods of the route; the browser then refuses the other one itself.
        if case .methodNotAllowed(let route) = match { return .route(route) }
        return match
    }

    /// Checks the `Origin` of a request (CORS-01).
    ///
    /// - Parameters:
    ///   - route: nil for endpoints and unmatched requests, which are under the environment's policy (CORS-10).
    ///   - endpoint: nil for routes and unmatched requests.
    func screenOrigin(
        _ route: Route?, at endpoint: EndpointDescriptor?, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> OriginVerdict {
        let isForClients = endpoint?.traits.contains(.servesClients) == true
        let policy = isForClients ? origins.ofClients : cors(of: route)
        return policy.screen(bytes: bytes, head: head, headers: headers)
    }

    /// What a route allows pages of other origins; for nil, what the environment does.
    package func cors(of route: Route?) -> CORSPolicy { route?.cors ?? origins.cors }

    /// Appends the CORS lines of the 204 for an allowed preflight of an endpoint. Each line ends in CRLF.
    package func appendPreflightFields(
        to chunk: Chunk, endpoint: EndpointDescriptor, bytes: Span<UInt8>, headers: HeaderTable
    ) {
        origins.cors.appendPreflightFields(
            to: chunk, methods: endpoint.methods, takesAnyMethod: false, bytes: bytes, headers: headers)
    }

    /// Whether the deny list of tokens has no say in some requests of a route.
    private static func serves(
        _ route: Route, withoutTokens settings: PolicySettings, _ usual: AuthenticatorChain
    ) -> Bool {
        route.isPublic || route.isOptional
            || (route.authenticators ?? usual).entries.contains { $0.servesWithoutTokens(on: route, settings) }
    }
}
