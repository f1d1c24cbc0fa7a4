import Bytes
import HTTP
import Model
import Reactor

/// The client side of a worker where the client speaks HTTP/2: connections, streams, their time.
extension Worker {
    // MARK: Connection

    /// The connection speaks HTTP/2 from here on.
    func beginHTTP2(_ client: ClientConnection) {
        guard let socket = client.socket else { return }
        var limits = snapshot.limits.http2
        limits.head = snapshot.limits.head
        let link = H2Link(H2Session(server: limits, chunks: poller.chunks, streams: streams), socket)
        client.link = link
        client.phase = .multiplexing
        metrics.http2Connections &+= 1
        if isDraining { client.farewell.fallDue(now: poller.now) }
        setDeadline(client, in: snapshot.limits.headerTimeout)
        queue(link)
        framesReceived(client, link)
    }

    /// Bytes of frames stand in the inbox.
    func framesReceived(_ client: ClientConnection, _ link: H2Link) {
        guard let socket = client.socket, let inbox = socket.inbox else { return }
        let isSound = link.session.receive(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        if isDraining { continueFarewell(client, link) }
        handleEvents(client, link)
        queue(link)
        // What a session that has failed still says goes out at the end of the turn, and then the socket closes.
        if isSound { poller.readMore(socket) }
    }

    /// Frames went out, as far as the client takes them.
    func framesFlushed(_ client: ClientConnection, _ link: H2Link) {
        let socket = link.socket
        // Framing makes room in streams, and ends some.
        handleEvents(client, link)
        guard client.link === link else { return }
        if link.session.isOver {
            if let failure = link.session.failure {
                reasonCounters.increment(failure.reason.index)
                noteFailure(of: client, failure.reason)
                if failure.isFlood { noteFlood(client) }
            }
            leaveMultiplexing(client)
            closeAfterResponse(client, socket)
        } else if socket.pendingBytes > 0 {
            // A client that takes no frames gets no further ones: what it asks for would pile up without a bound.
            if socket.pendingBytes > highWater { poller.pauseReading(socket) }
            if !client.isAwaited {
                client.isAwaited = true
                awaitClient(client, snapshot.limits)
            }
        }
    }

    /// All that waited was taken.
    func framesSent(_ client: ClientConnection, _ link: H2Link) {
        client.isAwaited = false
        if client.exchanges.isEmpty {
            setDeadline(client, in: snapshot.limits.idleTimeout)
        } else {
            client.deadline = .max
        }
        poller.resumeReading(link.socket)
        queue(link)
    }

    /// Once a second: a client that takes nothing of answers whose exchanges have ended has the same time for it as any
    /// other, however many requests it makes meanwhile.
    func reviewUntaken() {
        for client in clients {
            guard let link = client.link else { continue }
            let isWaiting = link.session.activeStreams > client.exchanges.count
            if !isWaiting || link.session.framedBytes != client.takenBytes {
                client.takenBytes = link.session.framedBytes
                client.untakenSince = isWaiting ? poller.now : .max
            } else if client.untakenSince == .max {
                client.untakenSince = poller.now
            } else if poller.now - client.untakenSince > snapshot.limits.writeTimeout {
                leaveMultiplexing(client, reason: .clientWriteTimeout)
                closeClient(client, reset: true)
            }
        }
    }

    /// Exchanges of a connection that ends are abandoned; what the socket still sends is not theirs.
    func leaveMultiplexing(_ client: ClientConnection, reason: Reason = .clientClosed) {
        guard client.link != nil else { return }
        while let exchange = client.exchanges.last { abandonStream(exchange, reason: reason) }
        client.link = nil
    }

    /// Nothing was asked for a long time, or what was answered is not taken.
    func multiplexingTimedOut(_ client: ClientConnection, _ link: H2Link) {
        guard client.exchanges.isEmpty else { return }
        guard let step = client.farewell.refuse() else {
            closeClient(client)
            return
        }
        say(step, link)
        setDeadline(client, in: Worker.lingerTime)
    }

    // MARK: Streams

    private func handleEvents(_ client: ClientConnection, _ link: H2Link) {
        while let event = link.session.nextEvent() {
            switch event {
            case .head(let stream): begin(client, stream)
            case .body(let stream), .ended(let stream):
                if let exchange = exchange(of: stream) {
                    requestBodyReceived(exchange)
                } else {
                    // The answer is given already, and the rest of the request is not for anybody.
                    while let chunk = stream.takeInbox() {
                        link.session.consumed(stream, chunk.count)
                        poller.chunks.give(chunk)
                    }
                }
            case .drained(let stream): if let exchange = exchange(of: stream) { streamDrained(exchange) }
            case .reset(let stream, _):
                if let exchange = exchange(of: stream) { abandonStream(exchange, reason: .clientReset) }
            case .closed, .interim, .goAway: break
            }
        }
    }

    private func exchange(of stream: H2Stream) -> Exchange? {
        guard stream.owner > 0 else { return nil }
        let exchange = exchanges[stream.owner - 1]
        return exchange.stream === stream ? exchange : nil
    }

    /// Starts the exchange of a stream whose head has come.
    private func begin(_ client: ClientConnection, _ stream: H2Stream) {
        let exchange = takeExchange()
        exchange.client = client
        exchange.stream = stream
        exchange.address = client.address
        exchange.startedAt = Clock.monotonicMicroseconds
        stream.owner = exchange.index + 1
        client.add(exchange)
        if !client.isAwaited { client.deadline = .max }
        switch stream.requestHead(into: requestHeaders, limits: exchange.snapshot.limits.head) {
        case .invalid(let error):
            makeRequestID(exchange)
            if stream.asksForHead { exchange.head.method = .head }
            if error.status == 431 || error.status == 414 { limited(.headerSize) }
            reply(exchange, status: error.status, reason: error.reason, detail: StatusReason.text(error.status))
        case .head(let head):
            exchange.head = head
            // The end of the stream ends the body, and the library sees to it that a length told before was true.
            let framing: BodyFraming = stream.endedWithHead ? .none : .untilClose
            if case .length = head.framing {
                exchange.requestBody = BodyRelay(framing, to: .raw)
            } else {
                exchange.requestBody = BodyRelay(framing, to: .chunked)
            }
            if let name = stream.extendedProtocol, !beginExtendedConnect(exchange, name) { return }
            decide(exchange, client, stream.head)
        }
    }

    /// What waited for the client to take it has become little.
    private func streamDrained(_ exchange: Exchange) {
        awaitAgain(exchange)
        if let upstream = exchange.upstream { resumeResponse(upstream) }
    }

    /// An exchange has ended, and its stream is no longer its own.
    func streamEnded(_ client: ClientConnection) {
        guard client.exchanges.isEmpty, let link = client.link else { return }
        if !client.isAwaited { setDeadline(client, in: snapshot.limits.idleTimeout) }
        queue(link)
    }

    /// Ends the exchange of a stream whose client is gone or cannot be answered any more.
    func abandonStream(_ exchange: Exchange, reason: Reason) {
        guard let stream = exchange.stream, let client = exchange.client, let link = client.link else { return }
        // Internal error: what the client has of the response is not all of it (RFC 9113 section 7). For a tunnel it is
        // what a broken connection is (RFC 8441 section 5).
        let code = exchange.stage == .tunnelling ? H2Code.cancel : H2Code.internalError
        dropUpstream(exchange)
        record(exchange, abandonedFor: reason)
        stream.owner = 0
        link.session.reset(stream, code: code)
        client.remove(exchange)
        recycle(exchange)
        queue(link)
        streamEnded(client)
    }

    // MARK: Time

    func streamTimer(_ exchange: Exchange) {
        guard hasCome(exchange) else { return }
        if let side = exchange.clientSide, side.pendingBytes > 0 {
            if hasTakenEnough(exchange) {
                awaitClient(exchange)
                return
            }
            limited(.readRate)
            abandonStream(exchange, reason: .clientWriteTimeout)
        } else {
            exchangeTimedOut(exchange)
        }
    }
}
