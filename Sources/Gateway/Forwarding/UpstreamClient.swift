import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Sends requests to the servers of upstreams: admission, queue, choice, connection, head, retries.
final class UpstreamClient: LoopPart {
    let groups: UpstreamGroups
    let connections: UpstreamConnections
    let requestRelay: RequestRelay
    let arrival: BodyArrival
    let slowUploads: SlowUploads
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
        arrival = BodyArrival(context, exchanges, responder)
        slowUploads = SlowUploads(context, exchanges, groups, requestRelay)
        super.init(context)
    }

    /// Serialises the request for the upstream and sends it once there is a connection.
    ///
    /// - Parameter buffer: contains the head, which is consumed.
    func forward(_ exchange: Exchange, _ route: Route, _ buffer: Chunk) {
        let bytes = buffer.readable
        if let question = exchange.forwardAuth {
            responder.allow(exchange, question, route, bytes)
            return
        }
        if exchange.head.upgrade, !prepareUpgrade(exchange, route, bytes) { return }
        let chunk = poller.chunks.take()
        let path = exchange.path
        HeaderRewrite.request(
            exchange, route, path: path.readable, bytes: bytes, headers: requestHeaders,
            authority: exchange.snapshot.upstreams[route.upstream].authority,
            http2: exchange.snapshot.upstreams[route.upstream].settings.http2 && exchange.tunnel == nil, into: chunk)
        exchange.enter(.forwarding)
        exchange.decisionDeadline = .max
        // A trailer of a field that policy servers decide by, or that the gateway writes, would be read as that field.
        if !route.injections.isEmpty || route.requestFields != nil || !route.policyServers.isEmpty
            || !exchange.snapshot.managedNames.isStandard
        {
            exchange.requestBody.forwardsTrailers = false
        }
        exchange.times.forwardedAt = Clock.monotonicMicroseconds
        exchange.response.timeout = route.entry.options.responseTimeout ?? 0
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
        // Unread bytes on the connection cannot be an answer yet. After a handshake they may be a session ticket.
        let spokeFirst = upstream.socket.map { $0.filter == nil && $0.mayHaveMore } ?? false
        sendRequest(upstream, exchange)
        upstream.unaskedUntil = spokeFirst ? .max : poller.turn
    }

    /// Sends the head and the available part of the body.
    func sendRequest(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let chunk = exchange.sent.chunk else { return }
        if upstream.session != nil {
            guard openStream(upstream, exchange, chunk) else { return moveToAnotherSession(upstream, exchange) }
        } else if upstream.socket == nil {
            return
        }
        upstream.phase = .awaitingHead
        var parser = upstream.parser
        parser.reset()
        upstream.parser = parser
        upstream.unaskedUntil = poller.turn
        poller.setDeadline(upstream, in: exchange.answerTimeout)
        if let socket = upstream.socket {
            // An earlier attempt may have used a stream, where bodies have no framing; the head sent here determines
            // the framing now.
            if case .frames = exchange.requestBody.target {
                let framing = exchange.head.framing
                let isChunked = framing.isChunked || framing == .untilClose
                exchange.requestBody = exchange.requestBody.retargeted(isChunked ? .chunked : .raw)
            }
            if endsChunked(exchange) { poller.send(socket, chunk, lastChunk()) } else { poller.send(socket, chunk) }
        }
        if !exchange.collected.isEmpty, let side = upstream.side { requestRelay.sendKeptBody(exchange, to: side) }
        if !exchange.requestBody.isComplete { requestRelay.relay(exchange) }
    }

    /// Whether the head announces chunks although an earlier attempt found that there is no body. Without the last
    /// chunk the server would wait, and take the next request for the body.
    private func endsChunked(_ exchange: Exchange) -> Bool {
        guard exchange.requestBody.isComplete, case .chunked = exchange.requestBody.target else { return false }
        return exchange.head.framing.isChunked || exchange.head.framing == .untilClose
    }

    private func lastChunk() -> Chunk {
        let chunk = poller.chunks.take()
        chunk.append("0\r\n\r\n")
        return chunk
    }

    /// An attempt failed: tries the next server, answers with an error, or breaks the response off if it has begun.
    ///
    /// - Parameter error: of a connection that could not even be begun.
    func fail(_ exchange: Exchange, _ failure: UpstreamFailure, retryAfter: Int? = nil, error: KernelError? = nil) {
        let told = tell(exchange, failure, error)
        connections.drop(exchange)
        if let group = exchange.group, let server = exchange.server, failure.countsAgainstServer {
            group.failed(server, failure, poller.now)
            exchange.attempt.succeeded = false
            if retry(exchange, group, failure, after: server) { return }
        }
        counters.metrics.upstreamErrors[failure.rawValue] &+= 1
        exchange.response.evidence = evidence(of: failure, told, exchange)
        if exchange.response.hasBegun {
            frontend.breakOff(exchange, reason: failure.reason)
        } else {
            let pause = retryAfter ?? (failure.status == 503 ? 1 : nil)
            responder.reply(exchange, failure.reason, failure.detail, retryAfter: pause)
        }
    }

    /// Prepares the upgrade for the upstream. False if the exchange was answered instead.
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

    /// Refuses an unsupported protocol (RFC 9220 section 3).
    func refuseUpgrade(_ exchange: Exchange) {
        responder.reply(exchange, .upgradeRefused, "the protocol is not supported here")
    }
}
