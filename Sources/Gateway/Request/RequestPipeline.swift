import Bytes
import HTTP
import Identity
import Model
import Outbound
import Policy
import Reactor

/// Takes a request from its head through the decision to the upstream or endpoint.
///
/// The head stays in the client's inbox until the request is serialised for the upstream. A parked exchange parses it
/// again; other exchanges never copy it.
final class RequestPipeline: LoopPart {
    let tokenCache: VerifiedTokenCache
    let forwardedCertificates = ForwardedCertificateCache()
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder
    let upstreamClient: UpstreamClient
    let injection: TokenInjection
    let collector: BodyCollector
    private let rates: RequestRates
    private let messages: MessageStep
    private let blocking: BlockingWork
    private let endpoints: EndpointService
    private let control: ControlService

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
        rates = RequestRates(context, responder)
        messages = MessageStep(context, exchanges, responder: responder)
        self.blocking = blocking
        self.endpoints = endpoints
        self.control = control
        super.init(context)
    }

    /// Begins a request whose field lines are in `requestHeaders`.
    ///
    /// - Parameter buffer: contains the head. Passed along with the request, like the policy: passing an object costs
    ///   one retain, looking it up costs one each time.
    func begin(_ exchange: Exchange, _ buffer: Chunk) {
        if exchange.stream?.extendedProtocol != nil, !beginExtendedConnect(exchange) { return }
        if let client = exchange.client { decide(exchange, client, buffer) }
    }

    /// Decides a request whose field lines are in `requestHeaders`.
    private func decide(_ exchange: Exchange, _ client: ClientConnection, _ buffer: Chunk) {
        let bytes = buffer.readable
        exchanges.takeRequestID(exchange, bytes)
        identifyClient(exchange, client, bytes)
        if let tracer = exchange.snapshot.tracer { beginTrace(exchange, client, tracer, bytes) }
        guard client.role != .proxy else { return judge(exchange, buffer) }
        if client.role == .forwardAuth {
            if let described = describe(exchange, client, buffer) { judge(exchange, described) }
        } else if !answersByRole(exchange, client, bytes) {
            judge(exchange, buffer)
        }
    }

    /// Decides the request in `exchange.head`.
    private func judge(_ exchange: Exchange, _ buffer: Chunk) {
        let bytes = buffer.readable
        let head = exchange.head
        guard ExchangePath.write(exchange, bytes, requestHeaders) else {
            // `OPTIONS *` concerns the server as a whole and has no handler here (RFC 9110 section 9.3.7).
            let isAsterisk = head.path.count == 1 && bytes[Int(head.path.start)] == UInt8(ascii: "*")
            return responder.deny(
                exchange, isAsterisk ? .noRoute : .ambiguousPath, at: isAsterisk ? .method : .secondReading, bytes)
        }
        keepForLog(exchange, bytes)
        let policy = exchange.snapshot.policy
        let path = exchange.path
        var decision = Decision(
            policy, path: path.readable, bytes: bytes, head: head, headers: requestHeaders,
            steps: exchange.snapshot.steps, now: poller.wallSeconds)
        exchange.route = decision.route
        if decision.readsOrigin { exchange.varies = .origin }
        if decision.endpoint != nil {
            // The gateway itself answers such requests; there is nothing for another proxy to forward.
            if exchange.forwardAuth != nil { return responder.deny(exchange, .noRoute, at: .method, bytes) }
            exchange.endpoint = decision.endpoint
            decision.isConfidential = isConfidential(exchange)
        }
        if decision.screening.isAllowed, let origin = requestHeaders.value(.origin) {
            exchange.origin.ensureFree(Int(origin.count))
            exchange.origin.append(bytes.slice(origin))
        }
        advance(exchange, decision, path, policy, buffer)
    }

    /// Answers a request of a listener that has no routes. Returns false for one that is decided like those of others: a reload
    /// may have given it routes.
    private func answersByRole(_ exchange: Exchange, _ client: ClientConnection, _ bytes: Span<UInt8>) -> Bool {
        guard client.role == .redirect else {
            if let resource = control.answer(exchange, client, bytes) {
                collect(exchange, for: .administration(resource))
            }
            return true
        }
        guard let redirect = exchange.snapshot.listener(client.listener)?.rules.redirect else {
            client.role = .proxy
            return false
        }
        // Authorities of certificates look here. For all others the path is for the log: the target is passed on as it came.
        let isPlain = ExchangePath.write(exchange, bytes, requestHeaders)
        let path = exchange.path
        if isPlain, exchange.snapshot.policy.routes.answersBeforeRedirect(path.readable) { return false }
        keepForLog(exchange, bytes)
        responder.redirect(exchange, redirect, bytes)
        return true
    }

    /// Runs the steps of a decision up to one for which the exchange must wait.
    func advance(
        _ exchange: Exchange, _ decision: consuming Decision, _ path: Chunk, _ policy: PolicySnapshot, _ buffer: Chunk
    ) {
        let bytes = buffer.readable
        let head = exchange.head
        while true {
            switch decision.advance(
                policy, path: path.readable, bytes: bytes, head: head, headers: requestHeaders)
            {
            case .ask(.credential):
                switch verifyCredential(exchange, decision.route, policy, bytes) {
                case .principal(let principal):
                    decision.principal = principal
                    exchange.principal = decision.principal
                case .none: break
                case .rejected(let reason), .malformed(let reason):
                    responder.deny(exchange, reason, at: .credential, bytes)
                    return
                case .resolve(let effect):
                    exchange.decision = consume decision
                    resolve(effect, exchange)
                    return
                }
            case .ask(.policy), .ask(.trialPolicy):
                switch askPolicy(exchange, decision.route, isTrial: decision.step == .trialPolicy, bytes) {
                case .answered(let answer):
                    if !use(answer, exchange, isTrial: decision.step == .trialPolicy, bytes) { return }
                case .pending(let begin):
                    exchange.decision = consume decision
                    awaitPolicy(begin, exchange)
                    return
                case .refused: return
                }
            case .ask(.trial): exchange.response.trialDenial = decision.trialDenial
            case .ask(.message):
                exchange.decision = consume decision
                return beginMessage(exchange, buffer)
            case .ask(let step):
                if !passes(step, exchange, decision.route, bytes) { return }
            case .deny(let reason):
                responder.deny(exchange, reason, at: decision.step, bytes)
                return
            case .answerPreflight:
                // To another proxy a 204 would mean that it may forward the request; Envoy takes only 200 for that.
                if exchange.forwardAuth?.form == .fields {
                    responder.deny(exchange, .forwardAuthUnsupported, at: .preflight, bytes)
                    return
                }
                responder.answerPreflight(exchange, bytes)
                return
            case .answerIcon:
                // To another proxy a 204 would mean that it may forward the request.
                return exchange.forwardAuth == nil
                    ? responder.answerIcon(exchange) : responder.deny(exchange, .noRoute, at: .method, bytes)
            case .admit:
                admit(exchange, decision.route, buffer)
                return
            }
        }
    }

    /// Begins the step of a message. The decision waits with the exchange meanwhile.
    private func beginMessage(_ exchange: Exchange, _ buffer: Chunk) {
        switch messages.begin(exchange, buffer.readable) {
        case .message: collect(exchange, for: .message)
        case .none:
            guard let decision = exchange.decision.take() else { return }
            advance(exchange, decision, exchange.path, exchange.snapshot.policy, buffer)
        case .refused: break
        }
    }

    /// Runs a step that needs more than the policy. False if the exchange was answered.
    private func passes(
        _ step: Decision.Step, _ exchange: Exchange, _ route: Route?, _ bytes: Span<UInt8>
    ) -> Bool {
        switch step {
        case .tunnel:
            guard exchange.stream?.extendedProtocol != nil else { return true }
            upstreamClient.refuseUpgrade(exchange)
            return false
        case .address:
            if route?.entry.options.addresses?.accepts(exchange.address) != false { return true }
            responder.deny(exchange, .addressNotAllowed, at: step, bytes)
            return false
        case .rate: return rates.admits(exchange, route)
        case .proof: return provesPossession(exchange, route, bytes)
        case .principalRate: return route.map { rates.admitsCaller(exchange, $0) } ?? true
        case .certificate:
            let refusal = takeCertificate(exchange, bytes)
            guard let denial = refusal ?? route?.refusal(of: exchange.snapshot.certificate(of: exchange)) else {
                return true
            }
            responder.deny(exchange, denial, at: step, bytes)
            return false
        case .body:
            guard let limit = exchange.snapshot.bodyLimit(of: route), case .length(let count) = exchange.head.framing,
                count > limit
            else { return true }
            responder.refuseLargeBody(exchange)
            return false
        case .answer:
            if exchange.forwardAuth != nil, case .response(let response)? = route?.entry.answer, response.status < 300 {
                // To another proxy it would mean that it may forward the request.
                responder.deny(exchange, .forwardAuthUnsupported, at: step, bytes)
                return false
            }
            // OMS-09: what was refused is no use of the session.
            exchange.principal?.activity?.use(at: poller.wallSeconds)
            route.map { responder.answer(exchange, $0, bytes) }
            return false
        case .credential, .origin, .preflight, .method, .secondReading, .endpointRules, .caller, .claims, .rights,
            .policy, .trial, .trialPolicy, .message:
            return true
        }
    }

    /// The request is admitted: forwards it to the route's upstream or the endpoint.
    private func admit(_ exchange: Exchange, _ route: Route?, _ buffer: Chunk) {
        guard let route else {
            collect(exchange, for: .endpoint)
            return
        }
        // OMS-09: refused requests do not count as use of the session.
        exchange.principal?.activity?.use(at: poller.wallSeconds)
        inject(exchange, route, buffer)
    }

    /// Keeps the host, and what the access log has of the request.
    @inline(__always)
    private func keepForLog(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        let authority = exchange.head.authority
        exchange.host.ensureFree(Int(authority.count))
        exchange.host.append(bytes.slice(authority))
        if exchange.snapshot.logsUserAgent { keepUserAgent(exchange, bytes) }
    }

    /// Whether the request was protected in transit, or its listener accepts clear-text credentials.
    private func isConfidential(_ exchange: Exchange) -> Bool {
        guard !exchange.isSecure, let client = exchange.client else { return true }
        return exchange.snapshot.listener(client.listener)?.takesClearCredentials == true
    }

    private func verifyCredential(
        _ exchange: Exchange, _ route: Route?, _ policy: PolicySnapshot, _ bytes: Span<UInt8>
    ) -> AuthenticationOutcome {
        exchange.keyEpoch = policy.keyEpoch
        if route?.takesCookies == true { exchange.varies.insert(.cookie) }
        let certificate =
            route?.entry.options.takesCertificates == true ? exchange.snapshot.certificate(of: exchange) : nil
        return policy.authenticate(
            route, bytes: bytes, head: exchange.head, headers: requestHeaders, from: exchange.address,
            secure: exchange.isSecure, certificate: certificate,
            now: poller.wallSeconds, cache: tokenCache)
    }

    /// Continues authentication step by step.
    func resolve(_ effect: Effect<Result<Principal, Reason>>, _ exchange: Exchange) {
        let id = exchange.identity
        switch effect {
        case .done(let result): resolved(exchange, result)
        case .offload(let work):
            blocking.park(exchange, in: .verifyingCredential, shared.computing) { .credential(exchange: id, work()) }
        case .hash(let priority, let work):
            blocking.park(exchange, in: .verifyingCredential, shared.hashes, priority) {
                .credential(exchange: id, work())
            }
        case .await(let begin):
            exchanges.park(exchange, in: .verifyingCredential)
            let mailbox = context.mailbox
            exchange.times.traced { begin { mailbox.post(.credential(exchange: id, $0)) } }
        }
    }

    private func resolved(_ exchange: Exchange, _ result: Result<Principal, Reason>) {
        exchanges.unpark(exchange)
        guard let buffer = exchanges.reread(exchange), var decision = exchange.decision.take() else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        switch result {
        case .success(let principal):
            if let reason = remember(principal, exchange) {
                responder.deny(exchange, reason, at: .credential, buffer.readable)
                return
            }
            decision.principal = principal
            exchange.principal = decision.principal
            advance(exchange, decision, exchange.path, exchange.snapshot.policy, buffer)
        case .failure(let reason): responder.deny(exchange, reason, at: .credential, buffer.readable)
        }
    }

    /// Caches a token resolved elsewhere. Returns why it is refused if it was revoked meanwhile, or that is unknown.
    private func remember(_ principal: Principal, _ exchange: Exchange) -> Reason? {
        let origin = exchange.snapshot
        guard principal.method.isSigned else { return nil }
        // Read before the check: a revocation in between invalidates the cache entry.
        let reading = shared.revocations.reading
        if shared.revocations.isRevoked(principal) { return .tokenRevoked }
        // Under another configuration it may stand for another user, and its verification key may have been removed.
        if let expiresAt = principal.knownUntil ?? principal.expiresAt, expiresAt > 0, !principal.token.isEmpty,
            origin === snapshot, origin.policy.keyEpoch == exchange.keyEpoch
        {
            tokenCache.adopt(generation: origin.policy.generation, keyEpoch: exchange.keyEpoch)
            // The key beside a token counts for this request alone.
            tokenCache.insert(
                principal.token, principal.with(key: nil), expiresAt: expiresAt,
                revocationGeneration: reading.generation)
        }
        return reading.isBlind ? .storeUnavailable : nil
    }

    /// Decides an extended CONNECT (RFC 8441) like the GET that it stands for. False if it was refused.
    private func beginExtendedConnect(_ exchange: Exchange) -> Bool {
        guard let name = exchange.stream?.extendedProtocol, let buffer = exchange.headBuffer else { return false }
        let bytes = buffer.readable
        let webSocket = Upgrade.webSocket
        guard bytesEqualIgnoringCase(bytes.slice(name), webSocket.span) else {
            exchanges.makeRequestID(exchange)
            upstreamClient.refuseUpgrade(exchange)
            return false
        }
        // RFC 9113 section 8.5: there is no body, only tunnelled data.
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

    /// Reads the whole body of a request.
    func collect(_ exchange: Exchange, for use: Exchange.BodyUse) {
        if collector.begin(exchange, use) { bodyCollected(exchange, use) }
    }

    /// The body of a request is complete: continues the request.
    func bodyCollected(_ exchange: Exchange, _ use: Exchange.BodyUse) {
        switch use {
        case .administration(let resource):
            exchange.head.length += exchange.bodySeen
            exchanges.clearClientDeadline(exchange)
            control.call(exchange, resource)
        case .endpoint: if let endpoint = exchange.endpoint { endpoints.enqueue(exchange, endpoint.descriptor) }
        case .upstream:
            exchanges.clearClientDeadline(exchange)
            bodyKept(exchange)
        case .message:
            guard let buffer = messages.judge(exchange), let decision = exchange.decision.take() else { return }
            advance(exchange, decision, exchange.path, exchange.snapshot.policy, buffer)
        }
    }

    /// The deadline of an exchange has passed.
    func timedOut(_ exchange: Exchange) {
        switch exchange.stage {
        case .askingPolicy where exchange.decision?.step == .trialPolicy: trialTimedOut(exchange)
        case .verifyingCredential, .askingPolicy, .awaitingToken, .inEndpoint:
            limited(.decisionTime)
            responder.reply(exchange, .decisionTimeout, "try again later", retryAfter: 1)
        case .collectingBody, .forwarding:
            limited(.bodyRate)
            upstreamClient.requestRelay.timedOut(exchange)
        case .deciding, .tunnelling, .finished: break
        }
    }
}
