import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Relays responses from upstreams to clients: heads, bodies, ends, timeouts.
final class ResponseRelay: LoopPart {
    let upstreamClient: UpstreamClient
    let connections: UpstreamConnections
    let tunnels: Tunnels
    let injection: TokenInjection
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ responder: Responder,
        _ upstreamClient: UpstreamClient, _ injection: TokenInjection, _ tunnels: Tunnels
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.responder = responder
        self.upstreamClient = upstreamClient
        self.injection = injection
        self.tunnels = tunnels
        connections = upstreamClient.connections
        super.init(context)
    }

    func received(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange else {
            // No request is in progress, so these bytes are not a response.
            connections.endUnused(upstream)
            return
        }
        if upstream.phase == .awaitingHead, poller.turn <= upstream.unaskedUntil {
            upstreamSpokeUnasked(upstream, exchange)
            return
        }
        upstream.heard = true
        exchange.sent.mayReplay = false
        switch upstream.phase {
        case .awaitingHead: readResponseHeads(upstream, exchange)
        case .relayingBody: relayBody(upstream, exchange)
        case .filteringBody: relayFiltered(upstream, exchange)
        case .tunnelling: tunnels.moveDown(upstream, exchange)
        case .connecting, .idle: break
        }
    }

    /// Bytes that arrived before the request was sent are not its response (RFC 9112 section 9.2). Taking them for it
    /// would give this client another one's response, and shift all following ones.
    private func upstreamSpokeUnasked(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        let wasUsed = upstream.served > 0
        connections.drop(exchange)
        if wasUsed, upstreamClient.replay(exchange) { return }
        upstreamClient.fail(exchange, .invalidResponse)
    }

    // MARK: Head

    /// Reads interim responses, which are passed on immediately, and then the final one.
    private func readResponseHeads(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        while let socket = upstream.socket, let inbox = socket.inbox, !inbox.isEmpty {
            var parser = upstream.parser
            let outcome = parser.parse(inbox.readable, into: responseHeaders, requestMethod: exchange.head.method)
            upstream.parser = parser
            switch outcome {
            case .needMore:
                if inbox.free == 0 { poller.growInbox(socket, toHold: UpstreamConnection.headLimits.maximumHeadBytes) }
                poller.readMore(socket)
                return
            case .invalid:
                upstreamClient.fail(exchange, .invalidResponse)
                return
            case .head(let head):
                if head.status == 101 {
                    tunnels.open(upstream, exchange, head, inbox)
                    return
                }
                if head.status < 200 {
                    upstream.interim += 1
                    guard upstream.interim <= UpstreamConnection.maximumInterim else {
                        upstreamClient.fail(exchange, .invalidResponse)
                        return
                    }
                    forwardInterim(head, exchange, inbox.readable)
                    inbox.consume(head.length)
                    continue
                }
                beginResponse(upstream, exchange, head, inbox)
                return
            }
        }
    }

    /// Passes a 1xx on to a client that supports it (RFC 9110 section 15.2).
    func forwardInterim(_ head: ResponseHead, _ exchange: Exchange, _ bytes: Span<UInt8>) {
        guard exchange.head.minorVersion >= 1 else { return }
        let chunk = poller.chunks.take()
        chunk.ensureFree(bytes.count + 256)
        HeadWriter.appendStatusLine(head.status, to: chunk)
        HeaderRewrite.appendResponseFields(
            responseHeaders, bytes, hasCookies: exchange.snapshot.hasBrowserCookies, to: chunk)
        chunk.append("\r\n")
        transport.sendInterim(chunk, status: head.status, to: exchange)
    }

    /// Begins the final response, whose head is at the front of `buffer` and its field lines in `responseHeaders`.
    func beginResponse(
        _ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ buffer: Chunk
    ) {
        guard let target = exchange.clientSide, let source = upstream.side else { return }
        if tunnels.isMistaken(exchange, head) {
            // The server answered properly, and must not be ejected for what clients request.
            upstreamClient.noteAnswer(exchange, status: head.status)
            connections.drop(exchange)
            let failure = UpstreamFailure.invalidResponse
            responder.reply(exchange, failure.reason, failure.detail)
            return
        }
        if head.status == 401, injection.answerRefusal(upstream, exchange, head, buffer) { return }
        upstream.keepAlive = head.keepAlive && head.framing != .untilClose
        upstream.phase = .relayingBody
        exchange.response.status = head.status
        exchange.response.hasBegun = true
        upstreamClient.noteAnswer(exchange, status: head.status)
        exchange.times.answeredAt = Clock.monotonicMicroseconds
        exchange.tunnel = nil
        if exchange.route?.entry.options.endsWithToken == true || hasType(ResponseRelay.eventStream, buffer.readable) {
            exchanges.watch(exchange)
        }
        // The response came before the request was complete: the rest of the request is discarded.
        if !exchange.requestBody.isComplete { responder.prepareToSkipRequest(exchange) }
        if exchange.response.message != nil, beginFiltered(upstream, exchange, head: head, buffer: buffer) { return }
        // END_STREAM ends the body; the library checks any announced length.
        let framing = upstream.stream != nil && head.framing != .none ? .untilClose : head.framing
        upstream.body = BodyRelay(framing, to: responder.bodyTarget(head, exchange))
        let chunk = poller.chunks.take()
        chunk.ensureFree(head.length + 1024)
        responder.writeHead(head, exchange, buffer.readable, to: chunk)
        buffer.consume(head.length)
        switch (consume source, consume target) {
        case (.socket(let source), .socket(let target)):
            sendFirst(chunk, upstream, exchange, source, buffer, target)
        case (let source, let target):
            transport.sendHead(chunk, ended: upstream.body.isComplete, of: exchange, to: target)
            relayBody(upstream, exchange, from: source, to: target)
        }
    }

    /// Sends the head with the available part of the body in one system call.
    private func sendFirst(
        _ chunk: Chunk, _ upstream: UpstreamConnection, _ exchange: Exchange, _ source: Socket, _ inbox: Chunk,
        _ socket: Socket
    ) {
        guard !inbox.isEmpty, !upstream.body.isComplete else {
            poller.send(socket, chunk)
            relayBody(upstream, exchange)
            return
        }
        if upstream.body.isPassThrough, inbox.count > chunk.free || inbox.count > 4096 {
            let available = inbox.count
            var body = upstream.body
            let taken = body.passThrough(available)
            upstream.body = body
            if taken == available, let whole = poller.takeInbox(source) {
                poller.send(socket, chunk, whole)
            } else {
                chunk.ensureFree(taken)
                chunk.append(inbox.readable.extracting(first: taken))
                inbox.consume(taken)
                poller.send(socket, chunk)
            }
        } else {
            var body = upstream.body
            guard let used = try? body.relay(inbox.readable, into: chunk) else {
                poller.chunks.give(chunk)
                exchange.response.hasBegun = false
                upstreamClient.fail(exchange, .invalidResponse)
                return
            }
            upstream.body = body
            inbox.consume(used)
            poller.send(socket, chunk)
        }
        // Usually that was the whole body.
        if upstream.body.isComplete { endResponse(upstream, exchange) } else { relayBody(upstream, exchange) }
    }

    /// Whether a response has this type, in lower case.
    func hasType(_ type: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        guard let value = responseHeaders.value(.contentType) else { return false }
        let text = bytes.slice(value)
        guard text.count >= type.count, bytesEqualIgnoringCase(text.extracting(0..<type.count), type.span) else {
            return false
        }
        // Only parameters may follow.
        return text.count == type.count || text[type.count] == UInt8(ascii: ";") || text[type.count] == ASCII.space
    }

    /// Event streams (HTML Living Standard, section 9.2) have no known end.
    static let eventStream = Array("text/event-stream".utf8)

    // MARK: Body

    /// Relays the available part of the response body, and ends the exchange with its last byte.
    func relayBody(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let source = upstream.side, let target = exchange.clientSide else { return }
        relayBody(upstream, exchange, from: source, to: target)
    }

    private func relayBody(
        _ upstream: UpstreamConnection, _ exchange: Exchange, from source: Side, to target: Side
    ) {
        relay: while let inbox = source.inbox, !inbox.isEmpty, !upstream.body.isComplete {
            if target.pendingBytes > transport.highWater {
                pauseResponse(upstream, exchange, source, until: target)
                return
            }
            var body = upstream.body
            let move = transport.moveBody(&body, from: source, inbox, to: target)
            upstream.body = body
            transport.keepResponseTrailers(exchange)
            switch move {
            case .moved: continue
            case .broken, .tooLarge:
                upstreamClient.fail(exchange, .invalidResponse)
                return
            case .waiting: break relay
            }
        }
        if source.isExhausted, !upstream.body.isComplete {
            ended(upstream)
        } else if upstream.body.isComplete {
            transport.endMessage(to: target, trailers: exchange.response.trailers)
            endResponse(upstream, exchange)
        } else if target.pendingBytes > transport.highWater {
            pauseResponse(upstream, exchange, source, until: target)
        } else {
            poller.setDeadline(
                upstream, in: exchange.longLivedIndex < 0 ? exchange.answerTimeout : exchange.silenceTimeout)
            transport.readMore(source)
        }
    }

    /// The client is slower than the upstream: stops reading from the upstream, and starts the client's time.
    func pauseResponse(
        _ upstream: UpstreamConnection, _ exchange: Exchange, _ source: Side, until target: Side
    ) {
        transport.pauseReading(source, until: target)
        upstream.deadline = .max
        exchanges.awaitClient(exchange)
    }

    func resumeResponse(_ upstream: UpstreamConnection) {
        guard let source = upstream.side, let exchange = upstream.exchange else { return }
        if upstream.phase == .tunnelling {
            tunnels.moveDown(upstream, exchange)
            return
        }
        guard upstream.phase == .relayingBody || upstream.phase == .filteringBody else { return }
        transport.resumeReading(source)
        if upstream.phase == .filteringBody { return relayFiltered(upstream, exchange) }
        relayBody(upstream, exchange)
    }

    /// The response was passed on completely.
    func endResponse(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        exchange.upstream = nil
        exchange.response.bytes = upstream.body.passed
        upstream.exchange = nil
        upstream.served += 1
        upstream.server?.ended()
        connections.release(upstream, requestComplete: exchange.requestBody.isComplete)
        frontend.finish(exchange)
    }

    // MARK: Ends

    /// The upstream ended its side.
    func ended(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange else {
            connections.endUnused(upstream)
            return
        }
        if upstream.phase == .tunnelling {
            tunnels.moveDown(upstream, exchange)
            return
        }
        if upstream.phase == .filteringBody { return endedFiltered(upstream, exchange) }
        guard upstream.phase == .relayingBody else {
            failed(upstream)
            return
        }
        let output = poller.chunks.take()
        var body = upstream.body
        var complete = transport.end(&body, received: upstream.stream?.trailers, into: output)
        transport.keepResponseTrailers(exchange)
        // Over TLS, an end without close_notify may be a truncation attack (RFC 8446 section 6.1).
        if let socket = upstream.socket, !socket.endedCleanly { complete = false }
        upstream.body = body
        let target = exchange.clientSide
        if let target { transport.send(output, to: target) } else { poller.chunks.give(output) }
        upstream.keepAlive = false
        guard complete else { return upstreamClient.fail(exchange, .connectionLost) }
        if let target { transport.endMessage(to: target, trailers: exchange.response.trailers) }
        endResponse(upstream, exchange)
    }

    /// The connection broke, or ended where a response was expected.
    func failed(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange else {
            connections.endUnused(upstream)
            return
        }
        if upstream.phase == .tunnelling {
            tunnels.failed(upstream, exchange)
            return
        }
        let failure = upstream.phase == .connecting ? connections.connectFailure(upstream.socket) : .connectionLost
        let unheard = upstream.served > 0 && !upstream.heard && upstream.phase == .awaitingHead
        if unheard {
            connections.drop(exchange)
            if upstreamClient.replay(exchange) { return }
        }
        if !completes(upstream, exchange) { upstreamClient.fail(exchange, failure) }
    }

    /// The upstream is lost: passes on what has arrived of its response, also to a client that has much to take. Returns
    /// whether that completes the response.
    func completes(_ upstream: UpstreamConnection, _ exchange: Exchange) -> Bool {
        guard upstream.phase == .relayingBody, let source = upstream.side, let target = exchange.clientSide else {
            return false
        }
        var body = upstream.body
        while let inbox = source.inbox, !inbox.isEmpty, !body.isComplete {
            guard case .moved = transport.moveBody(&body, from: source, inbox, to: target) else { break }
        }
        transport.keepResponseTrailers(exchange)
        upstream.body = body
        guard body.isComplete else { return false }
        upstream.keepAlive = false
        transport.endMessage(to: target, trailers: exchange.response.trailers)
        endResponse(upstream, exchange)
        return true
    }

    // MARK: Timeouts

    func timerFired(_ upstream: UpstreamConnection) {
        guard poller.hasCome(upstream) else { return }
        guard let exchange = upstream.exchange else {
            connections.endUnused(upstream)
            return
        }
        if exchange.longLivedIndex >= 0 {
            tunnels.cut(exchange, .idle)
            return
        }
        streamTimedOut(upstream)
        upstreamClient.fail(exchange, upstream.phase == .connecting ? .connectTimedOut : .responseTimedOut)
    }

    func sent(_ upstream: UpstreamConnection) {
        guard let exchange = upstream.exchange, let source = exchange.clientSide else { return }
        if upstream.phase == .tunnelling {
            tunnels.moveUp(upstream, exchange)
            return
        }
        transport.resumeReading(source)
        // A stream reports its input once, and all of it may have arrived while there was no room.
        upstreamClient.requestRelay.relay(exchange)
    }
}
