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
extension Worker {

    /// Decides about a request whose field lines stand in `requestHeaders`.
    func decide(_ exchange: Exchange, _ client: ClientConnection, _ buffer: Chunk) {
        let bytes = buffer.readable
        let head = exchange.head
        exchanges.takeRequestID(exchange, bytes)
        identifyClient(exchange, client, bytes)
        if client.role != .proxy {
            answerControl(exchange, client, bytes)
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
        case .endpoint(let endpoint): enter(endpoint, exchange, bytes)
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
        if exchange.head.method == .post, exchange.endpoint?.takesForeignForms == true { return true }
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
            park(exchange, in: .resolvingCredential, shared.computing) { .credential(exchange: identity, work()) }
        case .hash(let work):
            park(exchange, in: .resolvingCredential, shared.hashes) { .credential(exchange: identity, work()) }
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
            takeBody(exchange)
        } else if let route = exchange.route, let rewritten = canonicalise(exchange, bytes) {
            let scratch = pathScratch
            let path = rewritten ? scratch.readable : bytes.slice(exchange.head.path)
            authorize(exchange, exchange.snapshot, principal, route, path, buffer)
        }
    }

    /// Keeps a token whose holder somebody had to be asked for. Answers why it is refused where it was revoked in the
    /// meantime, or where nobody knows.
    private func remember(_ principal: Principal, _ exchange: Exchange) -> Reason? {
        let origin = exchange.snapshot
        guard principal.method == .bearer else { return nil }
        // Read first: a revocation that comes in between makes the cache look again.
        let reading = shared.revocations.reading
        if shared.revocations.isRevoked(principal) { return .tokenRevoked }
        // Under another configuration it may stand for somebody else.
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

    // MARK: The upstream's token

    private func inject(
        _ exchange: Exchange, _ snapshot: GatewaySnapshot, _ principal: Principal?, _ route: Route,
        _ path: Span<UInt8>, _ buffer: Chunk
    ) {
        guard let target = snapshot.injections[route.index], let principal else {
            if let rule = route.challengeRule {
                approachWebgate(exchange, route, rule, path, buffer)
            } else {
                upstreamClient.forward(exchange, route, path, buffer)
            }
            return
        }
        exchange.issuedFor = target
        let waiter = IssuedTokenStore.Waiter(worker: context.number, exchange: exchange.identity)
        switch injection.issuedTokens.lookup(principal, target, waiter: waiter, now: poller.wallSeconds) {
        case .hit(let token, let refresh):
            counters.metrics.injectionHits &+= 1
            exchange.issued = token
            if let refresh { injection.issue(refresh, snapshot, leader: nil) }
            upstreamClient.forward(exchange, route, path, buffer)
        case .join:
            counters.metrics.injectionMisses &+= 1
            exchanges.park(exchange, in: .awaitingToken)
        case .lead(let flight):
            counters.metrics.injectionMisses &+= 1
            exchanges.park(exchange, in: .awaitingToken)
            injection.issue(flight, snapshot, leader: waiter)
        case .failed(let failure): responder.refuseWithoutToken(exchange, failure)
        }
    }

    func tokenIssued(_ exchange: Exchange, _ result: Result<IssuedToken, IssueFailure>) {
        exchanges.unpark(exchange)
        if exchange.wasRefused {
            injection.repeatRequest(exchange, result)
            return
        }
        guard let buffer = exchanges.reread(exchange), let route = exchange.route else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        let bytes = buffer.readable
        switch result {
        case .success(let token):
            exchange.issued = token
            if let rewritten = canonicalise(exchange, bytes) {
                let scratch = pathScratch
                let path = rewritten ? scratch.readable : bytes.slice(exchange.head.path)
                upstreamClient.forward(exchange, route, path, buffer)
            }
        case .failure(let failure): responder.refuseWithoutToken(exchange, failure)
        }
    }

    /// An extended CONNECT (RFC 8441) has come: it is decided as the GET that it stands for. Answers false where it was
    /// refused.
    func beginExtendedConnect(_ exchange: Exchange) -> Bool {
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

    // MARK: Upstreams behind a Webgate

    /// Sends a request to an upstream behind a Webgate: with the token that was good last time, and otherwise with none,
    /// to be challenged. A body of moderate length is kept, since the request may have to be repeated.
    func approachWebgate(
        _ exchange: Exchange, _ route: Route, _ rule: UpstreamChallengeRule, _ path: Span<UInt8>, _ buffer: Chunk
    ) {
        if exchange.requestBody.remainingLength.map({ $0 <= rule.maximumKeptBody }) ?? false {
            takeBody(exchange)
            return
        }
        injection.injectKnown(exchange, route)
        // A request that can't be repeated has no use for a challenge where the issuer needs none to answer.
        if exchange.issued == nil, !exchange.requestBody.isComplete, let target = exchange.issuedFor,
            !target.issuer.needsChallenge
        {
            injection.obtainToken(exchange, target, challenge: nil) {
                upstreamClient.forward(exchange, route, path, buffer)
            }
            return
        }
        upstreamClient.forward(exchange, route, path, buffer)
    }

    /// The body that is kept has come: the request goes on.
    func bodyKept(_ exchange: Exchange) {
        guard let buffer = exchanges.reread(exchange), let route = exchange.route,
            let rewritten = canonicalise(exchange, buffer.readable)
        else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        exchange.head.length += exchange.bodySeen
        exchange.requestBody = .empty
        injection.injectKnown(exchange, route)
        let scratch = pathScratch
        let bytes = buffer.readable
        upstreamClient.forward(exchange, route, rewritten ? scratch.readable : bytes.slice(exchange.head.path), buffer)
    }
}
