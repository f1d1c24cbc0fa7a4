import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor

/// Manages the upstream's token: obtains it, replaces it if the upstream refuses it with 401, or requests it in answer
/// to a Webgate's challenge. The request is then repeated (CACHE-08).
final class TokenInjection: LoopPart {
    let issuedTokens: WorkerTokenCache
    let exchanges: ExchangeTable
    let responder: Responder
    private let connections: UpstreamConnections
    let upstreamClient: UpstreamClient

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ responder: Responder, _ upstreamClient: UpstreamClient
    ) {
        issuedTokens = WorkerTokenCache(store: context.shared.issuedTokens)
        self.exchanges = exchanges
        self.responder = responder
        self.upstreamClient = upstreamClient
        connections = upstreamClient.connections
        super.init(context)
    }

    func injectKnown(_ exchange: Exchange, _ route: Route) {
        guard let principal = exchange.principal,
            let target = exchange.snapshot.upstreamWebgates(of: route)?.last
        else { return }
        exchange.token.target = target
        exchange.token.issued = issuedTokens.find(principal, target, now: poller.wallSeconds)
        if exchange.token.issued == nil {
            counters.metrics.injectionMisses &+= 1
        } else {
            counters.metrics.injectionHits &+= 1
        }
    }

    // MARK: The refusal

    /// The upstream answered 401. False to pass the response to the client.
    func answerRefusal(
        _ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ buffer: Chunk
    ) -> Bool {
        guard let route = exchange.route, let principal = exchange.principal, exchange.tunnel == nil,
            let chunk = exchange.sent.chunk
        else { return false }
        chunk.rewind(to: exchange.sent.length)
        let challenge =
            route.entry.options.challengeRule == nil ? nil : self.challenge(buffer.readable, chunk.readable, upstream)
        var target = exchange.token.target
        if challenge == nil, !exchange.snapshot.injections[route.index].isEmpty {
            return answerRefusal(upstream, exchange, principal, route, head, buffer)
        }
        if challenge != nil, !isOwnHost(of: chunk.readable, exchange) {
            giveUp(upstream, exchange, head, buffer)
            responder.reply(exchange, .unknownHost, "the gateway does not have this name")
            return true
        }
        if let challenge {
            target = place(of: challenge.webgate, exchange, route)
            if target == nil {
                giveUp(upstream, exchange, head, buffer)
                refuseUpstream(exchange)
                return true
            }
        }
        guard let target, challenge != nil || exchange.token.issued != nil else { return false }
        let mayHaveAnother = refuseToken(exchange, principal, target)
        let isSpent =
            exchange.token.wasRefused || !mayHaveAnother || route.injections.first?.retriesOnUnauthorized != true
        guard !isSpent, isRepeatable(exchange) else {
            if challenge == nil { return false }
            giveUp(upstream, exchange, head, buffer)
            if isSpent {
                refuseUpstream(exchange)
            } else {
                obtainTokenForOthers(exchange, principal, target, challenge)
                responder.reply(
                    exchange, .upstreamAuthRequired,
                    "the upstream wants a token, and the request is too long to be repeated", retryAfter: 1)
            }
            return true
        }
        giveUp(upstream, exchange, head, buffer)
        exchange.token.wasRefused = true
        exchange.token.target = target
        exchange.token.issued = nil
        obtainToken(exchange, target, challenge: challenge) { repeatRequest(exchange) }
        return true
    }

    /// The upstream refuses the request without saying which token it means: all of them are replaced whose rules want
    /// that. False to pass the response to the client.
    private func answerRefusal(
        _ upstream: UpstreamConnection, _ exchange: Exchange, _ principal: Principal, _ route: Route,
        _ head: ResponseHead, _ buffer: Chunk
    ) -> Bool {
        let targets = exchange.snapshot.injections[route.index]
        guard exchange.token.issued != nil else { return false }
        var replaced: [Int] = []
        for place in route.injections.indices {
            guard let token = exchange.token[place] else { continue }
            let target = targets[place]
            let key = InjectionKey(principal: principal, target: target)
            let mayHaveAnother = shared.issuedTokens.refuse(token, for: key, now: poller.wallSeconds)
            if mayHaveAnother, route.injections[place].retriesOnUnauthorized { replaced.append(place) }
        }
        guard !replaced.isEmpty, !exchange.token.wasRefused, isRepeatable(exchange) else { return false }
        giveUp(upstream, exchange, head, buffer)
        exchange.token.wasRefused = true
        for place in replaced { keep(nil, at: place, of: exchange) }
        obtainTokens(exchange, route) { repeatRequest(exchange) }
        return true
    }

    /// The target of tokens for a Webgate; nil if its challenges are not answered.
    private func place(of webgate: String, _ exchange: Exchange, _ route: Route) -> InjectionTarget? {
        guard route.entry.options.challengeRule?.answers(webgate: webgate) == true else { return nil }
        guard let (target, hasEvicted) = exchange.snapshot.upstreamWebgates(of: route)?.target(of: webgate) else {
            return nil
        }
        if hasEvicted { counters.metrics.webgateEvictions &+= 1 }
        return target
    }

    /// Whether the host of the challenged resource is configured. A token server receives it, so a client must not
    /// choose it by `Host`.
    private func isOwnHost(of request: Span<UInt8>, _ exchange: Exchange) -> Bool {
        // The upstream was sent its own or a configured host.
        if exchange.head.authority.isEmpty || exchange.route?.host.isEmpty == false { return true }
        return exchange.snapshot.names.include(authority: String(copying: RequestText.host(request)))
    }

    private func refuseUpstream(_ exchange: Exchange) {
        responder.reply(exchange, .upstreamAuthFailed, "the upstream accepts no token of the issuer")
    }

    /// Removes the refused token of this target. False if a new one would be refused as well.
    private func refuseToken(_ exchange: Exchange, _ principal: Principal, _ target: InjectionTarget) -> Bool {
        guard let token = exchange.token.issued, exchange.token.target?.isSamePlace(as: target) == true else {
            return true
        }
        let key = InjectionKey(principal: principal, target: target)
        return shared.issuedTokens.refuse(token, for: key, now: poller.wallSeconds)
    }

    /// Whether the whole request is still available.
    private func isRepeatable(_ exchange: Exchange) -> Bool {
        exchange.requestBody.isComplete && exchange.requestBody.passed == 0
    }

    /// The challenge of the upstream's Webgate; nil for other responses.
    ///
    /// - Parameters:
    ///   - bytes: the buffer of `responseHeaders`.
    ///   - request: the head that was sent.
    private func challenge(
        _ bytes: Span<UInt8>, _ request: Span<UInt8>, _ upstream: UpstreamConnection
    ) -> UpstreamChallenge? {
        for i in 0..<responseHeaders.count where responseHeaders[i].token == .wwwAuthenticate {
            guard let challenge = WebgateChallenge.parse(bytes.slice(responseHeaders[i].value)) else { continue }
            let target = RequestText.word(request, from: RequestText.word(request, from: 0).count + 1)
            var resource = ((upstream.session?.socket ?? upstream.socket)?.scheme ?? []) + Array("://".utf8)
            resource.append(copying: RequestText.host(request))
            resource.append(copying: target)
            return UpstreamChallenge(
                webgate: challenge.webgate, requestContext: Array(challenge.context.utf8),
                resource: String(decoding: resource, as: UTF8.self))
        }
        return nil
    }

    /// Releases the upstream connection, which is kept if the response was read completely.
    private func giveUp(_ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ buffer: Chunk) {
        upstreamClient.noteAnswer(exchange, status: head.status)
        let length: Int? =
            switch head.framing {
            case .none: 0
            case .length(let count): count
            case .chunked, .untilClose: nil
            }
        guard upstream.session == nil, let length, buffer.count == head.length + length else {
            connections.drop(exchange)
            return
        }
        buffer.consume(buffer.count)
        upstream.keepAlive = head.keepAlive
        exchange.upstream = nil
        upstream.exchange = nil
        upstream.served += 1
        upstream.server?.ended()
        connections.release(upstream, requestComplete: exchange.requestBody.isComplete)
    }

    // MARK: Another token

    /// Obtains the tokens of the route that the exchange lacks, all at the same time.
    ///
    /// - Parameter go: continues with immediate tokens. Later ones arrive at `tokenIssued`.
    func obtainTokens(_ exchange: Exchange, _ route: Route, _ buffer: Chunk? = nil, _ go: () -> Void) {
        guard let principal = exchange.principal else { return }
        let snapshot = exchange.snapshot
        let waiter = IssuedTokenStore.Waiter(worker: context.number, exchange: exchange.identity)
        var isMissing = false
        for place in snapshot.injections[route.index].indices where exchange.token[place] == nil {
            let target = snapshot.injections[route.index][place]
            if target.isForLogins, principal.loginRecord == nil {
                keep(IssuedToken.none, at: place, of: exchange)
                continue
            }
            // Two fields with the token of one issuer: the exchange is in line for it already.
            if place > 0, let same = snapshot.injections[route.index][..<place].firstIndex(where: { $0 === target }) {
                keep(exchange.token[same], at: place, of: exchange)
                continue
            }
            switch issuedTokens.lookup(principal, target, waiter: waiter, now: poller.wallSeconds) {
            case .hit(let token, let refresh):
                counters.metrics.injectionHits &+= 1
                keep(token, at: place, of: exchange)
                if let refresh { issue(refresh, snapshot, leader: nil) }
            case .join:
                counters.metrics.injectionMisses &+= 1
                isMissing = true
            case .lead(let flight):
                counters.metrics.injectionMisses &+= 1
                isMissing = true
                exchange.times.traced { issue(flight, snapshot, leader: waiter) }
            case .failed(let failure):
                responder.refuseWithoutToken(exchange, failure, buffer: buffer)
                return
            }
        }
        guard isMissing else { return go() }
        exchanges.park(exchange, in: .awaitingToken(exchange.token.wasRefused ? .repetition : .firstAttempt))
    }

    /// Keeps the token of a rule by its place in the route's list. The list is moved out meanwhile, as in
    /// `Exchange.collect`.
    private func keep(_ issued: IssuedToken?, at place: Int, of exchange: Exchange) {
        var tokens = exchange.token
        exchange.token = UpstreamToken()
        tokens[place] = issued
        exchange.token = tokens
    }

    /// Keeps a token that was waited for. False if others are missing.
    func accept(_ token: IssuedToken, of target: InjectionTarget, _ exchange: Exchange) -> Bool {
        guard let route = exchange.route, !exchange.snapshot.injections[route.index].isEmpty else {
            exchange.token.issued = token
            return true
        }
        let targets = exchange.snapshot.injections[route.index]
        for place in targets.indices where exchange.token[place] == nil && targets[place].isSamePlace(as: target) {
            keep(token, at: place, of: exchange)
        }
        return exchange.token.isComplete(targets.count)
    }

    /// Obtains a token for this target, immediately or later.
    ///
    /// - Parameter go: continues with an immediate token. A later one arrives at `tokenIssued`.
    func obtainToken(
        _ exchange: Exchange, _ target: InjectionTarget, challenge: UpstreamChallenge?, _ go: () -> Void
    ) {
        guard let principal = exchange.principal else { return }
        let waiter = IssuedTokenStore.Waiter(worker: context.number, exchange: exchange.identity)
        let use = exchange.token.wasRefused ? Exchange.TokenUse.repetition : .firstAttempt
        switch issuedTokens.lookup(principal, target, waiter: waiter, now: poller.wallSeconds) {
        case .hit(let token, let refresh):
            exchange.token.issued = token
            if let refresh { issue(refresh, exchange.snapshot, leader: nil, challenge: challenge) }
            go()
        case .join: exchanges.park(exchange, in: .awaitingToken(use))
        case .lead(let flight):
            exchanges.park(exchange, in: .awaitingToken(use))
            issue(flight, exchange.snapshot, leader: waiter, challenge: challenge)
        case .failed(let failure): responder.refuseWithoutToken(exchange, failure)
        }
    }

    /// Obtains a token that this exchange cannot wait for, for the client's next request.
    private func obtainTokenForOthers(
        _ exchange: Exchange, _ principal: Principal, _ target: InjectionTarget, _ challenge: UpstreamChallenge?
    ) {
        let unparked = IssuedTokenStore.Waiter(worker: context.number, exchange: .max)
        let answer = issuedTokens.lookup(principal, target, waiter: unparked, now: poller.wallSeconds)
        switch answer {
        case .lead(let flight): issue(flight, exchange.snapshot, leader: nil, challenge: challenge)
        case .hit(_, let refresh?): issue(refresh, exchange.snapshot, leader: nil, challenge: challenge)
        case .hit, .join, .failed: break
        }
    }

    /// Repeats the request with the new token, or answers the failure.
    func repeatRequest(_ exchange: Exchange, _ result: Result<IssuedToken, IssueFailure>) {
        switch result {
        case .success: repeatRequest(exchange)
        case .failure(let failure): responder.refuseWithoutToken(exchange, failure)
        }
    }

    private func repeatRequest(_ exchange: Exchange) {
        guard exchange.token.issued != nil, let injections = exchange.route?.injections, let server = exchange.server,
            let old = exchange.sent.chunk
        else { return }
        let chunk = poller.chunks.take()
        old.rewind(to: exchange.sent.length)
        HeaderRewrite.request(old.readable, with: exchange.token, injections, into: chunk)
        old.isHeld = false
        poller.chunks.give(old)
        chunk.isHeld = true
        exchange.sent.chunk = chunk
        exchange.sent.length = chunk.count
        exchange.enter(.forwarding)
        exchange.decisionDeadline = .max
        exchange.sent.mayReplay = exchange.head.method.isIdempotent
        exchange.attempt.wasReplayed = false
        counters.metrics.upstreamRetries &+= 1
        upstreamClient.connect(exchange, server)
    }

    /// Makes the call of a flight. All waiting exchanges get a message, including the leader.
    func issue(
        _ flight: IssuedTokenStore.Flight, _ snapshot: GatewaySnapshot, leader: IssuedTokenStore.Waiter?,
        challenge: UpstreamChallenge? = nil
    ) {
        let key = flight.key
        let request = IssueRequest(
            principal: key.principal, client: snapshot.client(of: key.principal), webgate: key.target.webgate,
            previous: flight.previous, challenge: challenge, selection: snapshot.policy.claims)
        shared.settle(flight, key.target.issuer.issue(request, now: poller.wallSeconds), leader: leader)
    }
}
