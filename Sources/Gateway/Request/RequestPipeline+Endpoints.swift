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
        let policy = exchange.snapshot.policy
        let denial = policy.screen(
            endpoint, bytes: bytes, head: exchange.head, headers: requestHeaders,
            isConfidential: isConfidential(exchange))
        if let denial {
            responder.deny(exchange, denial, bytes)
            return
        }
        guard endpoint.traits.contains(.needsPrincipal) else {
            if collector.begin(exchange) { bodyCollected(exchange) }
            return
        }
        exchange.keyEpoch = policy.keyEpoch
        let outcome = policy.authenticate(
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

    /// Whether none on the way could have read the request, or its listener takes credentials in the clear.
    private func isConfidential(_ exchange: Exchange) -> Bool {
        guard !exchange.isSecure, let client = exchange.client else { return true }
        return exchange.snapshot.listener(client.listener)?.takesClearCredentials == true
    }
}
