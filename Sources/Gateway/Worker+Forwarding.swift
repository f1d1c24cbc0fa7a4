import Bytes
import HTTP
import Policy
import Reactor

/// The request's way to the upstream: connection, head, body, replay.
extension Worker {
    /// Writes the request for the upstream and sends it as soon as there is a connection.
    func forward(_ exchange: Exchange, _ route: Route, _ path: Span<UInt8>, _ bytes: Span<UInt8>) {
        guard let buffer = headBuffer(exchange) else { return }
        let chunk = poller.chunks.take()
        HeaderRewrite.request(
            exchange, path: path, bytes: bytes, headers: requestHeaders,
            authority: exchange.snapshot.upstreams[route.upstream].authority, into: chunk)
        exchange.stage = .forwarding
        exchange.decisionDeadline = .max
        if route.injection != nil { exchange.requestBody.forwardsTrailers = false }
        exchange.forwardedAt = Clock.monotonicMicroseconds
        exchange.responseTimeout = Int64(route.responseTimeoutMilliseconds ?? 0)
        exchange.mayReplay = exchange.head.method.isIdempotent && exchange.requestBody.isComplete
        exchange.requestChunk = chunk
        exchange.requestLength = chunk.count
        chunk.isHeld = true
        buffer.consume(exchange.head.length)
        exchange.head.length = 0
        exchange.pool = pool(exchange, route)
        connect(exchange)
    }

    /// The pool of the route's upstream. A worker that was reconfigured in between may know it under another number.
    private func pool(_ exchange: Exchange, _ route: Route) -> UpstreamPool {
        if exchange.snapshot === snapshot { return pools[route.upstream] }
        let settings = exchange.snapshot.upstreams[route.upstream]
        return pools.first { $0.settings.name == settings.name && $0.settings.address == settings.address }
            ?? UpstreamPool(settings)
    }

    /// Gives the exchange a connection: an unused one that is still good, or a new one.
    private func connect(_ exchange: Exchange, freshOnly: Bool = false) {
        guard let pool = exchange.pool else { return }
        while !freshOnly, let unused = pool.take() {
            if unused.socket?.isUnusable ?? true {
                closeUpstream(unused)
                continue
            }
            assign(unused, exchange)
            sendRequest(unused, exchange)
            return
        }
        guard pool.mayOpen else {
            fail(exchange, .exhausted)
            return
        }
        guard let socket = try? poller.connect(to: pool.settings.address) else {
            fail(exchange, .connectFailed)
            return
        }
        let upstream = takeUpstream(socket, pool)
        assign(upstream, exchange)
        upstream.phase = .connecting
        setDeadline(upstream, in: pool.settings.connectTimeout)
    }

    private func assign(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        upstream.exchange = exchange
        upstream.heard = false
        upstream.interim = 0
        exchange.upstream = upstream
    }

    func upstreamConnected(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange else {
            closeUpstream(upstream)
            return
        }
        // What has come with the connection is read in the next turn.
        let spokeFirst = upstream.socket?.mayHaveMore ?? false
        sendRequest(upstream, exchange)
        upstream.unaskedUntil = spokeFirst ? poller.turn + 1 : poller.turn
    }

    /// Sends the head, and what of the body is there already.
    private func sendRequest(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let side = upstream.side, let chunk = exchange.requestChunk else { return }
        upstream.phase = .awaitingHead
        var parser = upstream.parser
        parser.reset()
        upstream.parser = parser
        upstream.unaskedUntil = poller.turn
        setDeadline(upstream, in: responseTimeout(exchange))
        send(chunk, to: side)
        if !exchange.requestBody.isComplete { requestBodyReceived(exchange) }
    }

    func responseTimeout(_ exchange: Exchange) -> Int64 {
        exchange.responseTimeout > 0 ? exchange.responseTimeout : exchange.pool?.settings.responseTimeout ?? 60_000
    }

    // MARK: Request body

    /// Bytes of the request body (or of a request behind it) stand in the client's inbox.
    func requestBodyReceived(_ exchange: Exchange) {
        if exchange.stage == .collectingBody {
            collectBody(exchange)
            return
        }
        // Until the connection stands, and for a request behind this one, the bytes wait in the inbox.
        guard exchange.stage == .forwarding, !exchange.requestBody.isComplete, let upstream = exchange.upstream,
            upstream.phase != .connecting, let source = exchange.clientSide, let target = upstream.side
        else { return }
        moving: while let inbox = source.inbox, !inbox.isEmpty, !exchange.requestBody.isComplete {
            if target.pendingBytes > highWater { break }
            var body = exchange.requestBody
            let move = moveBody(&body, from: source, inbox, to: target)
            exchange.requestBody = body
            switch move {
            case .moved: continue
            case .broken:
                failRequestBody(exchange)
                return
            case .waiting: break moving
            }
        }
        if source.isExhausted, !exchange.requestBody.isComplete { endRequestBody(exchange, to: target) }
        if let limit = bodyLimit(exchange), exchange.requestBody.passed > limit {
            refuseLargeBody(exchange)
            return
        }
        if exchange.requestBody.isComplete {
            clearClientDeadline(exchange)
            setDeadline(upstream, in: responseTimeout(exchange))
        } else if target.pendingBytes > highWater {
            // The upstream is slower than the client: its time runs, and not the client's.
            pauseReading(source)
            pauseRequestBody(exchange)
            setDeadline(upstream, in: responseTimeout(exchange))
        } else {
            awaitRequestBody(upstream, exchange)
            readMore(source)
        }
    }

    /// The stream has ended, and with it the body.
    private func endRequestBody(_ exchange: Exchange, to target: Side) {
        let output = poller.chunks.take()
        var body = exchange.requestBody
        let trailers = exchange.stream?.trailers
        let isWhole = trailers.map { body.end(into: output, trailers: $0.readable) } ?? body.end(into: output)
        exchange.requestBody = body
        send(output, to: target)
        if !isWhole { failRequestBody(exchange) }
    }

    /// The client's time runs until more of its body comes; the upstream's begins with the end of the request.
    private func awaitRequestBody(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if upstream.phase == .awaitingHead { upstream.deadline = .max }
        paceRequestBody(exchange)
    }

    enum BodyMove { case moved, waiting, broken }

    /// Moves what one inbox holds of a body to the other side: by reference where framing allows it.
    func moveBody(_ body: inout BodyRelay, from source: Side, _ inbox: Chunk, to target: Side) -> BodyMove {
        if body.isPassThrough {
            let available = inbox.count
            let taken = body.passThrough(available)
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
        guard let used = try? body.relay(inbox.readable, into: output) else {
            poller.chunks.give(output)
            return .broken
        }
        consume(used, of: inbox, from: source)
        send(output, to: target)
        return used > 0 ? .moved : .waiting
    }

    func upstreamSent(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange, let source = exchange.clientSide else { return }
        if !exchange.requestBody.isComplete { awaitRequestBody(upstream, exchange) }
        resumeReading(source)
    }

    private func failRequestBody(_ exchange: Exchange) {
        dropUpstream(exchange)
        if exchange.responseBegun {
            abandon(exchange, reason: "malformed_body")
        } else {
            endConnection(after: exchange)
            reply(exchange, status: 400, reason: "malformed_body", detail: "malformed request body")
        }
    }

    func requestBodyTimedOut(_ exchange: Exchange) {
        dropUpstream(exchange)
        if exchange.responseBegun {
            abandon(exchange, reason: "body_timeout")
        } else {
            endConnection(after: exchange)
            reply(exchange, status: 408, reason: "body_timeout", detail: "the request body did not come in time")
        }
    }

    // MARK: Failure

    /// Sends the request once more over a new connection: the old one had been used before, died before any byte of
    /// the response came, and the request changes nothing by being repeated (RFC 9110 section 9.2.2).
    func replay(_ exchange: Exchange) -> Bool {
        guard exchange.mayReplay, let chunk = exchange.requestChunk else { return false }
        exchange.mayReplay = false
        metrics.upstreamRetries &+= 1
        chunk.rewind(to: exchange.requestLength)
        connect(exchange, freshOnly: true)
        return true
    }

    /// Ends the exchange's use of its upstream connection, which cannot serve another.
    func dropUpstream(_ exchange: Exchange) {
        guard let upstream = exchange.upstream else { return }
        exchange.upstream = nil
        upstream.exchange = nil
        closeUpstream(upstream)
    }

    /// The upstream failed: an error to the client, or a cut connection where the response has begun.
    func fail(_ exchange: Exchange, _ failure: UpstreamFailure) {
        metrics.upstreamErrors[failure.rawValue] &+= 1
        dropUpstream(exchange)
        if exchange.responseBegun {
            abandon(exchange, reason: "\(failure.code)")
        } else {
            reply(exchange, status: failure.status, reason: "\(failure.code)", detail: failure.detail)
        }
    }
}
