import Bytes
import HTTP
import Identity
import Issuers
import Policy
import Reactor

/// An upstream that refuses the token which the gateway has put in: that one is forgotten, and the request is sent once
/// more with another, where nothing of it is lost. A second refusal is the client's.
extension Worker {
    /// Answers whether the exchange goes on with another token, its upstream's 401 dropped. A request that was refused for
    /// its credential has done nothing, whatever its method (RFC 9110 section 15.5.2).
    func replaceToken(_ exchange: Exchange) -> Bool {
        guard let token = exchange.issued, let route = exchange.route, let principal = exchange.principal,
            let target = exchange.snapshot.injections[route.index]
        else { return false }
        let key = InjectionKey(principal: principal, target: target)
        guard shared.issuedTokens.refuse(token, for: key, now: poller.wallSeconds),
            route.injection?.retriesOnUnauthorized == true, !exchange.attempt.hadTokenReplaced,
            exchange.tunnel == nil, hasNoBody(exchange), exchange.requestChunk != nil
        else { return false }
        noteAnswer(exchange, status: 401)
        exchange.attempt.hadTokenReplaced = true
        metrics.upstreamRetries &+= 1
        dropUpstream(exchange)
        let waiter = IssuedTokenStore.Waiter(worker: number, exchange: exchange.identity)
        switch issuedTokens.lookup(principal, target, waiter: waiter, now: poller.wallSeconds) {
        case .hit(let token, let refresh):
            if let refresh { issue(refresh, exchange.snapshot, leader: nil) }
            resend(exchange, with: token)
        case .join: park(exchange, in: .awaitingToken)
        case .lead(let flight):
            park(exchange, in: .awaitingToken)
            issue(flight, exchange.snapshot, leader: waiter)
        case .failed(let failure): refuseWithoutToken(exchange, failure)
        }
        return true
    }

    /// What has been relayed of a body is nowhere any more.
    private func hasNoBody(_ exchange: Exchange) -> Bool {
        switch exchange.head.framing {
        case .none, .length(0): true
        case .length, .chunked, .untilClose: false
        }
    }

    /// Sends the request to its server with another token in the place of the old one.
    func resend(_ exchange: Exchange, with token: IssuedToken) {
        guard let old = exchange.requestChunk, let refused = exchange.issued, let server = exchange.server else {
            return
        }
        old.rewind(to: exchange.requestLength)
        let head = old.readable
        let chunk = poller.chunks.take()
        chunk.ensureFree(head.count + token.value.count)
        chunk.append(head.extracting(0..<exchange.tokenOffset))
        chunk.append(token.value)
        chunk.append(head.extracting((exchange.tokenOffset + refused.value.count)...))
        old.isHeld = false
        poller.chunks.give(old)
        chunk.isHeld = true
        exchange.requestChunk = chunk
        exchange.requestLength = chunk.count
        exchange.issued = token
        exchange.stage = .forwarding
        exchange.decisionDeadline = .max
        exchange.mayReplay = exchange.head.method.isIdempotent
        connect(exchange, server)
    }
}
