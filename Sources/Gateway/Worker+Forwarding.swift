import Bytes
import HTTP
import Model
import Policy
import Reactor

/// The request's way to the upstream: head, body, failure. Which server it goes to is decided in `Worker+Balancing`.
extension Worker {
    /// Writes the request for the upstream and sends it as soon as there is a connection.
    ///
    /// - Parameter buffer: where the head stands, which is consumed.
    func forward(_ exchange: Exchange, _ route: Route, _ path: Span<UInt8>, _ buffer: Chunk) {
        let bytes = buffer.readable
        if exchange.head.upgrade, !prepareUpgrade(exchange, route, bytes) { return }
        let chunk = poller.chunks.take()
        HeaderRewrite.request(
            exchange, path: path, bytes: bytes, headers: requestHeaders,
            authority: exchange.snapshot.upstreams[route.upstream].authority,
            http2: exchange.snapshot.upstreams[route.upstream].http2 && exchange.tunnel == nil, into: chunk)
        exchange.stage = .forwarding
        exchange.decisionDeadline = .max
        if route.injection != nil || !exchange.snapshot.managedNames.isStandard {
            exchange.requestBody.forwardsTrailers = false
        }
        exchange.forwardedAt = Clock.monotonicMicroseconds
        exchange.responseTimeout = Int64(route.responseTimeoutMilliseconds ?? 0)
        exchange.mayReplay = exchange.head.method.isIdempotent && exchange.requestBody.isComplete
        exchange.requestChunk = chunk
        exchange.requestLength = chunk.count
        chunk.isHeld = true
        buffer.consume(exchange.head.length)
        exchange.head.length = 0
        let group = group(exchange, route)
        exchange.group = group
        if group.hashesKeys { exchange.attempt.place = place(group.settings.balance, exchange, path, bytes) }
        start(exchange, group)
    }

    func upstreamConnected(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange else {
            closeUpstream(upstream)
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
        guard let chunk = exchange.requestChunk else { return }
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
        setDeadline(upstream, in: responseTimeout(exchange))
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
        if !exchange.collected.isEmpty { sendKeptBody(exchange, to: side) }
        if !exchange.requestBody.isComplete { requestBodyReceived(exchange) }
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

    func responseTimeout(_ exchange: Exchange) -> Int64 {
        exchange.responseTimeout > 0 ? exchange.responseTimeout : exchange.group?.settings.responseTimeout ?? 60_000
    }

    // MARK: Request body

    /// Bytes of the request body (or of a request behind it) stand in the client's inbox.
    func requestBodyReceived(_ exchange: Exchange) {
        if exchange.stage == .collectingBody {
            collectBody(exchange)
            return
        }
        if exchange.stage == .tunnelling {
            if let upstream = exchange.upstream { moveUp(upstream, exchange) }
            return
        }
        // Until the connection stands, and for a request behind this one, the bytes wait in the inbox.
        guard exchange.stage == .forwarding, !exchange.requestBody.isComplete, let upstream = exchange.upstream,
            upstream.phase != .connecting, let source = exchange.clientSide, let target = upstream.side
        else { return }
        let limit = bodyLimit(exchange)
        moving: while let inbox = source.inbox, !inbox.isEmpty, !exchange.requestBody.isComplete {
            if target.pendingBytes > highWater { break }
            var body = exchange.requestBody
            let move = moveBody(&body, from: source, inbox, to: target, limit: limit)
            exchange.requestBody = body
            if !trailerLines.isEmpty { keepRequestTrailers(exchange) }
            switch move {
            case .moved: continue
            case .broken:
                failRequestBody(exchange)
                return
            case .waiting: break moving
            case .tooLarge:
                refuseLargeBody(exchange)
                return
            }
        }
        if source.isExhausted, !exchange.requestBody.isComplete, !endRequestBody(exchange, to: target) { return }
        if exchange.requestBody.isComplete {
            endMessage(to: target, trailers: exchange.requestTrailers)
            clearClientDeadline(exchange)
            setDeadline(upstream, in: responseTimeout(exchange))
        } else if target.pendingBytes > highWater {
            // The upstream is slower than the client: its time runs, and not the client's.
            pauseReading(source, until: target)
            pauseRequestBody(exchange)
            setDeadline(upstream, in: responseTimeout(exchange))
        } else {
            awaitRequestBody(upstream, exchange)
            readMore(source)
        }
    }

    /// The stream has ended, and with it the body. Answers false where it was cut off, and the exchange is answered.
    private func endRequestBody(_ exchange: Exchange, to target: Side) -> Bool {
        let output = poller.chunks.take()
        var body = exchange.requestBody
        let isWhole = end(&body, received: exchange.stream?.trailers, into: output)
        exchange.requestBody = body
        if !trailerLines.isEmpty { keepRequestTrailers(exchange) }
        send(output, to: target)
        if !isWhole { failRequestBody(exchange) }
        return isWhole
    }

    /// The client's time runs until more of its body comes; the upstream's begins with the end of the request.
    private func awaitRequestBody(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if upstream.phase == .awaitingHead { upstream.deadline = .max }
        paceRequestBody(exchange)
    }

    enum BodyMove { case moved, waiting, broken, tooLarge }

    /// Moves what one inbox holds of a body to the other side: by reference where framing allows it. Of a body that is
    /// longer than `limit`, nothing beyond goes on: a request that is refused must not arrive whole.
    func moveBody(
        _ body: inout BodyRelay, from source: Side, _ inbox: Chunk, to target: Side, limit: Int? = nil
    ) -> BodyMove {
        if body.isPassThrough {
            let available = inbox.count
            let taken = body.passThrough(available)
            if let limit, body.passed > limit { return .tooLarge }
            if taken == available, let whole = takeInbox(source) {
                send(whole, to: target)
            } else {
                let part = poller.chunks.take()
                part.ensureFree(taken)
                part.append(inbox.readable.extracting(first: taken))
                consume(taken, of: inbox, from: source)
                send(part, to: target)
            }
            return .moved
        }
        let output = poller.chunks.take()
        guard let used = try? body.relay(inbox.readable, into: output, trailers: trailerLines) else {
            poller.chunks.give(output)
            return .broken
        }
        if let limit, body.passed > limit {
            poller.chunks.give(output)
            return .tooLarge
        }
        consume(used, of: inbox, from: source)
        send(output, to: target)
        return used > 0 ? .moved : .waiting
    }

    func upstreamSent(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange, let source = exchange.clientSide else { return }
        if upstream.phase == .tunnelling {
            moveUp(upstream, exchange)
            return
        }
        resumeReading(source)
        // What a stream has received tells of itself but once, and may all have come while there was no room.
        requestBodyReceived(exchange)
    }

    private func failRequestBody(_ exchange: Exchange) {
        dropUpstream(exchange)
        if exchange.responseBegun {
            abandon(exchange, reason: .malformedBody)
        } else {
            endConnection(after: exchange)
            reply(exchange, status: 400, reason: .malformedBody, detail: "malformed request body")
        }
    }

    func requestBodyTimedOut(_ exchange: Exchange) {
        dropUpstream(exchange)
        if exchange.responseBegun {
            abandon(exchange, reason: .bodyTimeout)
        } else {
            endConnection(after: exchange)
            reply(exchange, status: 408, reason: .bodyTimeout, detail: "the request body did not come in time")
        }
    }

    // MARK: Failure

    /// Ends the exchange's use of its upstream connection, which cannot serve another.
    func dropUpstream(_ exchange: Exchange) {
        guard let upstream = exchange.upstream else { return }
        if exchange.responseBegun { exchange.responseBytes = upstream.body.passed }
        exchange.upstream = nil
        upstream.exchange = nil
        upstream.server?.ended()
        closeUpstream(upstream)
    }

    /// An attempt has failed: the next server, or an error to the client, or a cut connection where the response has
    /// begun.
    func fail(_ exchange: Exchange, _ failure: UpstreamFailure, retryAfter: Int? = nil) {
        dropUpstream(exchange)
        if let group = exchange.group, let server = exchange.server, failure.isServers {
            group.failed(server, failure, poller.now)
            exchange.attempt.succeeded = false
            if retry(exchange, group, failure, after: server) { return }
        }
        metrics.upstreamErrors[failure.rawValue] &+= 1
        if exchange.responseBegun {
            abandon(exchange, reason: failure.reason)
        } else {
            let pause = retryAfter ?? (failure.status == 503 ? 1 : nil)
            reply(
                exchange, status: failure.status, reason: failure.reason, detail: failure.detail, retryAfter: pause)
        }
    }
}
