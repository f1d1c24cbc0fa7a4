import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor

/// What comes of an upstream's 401. A token that it takes no longer is replaced, and a challenge of the Webgate that it is
/// behind is answered; then the request goes there once more (CACHE-08).
extension Worker {
    // MARK: Before the first try

    /// Sends a request to an upstream behind a Webgate: with the token that was good last time, and otherwise with none,
    /// to be challenged. A body of moderate length is kept, since the request may have to be repeated.
    func approachWebgate(
        _ exchange: Exchange, _ route: Route, _ rule: UpstreamChallengeRule, _ path: Span<UInt8>, _ buffer: Chunk
    ) {
        if exchange.requestBody.remainingLength.map({ $0 <= rule.maximumKeptBody }) ?? false {
            takeBody(exchange)
            return
        }
        injectKnown(exchange, route)
        // A request that can't be repeated has no use for a challenge where the issuer needs none to answer.
        if exchange.issued == nil, !exchange.requestBody.isComplete, let target = exchange.issuedFor,
            !target.issuer.needsChallenge
        {
            obtainToken(exchange, target, challenge: nil) { forward(exchange, route, path, buffer) }
            return
        }
        forward(exchange, route, path, buffer)
    }

    /// The body that is kept has come: the request goes on.
    func bodyKept(_ exchange: Exchange) {
        guard let buffer = reread(exchange), let route = exchange.route,
            let rewritten = canonicalise(exchange, buffer.readable)
        else {
            abandon(exchange, reason: .clientClosed)
            return
        }
        exchange.head.length += exchange.bodySeen
        exchange.requestBody = .empty
        injectKnown(exchange, route)
        let scratch = pathScratch
        let bytes = buffer.readable
        forward(exchange, route, rewritten ? scratch.readable : bytes.slice(exchange.head.path), buffer)
    }

    private func injectKnown(_ exchange: Exchange, _ route: Route) {
        guard let principal = exchange.principal,
            let target = exchange.snapshot.upstreamWebgates(of: route)?.last
        else { return }
        exchange.issuedFor = target
        exchange.issued = issuedTokens.find(principal, target, now: poller.wallSeconds)
        if exchange.issued == nil { metrics.injectionMisses &+= 1 } else { metrics.injectionHits &+= 1 }
    }

    /// Sends the body that was kept, behind the head.
    func sendKeptBody(_ exchange: Exchange, to side: Side) {
        let body = exchange.collected
        let chunk = poller.chunks.take()
        chunk.ensureFree(body.count)
        chunk.append(body)
        send(chunk, to: side)
        endMessage(to: side, trailers: [])
    }

    // MARK: The refusal

    /// The upstream says 401. Answers false where that is for the client.
    func answerRefusal(
        _ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ buffer: Chunk
    ) -> Bool {
        guard let route = exchange.route, let principal = exchange.principal, exchange.tunnel == nil,
            let chunk = exchange.requestChunk
        else { return false }
        chunk.rewind(to: exchange.requestLength)
        let challenge = route.challengeRule == nil ? nil : self.challenge(buffer.readable, chunk.readable, upstream)
        var target = exchange.issuedFor
        if challenge != nil, !isOwnHost(of: chunk.readable, exchange) {
            giveUp(upstream, exchange, head, buffer)
            reply(exchange, status: 421, reason: .unknownHost, detail: "the gateway does not have this name")
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
        guard let target, challenge != nil || exchange.issued != nil else { return false }
        let mayHaveAnother = refuseToken(exchange, principal, target)
        let isSpent = exchange.wasRefused || !mayHaveAnother || route.injection?.retriesOnUnauthorized != true
        guard !isSpent, isRepeatable(exchange) else {
            if challenge == nil { return false }
            giveUp(upstream, exchange, head, buffer)
            if isSpent {
                refuseUpstream(exchange)
            } else {
                obtainTokenForOthers(exchange, principal, target, challenge)
                reply(
                    exchange, status: 503, reason: .upstreamAuthRequired,
                    detail: "the upstream wants a token, and the request is too long to be repeated", retryAfter: 1)
            }
            return true
        }
        giveUp(upstream, exchange, head, buffer)
        exchange.wasRefused = true
        exchange.issuedFor = target
        exchange.issued = nil
        obtainToken(exchange, target, challenge: challenge) { repeatRequest(exchange) }
        return true
    }

    /// The place of tokens for a Webgate; nil for one whose challenges are not answered.
    private func place(of webgate: String, _ exchange: Exchange, _ route: Route) -> InjectionTarget? {
        guard route.challengeRule?.answers(webgate: webgate) == true else { return nil }
        guard let (target, hasEvicted) = exchange.snapshot.upstreamWebgates(of: route)?.target(of: webgate) else {
            return nil
        }
        if hasEvicted { metrics.webgateEvictions &+= 1 }
        return target
    }

    /// Whether the resource that was challenged has a host that this gateway is known by. The upstream was sent the client's
    /// `Host`, and a token server would be told of it as the place of the resource: that is not for clients to choose.
    private func isOwnHost(of request: Span<UInt8>, _ exchange: Exchange) -> Bool {
        // Without a `Host` of the client's the upstream was sent its own.
        if exchange.head.authority.isEmpty { return true }
        return exchange.snapshot.names.include(authority: String(copying: RequestText.host(request)))
    }

    private func refuseUpstream(_ exchange: Exchange) {
        reply(
            exchange, status: 502, reason: .upstreamAuthFailed,
            detail: "the upstream takes no token that is to be had")
    }

    /// Forgets the token that was refused at this place. Answers false where a new one would be refused as well.
    private func refuseToken(_ exchange: Exchange, _ principal: Principal, _ target: InjectionTarget) -> Bool {
        guard let token = exchange.issued, exchange.issuedFor?.isSamePlace(as: target) == true else { return true }
        let key = InjectionKey(principal: principal, target: target)
        return shared.issuedTokens.refuse(token, for: key, now: poller.wallSeconds)
    }

    /// Whether all of the request is at hand still.
    private func isRepeatable(_ exchange: Exchange) -> Bool {
        exchange.requestBody.isComplete && exchange.requestBody.passed == 0
    }

    /// What the upstream's Webgate asks for; nil where it is no challenge of a Webgate.
    ///
    /// - Parameters:
    ///   - bytes: the buffer of `responseHeaders`.
    ///   - request: the head that was sent.
    private func challenge(
        _ bytes: Span<UInt8>, _ request: Span<UInt8>, _ upstream: UpstreamConnection
    ) -> UpstreamChallenge? {
        for i in 0..<responseHeaders.count where responseHeaders[i].token == .wwwAuthenticate {
            guard let challenge = OAMChallenge.parse(bytes.slice(responseHeaders[i].value)) else { continue }
            let target = RequestText.word(request, from: RequestText.word(request, from: 0).count + 1)
            var resource = Worker.scheme(upstream.session?.socket ?? upstream.socket) + Array("://".utf8)
            resource.append(copying: RequestText.host(request))
            resource.append(copying: target)
            return UpstreamChallenge(
                webgate: challenge.webgate, requestContext: Array(challenge.context.utf8),
                resource: String(decoding: resource, as: UTF8.self))
        }
        return nil
    }

    /// Takes the exchange off its upstream connection, which lives on where nothing of the answer is still to come.
    private func giveUp(_ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ buffer: Chunk) {
        noteAnswer(exchange, status: head.status)
        let length: Int? =
            switch head.framing {
            case .none: 0
            case .length(let count): count
            case .chunked, .untilClose: nil
            }
        guard upstream.session == nil, let length, buffer.count == head.length + length else {
            dropUpstream(exchange)
            return
        }
        buffer.consume(buffer.count)
        upstream.keepAlive = head.keepAlive
        exchange.upstream = nil
        upstream.exchange = nil
        upstream.served += 1
        upstream.server?.ended()
        release(upstream, requestComplete: exchange.requestBody.isComplete)
    }

    // MARK: Another token

    /// Has a token for this place, at once or later.
    ///
    /// - Parameter go: what is done with one that is there. One that comes later is a matter of `tokenIssued`.
    private func obtainToken(
        _ exchange: Exchange, _ target: InjectionTarget, challenge: UpstreamChallenge?, _ go: () -> Void
    ) {
        guard let principal = exchange.principal else { return }
        let waiter = IssuedTokenStore.Waiter(worker: number, exchange: exchange.identity)
        switch issuedTokens.lookup(principal, target, waiter: waiter, now: poller.wallSeconds) {
        case .hit(let token, let refresh):
            exchange.issued = token
            if let refresh { issue(refresh, exchange.snapshot, leader: nil, challenge: challenge) }
            go()
        case .join: park(exchange, in: .awaitingToken)
        case .lead(let flight):
            park(exchange, in: .awaitingToken)
            issue(flight, exchange.snapshot, leader: waiter, challenge: challenge)
        case .failed(let failure): refuseWithoutToken(exchange, failure)
        }
    }

    /// Has a token made that this exchange can't wait for, and that the client's next request finds.
    private func obtainTokenForOthers(
        _ exchange: Exchange, _ principal: Principal, _ target: InjectionTarget, _ challenge: UpstreamChallenge?
    ) {
        let nobody = IssuedTokenStore.Waiter(worker: number, exchange: .max)
        let answer = issuedTokens.lookup(principal, target, waiter: nobody, now: poller.wallSeconds)
        switch answer {
        case .lead(let flight): issue(flight, exchange.snapshot, leader: nil, challenge: challenge)
        case .hit(_, let refresh?): issue(refresh, exchange.snapshot, leader: nil, challenge: challenge)
        case .hit, .join, .failed: break
        }
    }

    /// The token has come that the request is to be repeated with, or has not.
    func repeatRequest(_ exchange: Exchange, _ result: Result<IssuedToken, IssueFailure>) {
        switch result {
        case .success(let token):
            exchange.issued = token
            repeatRequest(exchange)
        case .failure(let failure): refuseWithoutToken(exchange, failure)
        }
    }

    private func repeatRequest(_ exchange: Exchange) {
        guard let token = exchange.issued, let injection = exchange.route?.injection, let server = exchange.server,
            let old = exchange.requestChunk
        else { return }
        let chunk = poller.chunks.take()
        old.rewind(to: exchange.requestLength)
        HeaderRewrite.request(old.readable, with: token, injection, into: chunk)
        old.isHeld = false
        poller.chunks.give(old)
        chunk.isHeld = true
        exchange.requestChunk = chunk
        exchange.requestLength = chunk.count
        exchange.stage = .forwarding
        exchange.decisionDeadline = .max
        exchange.mayReplay = exchange.head.method.isIdempotent
        exchange.attempt.wasReplayed = false
        metrics.upstreamRetries &+= 1
        connect(exchange, server)
    }
}
