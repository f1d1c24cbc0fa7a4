import Bytes
import HTTP
import Model
import Reactor

/// HTTP/2 clients: connections, streams and time limits.
extension ClientFrontend {
    /// Switches the connection to HTTP/2.
    func beginHTTP2(_ client: ClientConnection) {
        guard let socket = client.socket else { return }
        var limits = snapshot.limits.http2
        limits.head = snapshot.limits.head
        let link = H2Link(H2Session(server: limits, chunks: poller.chunks, streams: context.streams), socket)
        client.link = link
        client.phase = .multiplexing
        counters.metrics.http2Connections &+= 1
        if isDraining { client.shutdown.fallDue(now: poller.now) }
        poller.setDeadline(client, in: snapshot.limits.headerTimeout)
        transport.queue(link)
        framesReceived(client, link)
    }

    /// Received frames are in the inbox.
    func framesReceived(_ client: ClientConnection, _ link: H2Link) {
        guard let socket = client.socket, let inbox = socket.inbox else { return }
        let isSound = link.session.receive(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        if isDraining { continueShutdown(client, link) }
        transport.queue(link)
        // Pending output of a failed session is sent at the end of the turn; then the socket closes.
        if isSound { poller.readMore(socket) }
    }

    /// Frames were sent as far as the client takes them, and the resulting events were handled.
    func flushed(_ client: ClientConnection, _ link: H2Link) {
        guard client.link === link else { return }
        let socket = link.socket
        if link.session.isOver {
            if let failure = link.session.failure {
                counters.count(failure.reason)
                noteFailure(of: client, failure.reason)
                if failure.isFlood { admission.noteFlood(client) }
            }
            leaveMultiplexing(client)
            closeAfterResponse(client, socket)
        } else if socket.pendingBytes > 0 {
            // Stops reading from a client that takes no frames: its requests would accumulate without bound.
            if socket.pendingBytes > transport.highWater { poller.pauseReading(socket) }
            if !client.isAwaited {
                client.isAwaited = true
                exchanges.awaitClient(client, snapshot.limits)
            }
        }
    }

    /// All pending output was taken.
    func framesSent(_ client: ClientConnection, _ link: H2Link) {
        client.isAwaited = false
        if client.exchanges.isEmpty {
            poller.setDeadline(client, in: snapshot.limits.idleTimeout)
        } else {
            client.deadline = .max
        }
        poller.resumeReading(link.socket)
        transport.queue(link)
    }

    /// Called once a second. A client that does not take answers of ended exchanges has the usual time limit,
    /// regardless of new requests.
    func reviewUntaken() {
        for client in clients.all {
            guard let link = client.link else { continue }
            let isWaiting = link.session.activeStreams > client.exchanges.count
            if !isWaiting || link.session.framedBytes != client.takenBytes {
                client.takenBytes = link.session.framedBytes
                client.untakenSince = isWaiting ? poller.now : .max
            } else if client.untakenSince == .max {
                client.untakenSince = poller.now
            } else if poller.now - client.untakenSince > snapshot.limits.writeTimeout {
                leaveMultiplexing(client, reason: .clientWriteTimeout)
                close(client, reset: true)
            }
        }
    }

    /// Abandons the exchanges of a connection that ends; the socket's remaining output does not belong to them.
    func leaveMultiplexing(_ client: ClientConnection, reason: Reason = .clientClosed) {
        guard client.link != nil else { return }
        while let exchange = client.exchanges.last { abandonStream(exchange, reason: reason) }
        client.link = nil
    }

    /// The connection was idle for too long, or its output was not taken.
    func multiplexingTimedOut(_ client: ClientConnection, _ link: H2Link) {
        guard client.exchanges.isEmpty else { return }
        guard let step = client.shutdown.refuse() else {
            close(client)
            return
        }
        say(step, link)
        poller.setDeadline(client, in: ClientFrontend.lingerTime)
    }

    // MARK: Streams

    /// The next event of the connection's streams; nil for none.
    func nextEvent(_ client: ClientConnection, _ link: H2Link) -> ClientEvent? {
        while let event = link.session.nextEvent() {
            switch event {
            case .head(let stream): return begin(client, stream)
            case .body(let stream), .ended(let stream):
                if let exchange = exchange(of: stream) { return .body(exchange) }
                // The answer was already given, and the rest of the request is not needed.
                while let chunk = stream.takeInbox() {
                    link.session.consumed(stream, chunk.count)
                    poller.chunks.give(chunk)
                }
            case .drained(let stream):
                if let exchange = exchange(of: stream) {
                    exchanges.awaitAgain(exchange)
                    return .room(exchange)
                }
            case .reset(let stream, _):
                if let exchange = exchange(of: stream) { abandonStream(exchange, reason: .clientReset) }
            case .closed, .interim, .goAway: break
            }
        }
        return nil
    }

    private func exchange(of stream: H2Stream) -> Exchange? {
        guard stream.owner > 0 else { return nil }
        let exchange = exchanges.all[stream.owner - 1]
        return exchange.stream === stream ? exchange : nil
    }

    /// Begins the exchange of a stream with a complete head.
    private func begin(_ client: ClientConnection, _ stream: H2Stream) -> ClientEvent {
        let exchange = exchanges.take()
        exchange.client = client
        exchange.stream = stream
        exchange.address = client.address
        exchange.times.startedAt = Clock.monotonicMicroseconds
        stream.owner = exchange.index + 1
        client.add(exchange)
        if !client.isAwaited { client.deadline = .max }
        switch stream.requestHead(into: requestHeaders, limits: exchange.snapshot.limits.head) {
        case .invalid(let error):
            exchanges.makeRequestID(exchange)
            if stream.asksForHead { exchange.head.method = .head }
            return .malformed(exchange, error)
        case .head(let head):
            exchange.head = head
            // END_STREAM ends the body; the library checks any announced length.
            let framing: BodyFraming = stream.endedWithHead ? .none : .untilClose
            if case .length = head.framing {
                exchange.requestBody = BodyRelay(framing, to: .raw)
            } else {
                exchange.requestBody = BodyRelay(framing, to: .chunked)
            }
            return .request(exchange, stream.head)
        }
    }

    /// An exchange has ended and released its stream.
    func streamEnded(_ client: ClientConnection) {
        guard client.exchanges.isEmpty, let link = client.link else { return }
        if !client.isAwaited { poller.setDeadline(client, in: snapshot.limits.idleTimeout) }
        transport.queue(link)
    }

    /// Ends the exchange of a stream whose client is gone or can no longer be answered.
    func abandonStream(_ exchange: Exchange, reason: Reason, keepsOutput: Bool = false) {
        guard let stream = exchange.stream, let client = exchange.client, let link = client.link else { return }
        // Internal error: the client has an incomplete response (RFC 9113 section 7). For a tunnel it corresponds to a
        // broken connection (RFC 8441 section 5).
        let code = exchange.stage == .tunnelling ? H2Code.cancel : H2Code.internalError
        connections.drop(exchange)
        record(exchange, abandonedFor: reason)
        stream.owner = 0
        link.session.reset(stream, code: code, afterOutput: keepsOutput)
        client.remove(exchange)
        exchanges.recycle(exchange)
        transport.queue(link)
        streamEnded(client)
    }

    /// A stream's client timed out. Returns the event; nil if it was handled here.
    func streamTimer(_ exchange: Exchange) -> ClientEvent? {
        guard poller.hasCome(exchange) else { return nil }
        if let side = exchange.clientSide, side.pendingBytes > 0 {
            if exchanges.hasTakenEnough(exchange) {
                exchanges.awaitClient(exchange)
                return nil
            }
            limited(.readRate)
            abandonStream(exchange, reason: .clientWriteTimeout)
            return nil
        }
        return .timedOut(exchange)
    }
}
