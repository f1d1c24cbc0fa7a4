import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor

/// The way of a request from its head to the decision, in the order of AMB-32: route, cross-site screening, preflight,
/// authentication, backend, login rules, level, roles, token; then it is forwarded.
///
/// The head stays in the client's inbox until the request is serialised for the upstream, so an exchange that is parked
/// reads it again when it goes on, and one that is not never copies it.
final class RequestPipeline: LoopPart {
    let tokenCache: VerifiedTokenCache
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder
    let upstreamClient: UpstreamClient
    let injection: TokenInjection
    let collector: BodyCollector
    private let blocking: BlockingWork
    private let endpoints: EndpointService
    private let control: ControlService
    /// The canonical path, where it differs from the received one.
    let pathScratch = Chunk(capacity: 64 * 1024)

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ responder: Responder,
        _ upstreamClient: UpstreamClient, _ injection: TokenInjection, _ collector: BodyCollector,
        _ blocking: BlockingWork, _ endpoints: EndpointService, _ control: ControlService,
        _ tokenCache: VerifiedTokenCache
    ) {
        self.tokenCache = tokenCache
        self.exchanges = exchanges
        self.frontend = frontend
        self.responder = responder
        self.upstreamClient = upstreamClient
        self.injection = injection
        self.collector = collector
        self.blocking = blocking
        self.endpoints = endpoints
        self.control = control
        super.init(context)
    }

    /// A request head has come; its field lines stand in `requestHeaders`.
    ///
    /// - Parameter buffer: where the head stands. It goes along with the request, here and below, like the policy: what is
    ///   handed on is counted once, and what is asked for anew each time anew.
    func begin(_ exchange: Exchange, _ buffer: Chunk) {
        if exchange.stream?.extendedProtocol != nil, !beginExtendedConnect(exchange) { return }
        if let client = exchange.client { decide(exchange, client, buffer) }
    }

    /// Decides about a request whose field lines stand in `requestHeaders`.
    private func decide(_ exchange: Exchange, _ client: ClientConnection, _ buffer: Chunk) {
        let bytes = buffer.readable
        let head = exchange.head
        exchanges.takeRequestID(exchange, bytes)
        identifyClient(exchange, client, bytes)
        if client.role != .proxy {
            if control.answer(exchange, client, bytes), collector.begin(exchange) { bodyCollected(exchange) }
            return
        }
        guard let rewritten = canonicalise(exchange, bytes) else {
            // `OPTIONS *` asks about the server as a whole, for which nothing here answers (RFC 9110 section 9.3.7).
            let isAsterisk = head.path.count == 1 && bytes[Int(head.path.start)] == UInt8(ascii: "*")
            responder.deny(exchange, isAsterisk ? .noRoute : .ambiguousPath, bytes)
            return
        }
        let scratch = pathScratch
        let path = rewritten ? scratch.readable : bytes.slice(head.path)
        exchange.path.ensureFree(path.count)
        exchange.path.append(path)
        exchange.host.ensureFree(Int(head.authority.count))
        exchange.host.append(bytes.slice(head.authority))
        let snapshot = exchange.snapshot
        if snapshot.accessFields.contains(.userAgent) { keepUserAgent(exchange, bytes) }
        let policy = snapshot.policy
        let match = policy.match(path: path, bytes: bytes, head: head, headers: requestHeaders)
        switch match {
        case .route(let route), .methodNotAllowed(let route): exchange.route = route
        case .endpoint(let endpoint): exchange.endpoint = endpoint
        case .notFound: break
        }
        guard screenOrigin(exchange, policy, match, bytes) else { return }
        switch match {
        case .notFound where PolicySnapshot.isIcon(path, head.method): responder.answerIcon(exchange)
        case .notFound: responder.deny(exchange, .noRoute, bytes)
        case .methodNotAllowed: responder.deny(exchange, .methodNotAllowed, bytes)
        case .endpoint(let endpoint): enter(endpoint.descriptor, exchange, bytes)
        case .route(let route):
            if policy.hasSecondReading(route, path: path, bytes: bytes, head: head, headers: requestHeaders) {
                responder.deny(exchange, .ambiguousPath, bytes)
                return
            }
            guard passesRateLimits(exchange, route) else { return }
            if route.readsCertificate, let denial = screenCertificate(exchange, route) {
                responder.deny(exchange, denial, bytes)
                return
            }
            if let limit = exchange.bodyLimit, case .length(let count) = head.framing, count > limit {
                responder.refuseLargeBody(exchange)
                return
            }
            authenticate(exchange, snapshot, route, path, buffer)
        }
    }

    private func keepUserAgent(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        guard counters.accessLog != nil, let value = requestHeaders.value(.userAgent) else { return }
        let agent = Chunk(capacity: AccessLog.longestUserAgent)
        agent.append(bytes.slice(value).extracting(first: AccessLog.longestUserAgent))
        exchange.userAgent = agent
    }

    /// Brings the path into its one canonical form. Answers whether that stands in `pathScratch` because it differs from
    /// the received one, or nil where the path can be read in two ways (ROLE-05).
    func canonicalise(_ exchange: Exchange, _ bytes: Span<UInt8>) -> Bool? {
        pathScratch.reset()
        switch CanonicalPath.canonicalise(bytes.slice(exchange.head.path), into: pathScratch) {
        case .unchanged: return false
        case .rewritten: return true
        case .ambiguous: return nil
        }
    }

    /// Cross-site rules before any credential is looked at (CORS-06). Answers false where the exchange is answered.
    private func screenOrigin(
        _ exchange: Exchange, _ policy: PolicySnapshot, _ match: RouteMatch, _ bytes: Span<UInt8>
    ) -> Bool {
        if exchange.head.method == .post, exchange.endpoint?.descriptor.traits.contains(.takesForeignForms) == true {
            return true
        }
        let verdict = policy.screenOrigin(
            exchange.route, bytes: bytes, head: exchange.head, headers: requestHeaders)
        exchange.variesByOrigin = true
        if let denial = verdict.denial {
            responder.deny(exchange, denial, bytes)
            return false
        }
        guard verdict != .notCrossSite, let origin = requestHeaders.value(.origin) else { return true }
        exchange.origin.ensureFree(Int(origin.count))
        exchange.origin.append(bytes.slice(origin))
        guard verdict == .preflight else { return true }
        if case .notFound = match { return true }
        responder.answerPreflight(exchange, bytes)
        return false
    }

    /// What the client's certificate is to the route. It belongs to the connection, and is asked before any credential.
    private func screenCertificate(_ exchange: Exchange, _ route: Route) -> Reason? {
        exchange.certificate = exchange.client?.certificate
        return route.certificateRule?.refusal(of: exchange.certificate?.certificate)
    }

    private func authenticate(
        _ exchange: Exchange, _ snapshot: GatewaySnapshot, _ route: Route, _ path: Span<UInt8>, _ buffer: Chunk
    ) {
        let bytes = buffer.readable
        exchange.keyEpoch = snapshot.policy.keyEpoch
        exchange.variesByCookie = route.takesCookies
        let outcome = snapshot.policy.authenticate(
            route, bytes: bytes, headers: requestHeaders, from: exchange.address, secure: exchange.isSecure,
            now: poller.wallSeconds, cache: tokenCache)
        switch outcome {
        case .principal(let principal):
            exchange.principal = principal
            authorize(exchange, snapshot, principal, route, path, buffer)
        case .none: authorize(exchange, snapshot, nil, route, path, buffer)
        case .rejected(let reason), .malformed(let reason): responder.deny(exchange, reason, bytes)
        case .resolve(let effect): resolve(effect, exchange)
        }
    }

    /// Finds out who is calling, in as many steps as that takes.
    func resolve(_ effect: Effect<Result<Principal, Reason>>, _ exchange: Exchange) {
        let identity = exchange.identity
        switch effect {
        case .done(let result): resolved(exchange, result)
        case .offload(let work):
            blocking.park(exchange, in: .resolvingCredential, shared.computing) {
                .credential(exchange: identity, work())
            }
        case .hash(let work):
            blocking.park(exchange, in: .resolvingCredential, shared.hashes) { .credential(exchange: identity, work()) }
        case .await(let begin):
            exchanges.park(exchange, in: .resolvingCredential)
            let mailbox = context.mailbox
            begin { mailbox.post(.credential(exchange: identity, $0)) }
        }
    }

    private func resolved(_ exchange: Exchange, _ result: Result<Principal, Reason>) {
        exchanges.unpark(exchange)
        guard let buffer = exchanges.reread(exchange) else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        let bytes = buffer.readable
        let principal: Principal
        switch result {
        case .success(let known): principal = known
        case .failure(let reason):
            responder.deny(exchange, reason, bytes)
            return
        }
        if let reason = remember(principal, exchange) {
            responder.deny(exchange, reason, bytes)
            return
        }
        exchange.principal = principal
        if exchange.endpoint != nil {
            if collector.begin(exchange) { bodyCollected(exchange) }
        } else if let route = exchange.route, let rewritten = canonicalise(exchange, bytes) {
            let scratch = pathScratch
            let path = rewritten ? scratch.readable : bytes.slice(exchange.head.path)
            authorize(exchange, exchange.snapshot, principal, route, path, buffer)
        }
    }

    /// Caches a token whose holder was asked for elsewhere. Answers why it is refused where it was revoked meanwhile, or
    /// where that is not known.
    private func remember(_ principal: Principal, _ exchange: Exchange) -> Reason? {
        let origin = exchange.snapshot
        guard principal.method == .bearer else { return nil }
        // Read first: a revocation that comes in between makes the cache look again.
        let reading = shared.revocations.reading
        if shared.revocations.isRevoked(principal) { return .tokenRevoked }
        // Under another configuration it may stand for another user.
        // A key by which it was verified may be gone by now.
        if let expiresAt = principal.knownUntil ?? principal.expiresAt, !principal.token.isEmpty, origin === snapshot,
            origin.policy.keyEpoch == exchange.keyEpoch
        {
            tokenCache.adopt(generation: origin.policy.generation, keyEpoch: exchange.keyEpoch)
            tokenCache.insert(
                principal.token, principal, expiresAt: expiresAt, revocationGeneration: reading.generation)
        }
        return reading.isBlind ? .storeUnavailable : nil
    }

    private func authorize(
        _ exchange: Exchange, _ snapshot: GatewaySnapshot, _ principal: Principal?, _ route: Route,
        _ path: Span<UInt8>, _ buffer: Chunk
    ) {
        guard passesPrincipalLimits(exchange, route) else { return }
        let bytes = buffer.readable
        let denial = snapshot.policy.authorize(
            route, principal: principal, bytes: bytes, head: exchange.head, headers: requestHeaders)
        if let denial {
            responder.deny(exchange, denial, bytes)
        } else {
            // OMS-09: what was refused is no use of the session.
            principal?.activity?.use(at: poller.wallSeconds)
            inject(exchange, snapshot, principal, route, path, buffer)
        }
    }

    /// An extended CONNECT (RFC 8441) has come: it is decided as the GET that it stands for. Answers false where it was
    /// refused.
    private func beginExtendedConnect(_ exchange: Exchange) -> Bool {
        guard let name = exchange.stream?.extendedProtocol, let buffer = exchange.headBuffer else { return false }
        let bytes = buffer.readable
        let webSocket = Upgrade.webSocket
        guard bytesEqualIgnoringCase(bytes.slice(name), webSocket.span) else {
            exchanges.makeRequestID(exchange)
            upstreamClient.refuseUpgrade(exchange)
            return false
        }
        // RFC 9113 section 8.5: there is no body, only what is tunnelled.
        guard requestHeaders.occurrences(.contentLength) == 0, exchange.head.framing == .untilClose else {
            exchanges.makeRequestID(exchange)
            responder.reply(exchange, .malformedBody, "CONNECT has no body")
            return false
        }
        exchange.head.method = .get
        exchange.head.framing = .none
        exchange.head.upgrade = true
        exchange.requestBody = .empty
        return true
    }

    // MARK: Whole bodies

    /// The body of a request is whole: the request goes on.
    func bodyCollected(_ exchange: Exchange) {
        if let resource = exchange.adminResource {
            exchange.head.length += exchange.bodySeen
            exchanges.clearClientDeadline(exchange)
            control.call(exchange, resource)
        } else if let endpoint = exchange.endpoint {
            endpoints.enterLine(exchange, endpoint.descriptor)
        } else {
            exchanges.clearClientDeadline(exchange)
            bodyKept(exchange)
        }
    }

    /// The time of an exchange is over.
    func timedOut(_ exchange: Exchange) {
        switch exchange.stage {
        case .resolvingCredential, .awaitingToken, .inEndpoint:
            limited(.decisionTime)
            responder.reply(exchange, .decisionTimeout, "try again later", retryAfter: 1)
        case .collectingBody, .forwarding:
            limited(.bodyRate)
            upstreamClient.requestRelay.timedOut(exchange)
        case .deciding, .tunnelling, .finished: break
        }
    }
}
