import Bytes
import HTTP
import Model
import Reactor

/// Input on HTTP/2 upstream connections.
extension ResponseRelay {
    func sessionReceived(_ session: UpstreamSession) {
        guard let link = session.link, let socket = session.socket, let inbox = socket.inbox else { return }
        session.heardAt = poller.now
        let isSound = link.session.receive(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        session.server?.streamLimit = max(1, link.session.peerStreams)
        handleEvents(session, link)
        transport.queue(link)
        guard session.link === link else { return }
        if isSound { poller.readMore(socket) } else { session.isLeaving = true }
    }

    /// A response timed out. A connection without any input since the request gets no further ones: silence is the only
    /// sign of a dead one.
    func streamTimedOut(_ upstream: UpstreamConnection) {
        guard let session = upstream.session, upstream.askedAt >= session.heardAt else { return }
        session.isLeaving = true
    }

    private func handleEvents(_ session: UpstreamSession, _ link: H2Link) {
        while let event = link.session.nextEvent() {
            switch event {
            case .goAway: session.isLeaving = true
            case .interim(let stream): if let upstream = upstream(of: stream) { interimReceived(upstream, stream) }
            case .head(let stream): if let upstream = upstream(of: stream) { headReceived(upstream, stream) }
            case .body(let stream), .ended(let stream):
                if let upstream = upstream(of: stream), let exchange = upstream.exchange {
                    if upstream.phase == .relayingBody { relayBody(upstream, exchange) }
                    if upstream.phase == .filteringBody { relayFiltered(upstream, exchange) }
                } else {
                    connections.discard(stream, link)
                }
            case .drained(let stream): if let upstream = upstream(of: stream) { sent(upstream) }
            case .reset(let stream, _): if let upstream = upstream(of: stream) { streamBroke(upstream, stream) }
            case .closed: break
            }
        }
    }

    private func upstream(of stream: H2Stream) -> UpstreamConnection? {
        guard stream.owner > 0 else { return nil }
        let upstream = connections.all[stream.owner - 1]
        return upstream.stream === stream ? upstream : nil
    }

    private func interimReceived(_ upstream: UpstreamConnection, _ stream: H2Stream) {
        guard let exchange = upstream.exchange, let buffer = stream.interim else { return }
        upstream.heard = true
        exchange.sent.mayReplay = false
        upstream.interim += 1
        let outcome = stream.responseHead(
            into: responseHeaders, limits: UpstreamConnection.headLimits, requestMethod: exchange.head.method,
            isInterim: true)
        guard case .head(let head) = outcome, upstream.interim <= UpstreamConnection.maximumInterim else {
            upstreamClient.fail(exchange, .invalidResponse)
            return
        }
        forwardInterim(head, exchange, buffer.readable)
    }

    private func headReceived(_ upstream: UpstreamConnection, _ stream: H2Stream) {
        guard let exchange = upstream.exchange else { return }
        upstream.heard = true
        exchange.sent.mayReplay = false
        let outcome = stream.responseHead(
            into: responseHeaders, limits: UpstreamConnection.headLimits, requestMethod: exchange.head.method)
        switch outcome {
        case .head(let head): beginResponse(upstream, exchange, head, stream.head)
        case .invalid: upstreamClient.fail(exchange, .invalidResponse)
        }
    }

    /// The server ended the stream early.
    private func streamBroke(_ upstream: UpstreamConnection, _ stream: H2Stream) {
        guard let exchange = upstream.exchange else { return }
        // RFC 9113 section 8.7: the server has not processed the request.
        let isUntouched = stream.mayReplay && exchange.requestBody.passed == 0
        stream.owner = 0
        if isUntouched {
            exchange.sent.mayReplay = true
            // Streams beyond a limit that was not known yet say nothing about the connection.
            if let session = upstream.session, session.hasRoom { session.isLeaving = true }
            connections.drop(exchange)
            if upstreamClient.replay(exchange) { return }
        }
        if !completes(upstream, exchange) { upstreamClient.fail(exchange, .connectionLost) }
    }

    // MARK: Ends

    /// Frames were sent as far as the server takes them.
    func sessionFlushed(_ session: UpstreamSession, _ link: H2Link) {
        // Framing makes room in streams, and ends some.
        handleEvents(session, link)
        if session.link === link, link.session.isOver { sessionBroke(session) }
    }

    /// The connection broke, ended or could not be made, and with it all its exchanges.
    func sessionBroke(_ session: UpstreamSession) {
        guard session.server != nil else { return }
        session.isLeaving = true
        // The last exchange to leave closes the connection, after which the object may be reused.
        let generation = session.generation
        let failure: UpstreamFailure =
            session.link == nil ? connections.connectFailure(session.socket) : .connectionLost
        for upstream in session.waiting + session.users {
            guard let exchange = upstream.exchange else { continue }
            let isUnheard = upstream.stream != nil && !upstream.heard
            if isUnheard {
                connections.drop(exchange)
                if upstreamClient.replay(exchange) { continue }
            }
            if !completes(upstream, exchange) { upstreamClient.fail(exchange, failure) }
        }
        if session.generation == generation { connections.closeSession(session) }
    }

    // MARK: Time

    func sessionTimer(_ session: UpstreamSession) {
        guard poller.hasCome(session) else { return }
        session.isLeaving = true
        let generation = session.generation
        for upstream in session.waiting {
            if let exchange = upstream.exchange { upstreamClient.fail(exchange, .connectTimedOut) }
        }
        if session.generation == generation { connections.closeSession(session) }
    }
}
