import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor

/// The way of requests to the servers of upstreams: admission, queue, choice, connection, head, further attempts.
final class UpstreamClient: LoopPart {
    let groups: UpstreamGroups
    let connections: UpstreamConnections
    let requestRelay: RequestRelay
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ groups: UpstreamGroups,
        _ connections: UpstreamConnections, _ frontend: ClientFrontend, _ responder: Responder
    ) {
        self.exchanges = exchanges
        self.groups = groups
        self.connections = connections
        self.frontend = frontend
        self.responder = responder
        requestRelay = RequestRelay(context, exchanges, responder)
        super.init(context)
    }

    /// Writes the request for the upstream and sends it as soon as there is a connection.
    ///
    /// - Parameter buffer: where the head stands, which is consumed.
    func forward(_ exchange: Exchange, _ route: Route, _ buffer: Chunk) {
        let bytes = buffer.readable
        let path = exchange.path
        if exchange.head.upgrade, !prepareUpgrade(exchange, route, bytes) { return }
        let chunk = poller.chunks.take()
        HeaderRewrite.request(
            exchange, path: path.readable, bytes: bytes, headers: requestHeaders,
            authority: exchange.snapshot.upstreams[route.upstream].authority,
            http2: exchange.snapshot.upstreams[route.upstream].settings.http2 && exchange.tunnel == nil, into: chunk)
        exchange.enter(.forwarding)
        exchange.decisionDeadline = .max
        if route.injection != nil || route.requestFields != nil || !exchange.snapshot.managedNames.isStandard {
            exchange.requestBody.forwardsTrailers = false
        }
        exchange.times.forwardedAt = Clock.monotonicMicroseconds
        exchange.response.timeout = route.options.responseTimeout ?? 0
        exchange.sent.mayReplay = exchange.head.method.isIdempotent && exchange.requestBody.isComplete
        exchange.sent.chunk = chunk
        exchange.sent.length = chunk.count
        chunk.isHeld = true
        buffer.consume(exchange.head.length)
        exchange.head.length = 0
        let group = groups.of(exchange, route)
        exchange.group = group
        if group.hashesKeys { exchange.attempt.place = place(group.settings.balance, exchange, bytes) }
        start(exchange, group)
    }

    func connected(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange else {
            connections.close(upstream)
            return
        }
        if let socket = upstream.socket, socket.filter != nil, !socket.isSecured { return }
        // What has come with the connection is read later, and answers nothing. Behind a handshake it may be a session
        // ticket.
        let spokeFirst = upstream.socket.map { $0.filter == nil && $0.mayHaveMore } ?? false
        sendRequest(upstream, exchange)
        upstream.unaskedUntil = spokeFirst ? .max : poller.turn
    }

    /// Sends the head, and what of the body is there already.
    func sendRequest(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let chunk = exchange.sent.chunk else { return }
        if upstream.session != nil, !openStream(upstream, exchange, chunk) {
            moveToAnotherSession(upstream, exchange)
            return
        }
        guard let side = upstream.side else { return }
        upstream.phase = .awaitingHead
        var parser = upstream.parser
        parser.reset()
        upstream.parser = parser
        upstream.unaskedUntil = poller.turn
        poller.setDeadline(upstream, in: exchange.answerTimeout)
        if case .socket(let socket) = side {
            // A try before this one may have been a stream, where bodies have no framing of their own: the head that is
            // sent here says which one this has.
            if case .frames = exchange.requestBody.target {
                let framing = exchange.head.framing
                let isChunked = framing == .chunked || framing == .untilClose
                exchange.requestBody = exchange.requestBody.retargeted(isChunked ? .chunked : .raw)
            }
            if endsChunked(exchange) { poller.send(socket, chunk, lastChunk()) } else { poller.send(socket, chunk) }
        }
        if !exchange.collected.isEmpty { requestRelay.sendKeptBody(exchange, to: side) }
        if !exchange.requestBody.isComplete { requestRelay.relay(exchange) }
    }

    /// Whether the head announces chunks, and nothing of the body will follow it: a try before this one has seen that there is
    /// none. Without the last chunk the server would wait for it, and take the next request for one.
    private func endsChunked(_ exchange: Exchange) -> Bool {
        guard exchange.requestBody.isComplete, case .chunked = exchange.requestBody.target else { return false }
        return exchange.head.framing == .chunked || exchange.head.framing == .untilClose
    }

    private func lastChunk() -> Chunk {
        let chunk = poller.chunks.take()
        chunk.append("0\r\n\r\n")
        return chunk
    }

    /// An attempt has failed: the next server, or an error to the client, or a cut connection where the response has
    /// begun.
    func fail(_ exchange: Exchange, _ failure: UpstreamFailure, retryAfter: Int? = nil) {
        connections.drop(exchange)
        if let group = exchange.group, let server = exchange.server, failure.countsAgainstServer {
            group.failed(server, failure, poller.now)
            exchange.attempt.succeeded = false
            if retry(exchange, group, failure, after: server) { return }
        }
        counters.metrics.upstreamErrors[failure.rawValue] &+= 1
        if exchange.response.hasBegun {
            frontend.abandon(exchange, reason: failure.reason)
        } else {
            let pause = retryAfter ?? (failure.status == 503 ? 1 : nil)
            responder.reply(exchange, failure.reason, failure.detail, retryAfter: pause)
        }
    }

    /// Has the upgrade that the request asks for asked of the upstream. Answers false where the exchange is answered
    /// instead.
    func prepareUpgrade(_ exchange: Exchange, _ route: Route, _ bytes: Span<UInt8>) -> Bool {
        guard exchange.stream != nil else {
            exchange.tunnel = Upgrade(exchange.head, requestHeaders, bytes, route).map { Tunnel($0) }
            return true
        }
        guard let upgrade = Upgrade(extendedConnectTo: route) else {
            refuseUpgrade(exchange)
            return false
        }
        exchange.tunnel = Tunnel(upgrade)
        return true
    }

    /// The protocol is none that could be spoken here (RFC 9220 section 3).
    func refuseUpgrade(_ exchange: Exchange) {
        responder.reply(exchange, .upgradeRefused, "the protocol is not supported here")
    }
}
