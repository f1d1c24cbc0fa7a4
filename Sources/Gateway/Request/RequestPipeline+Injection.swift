import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy

/// Obtains the upstream's token and forwards the request.
extension RequestPipeline {
    func inject(_ exchange: Exchange, _ route: Route, _ buffer: Chunk) {
        let snapshot = exchange.snapshot
        if exchange.forwardAuth != nil, let refusal = refusesForwarding(exchange, route, buffer.readable) {
            responder.deny(exchange, refusal, at: .answer, buffer.readable)
            return
        }
        guard !snapshot.injections[route.index].isEmpty, exchange.principal != nil else {
            if let rule = route.entry.options.challengeRule {
                approachWebgate(exchange, route, rule, buffer)
            } else {
                upstreamClient.forward(exchange, route, buffer)
            }
            return
        }
        injection.obtainTokens(exchange, route, buffer) { upstreamClient.forward(exchange, route, buffer) }
    }

    /// A token that the exchange waits for has been issued, or its issuer has failed. The first failure is answered;
    /// otherwise the last token continues the request.
    func tokenIssued(
        _ exchange: Exchange, _ use: Exchange.TokenUse, _ target: InjectionTarget,
        _ result: Result<IssuedToken, IssueFailure>
    ) {
        if case .success(let token) = result, !injection.accept(token, of: target, exchange) { return }
        exchanges.unpark(exchange)
        if use == .repetition {
            injection.repeatRequest(exchange, result)
            return
        }
        guard let buffer = exchanges.reread(exchange), let route = exchange.route else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        switch result {
        case .success: upstreamClient.forward(exchange, route, buffer)
        case .failure(let failure): responder.refuseWithoutToken(exchange, failure, buffer: buffer)
        }
    }

    // MARK: Upstreams behind a Webgate

    /// Sends a request to an upstream behind a Webgate: with the last valid token, or without one to provoke a
    /// challenge. A body of moderate size is kept, since the request may have to be repeated.
    func approachWebgate(
        _ exchange: Exchange, _ route: Route, _ rule: UpstreamChallengeRule, _ buffer: Chunk
    ) {
        if exchange.requestBody.remainingLength.map({ $0 <= rule.maximumKeptBody }) ?? false {
            collect(exchange, for: .upstream)
            return
        }
        injection.injectKnown(exchange, route)
        // If the request cannot be repeated and the issuer needs no challenge, get the token in advance.
        if exchange.token.issued == nil, !exchange.requestBody.isComplete, let target = exchange.token.target,
            !target.issuer.needsChallenge
        {
            injection.obtainToken(exchange, target, challenge: nil) {
                upstreamClient.forward(exchange, route, buffer)
            }
            return
        }
        upstreamClient.forward(exchange, route, buffer)
    }

    /// The kept body is complete: continues the request.
    func bodyKept(_ exchange: Exchange) {
        guard let buffer = exchanges.reread(exchange), let route = exchange.route else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        exchange.head.length += exchange.bodySeen
        exchange.requestBody = .empty
        injection.injectKnown(exchange, route)
        upstreamClient.forward(exchange, route, buffer)
    }
}
