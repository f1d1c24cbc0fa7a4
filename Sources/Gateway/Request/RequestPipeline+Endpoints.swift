import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor

/// Requests for the gateway's own endpoints.
extension RequestPipeline {
    /// A request for an endpoint, cross-site rules passed.
    func enter(_ endpoint: EndpointDescriptor, _ exchange: Exchange, _ bytes: Span<UInt8>) {
        // Its client would take any 2xx for a tunnel (RFC 8441 section 4).
        if exchange.stream?.extendedProtocol != nil {
            upstreamClient.refuseUpgrade(exchange)
            return
        }
        guard passesEndpointLimits(exchange) else { return }
        if endpoint.traits.contains(.takesCredentials), !isFitForCredentials(exchange) {
            responder.deny(exchange, .tlsRequired, bytes)
            return
        }
        if endpoint.servesPages(to: requestHeaders),
            !exchange.snapshot.policy.mayUseForms(exchange.head, requestHeaders, bytes)
        {
            responder.deny(exchange, .crossSiteRequest, bytes)
            return
        }
        guard endpoint.traits.contains(.needsPrincipal) else {
            if collector.begin(exchange) { bodyCollected(exchange) }
            return
        }
        exchange.keyEpoch = exchange.snapshot.policy.keyEpoch
        let outcome = exchange.snapshot.policy.authenticate(
            nil, bytes: bytes, headers: requestHeaders, from: exchange.address, now: poller.wallSeconds,
            cache: tokenCache)
        switch outcome {
        case .principal(let principal):
            exchange.principal = principal
            if collector.begin(exchange) { bodyCollected(exchange) }
        case .none: responder.deny(exchange, .missingCredential, bytes)
        case .rejected(let reason), .malformed(let reason): responder.deny(exchange, reason, bytes)
        case .resolve(let effect): resolve(effect, exchange)
        }
    }

    /// Whether nobody on the way could have read the request (GW-13): it came over TLS, as the gateway sees itself or as
    /// a trusted proxy says, or by a listener that takes credentials in the clear.
    private func isFitForCredentials(_ exchange: Exchange) -> Bool {
        guard !exchange.isSecure, let client = exchange.client else { return true }
        return exchange.snapshot.listener(client.listener)?.takesClearCredentials == true
    }
}

extension EndpointDescriptor {
    /// Whether it answers with a page, or to a form: not to clients that show a token.
    fileprivate func servesPages(to headers: HeaderTable) -> Bool {
        traits.contains(.servesPages)
            || traits.contains(.servesPagesWithoutToken) && headers.occurrences(.authorization) == 0
    }
}
