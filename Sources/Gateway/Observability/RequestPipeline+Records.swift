import Bytes
import HTTP
import Model

/// What the access log and the spans keep of a request.
extension RequestPipeline {
    func keepUserAgent(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        guard counters.accessLog != nil, let value = requestHeaders.value(.userAgent) else { return }
        let agent = Chunk(capacity: AccessLog.longestUserAgent)
        agent.append(bytes.slice(value).extracting(first: AccessLog.longestUserAgent))
        exchange.userAgent = agent
    }

    /// Begins the spans of a request. Whose trace is continued is configured: others could have every request sampled.
    func beginTrace(_ exchange: Exchange, _ client: ClientConnection, _ tracer: Tracer, _ bytes: Span<UInt8>) {
        guard client.role == .proxy || client.role == .forwardAuth else { return }
        let trusts: Bool =
            switch tracer.settings.parent {
            case .all: true
            case .none: false
            case .trustedProxies: client.address.map(exchange.snapshot.proxies.contains) ?? false
            }
        exchange.times.trace = RequestTrace(tracer, trusts: trusts, requestHeaders, bytes)
    }
}
