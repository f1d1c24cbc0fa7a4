import Bytes
import Crypto
import HTTP
import Model
import Reactor

/// Upstreams that speak HTTP/2: connections shared by many exchanges, and the streams on them.
extension Worker {
    /// What a server may ask of this side.
    static let sessionLimits: H2Limits = {
        var limits = H2Limits()
        limits.head = UpstreamConnection.headLimits
        limits.initialWindow = 256 * 1024
        limits.connectionWindow = 4 * 1024 * 1024
        return limits
    }()

    // MARK: Connection

    /// Gives the exchange a stream to the server, on a connection that stands, is being made, or is made for it. Answers
    /// false where there may be no further one.
    func connectMultiplexed(_ exchange: Exchange, _ server: UpstreamServer) -> Bool {
        if let session = server.sessions.first(where: { $0.hasRoom }) {
            enter(session, exchange)
            return true
        }
        guard server.pool.mayOpen else { return false }
        guard let socket = openSocket(to: server) else {
            fail(exchange, .connectFailed)
            return true
        }
        let session = takeSession(socket, server)
        setDeadline(session, in: server.pool.settings.connectTimeout)
        enter(session, exchange)
        return true
    }

    /// Begins a connection, over TLS where the upstream has it.
    ///
    /// - Parameter forUpgrade: it is to speak HTTP/1.1, whatever the server has besides.
    func openSocket(to server: UpstreamServer, forUpgrade: Bool = false) -> Socket? {
        guard let tls = server.pool.settings.tls else { return try? poller.connect(to: server.address) }
        let context = forUpgrade ? tls.upgradeContext ?? tls.context : tls.context
        guard let session = context.makeSession(serverName: tls.name(of: server.target)) else { return nil }
        return try? poller.connect(to: server.address, filter: TLSFilter(session))
    }

    private func takeSession(_ socket: Socket, _ server: UpstreamServer) -> UpstreamSession {
        let session: UpstreamSession
        if let vacant = vacantSessions.popLast() {
            session = sessions[vacant]
        } else {
            session = UpstreamSession(index: sessions.count)
            var table = sessions
            sessions = []
            table.append(session)
            sessions = table
        }
        metrics.upstreamConnectionsOpened &+= 1
        server.pool.opened()
        session.server = server
        session.socket = socket
        socket.role = Role.upstreamSession
        socket.owner = session.index
        server.sessions.append(session)
        return session
    }

    /// The exchange has a place on the connection; its stream opens at once, or when the connection stands.
    private func enter(_ session: UpstreamSession, _ exchange: Exchange) {
        let upstream = vacantUpstream()
        upstream.server = session.server
        upstream.session = session
        upstream.phase = .connecting
        assign(upstream, exchange)
        setDeadline(upstream, in: exchange.group?.settings.connectTimeout ?? 5000)
        if session.link == nil {
            session.waiting.append(upstream)
        } else {
            sendRequest(upstream, exchange)
        }
    }

    /// The connection stands; over TLS, when the handshake is over.
    func sessionConnected(_ session: UpstreamSession) {
        guard let socket = session.socket, session.link == nil else { return }
        if let tls = socket.tls {
            guard socket.isSecured else { return }
            if tls.negotiatedProtocol != .h2 {
                speakHTTP1(session)
                return
            }
        }
        session.link = H2Link(
            H2Session(client: Worker.sessionLimits, chunks: poller.chunks, streams: streams), socket)
        session.deadline = .max
        let waiting = session.waiting
        session.waiting = []
        for upstream in waiting {
            if let exchange = upstream.exchange { sendRequest(upstream, exchange) }
        }
        if let link = session.link { queue(link) }
        // All may have left while it was being made.
        restOrClose(session)
    }

    /// The server has chosen HTTP/1.1: one of those that wait gets the connection, the others get their own.
    private func speakHTTP1(_ session: UpstreamSession) {
        guard let server = session.server, let socket = session.socket else { return }
        server.speaksHTTP1 = true
        let waiting = session.waiting
        server.sessions.removeAll { $0 === session }
        server.pool.closed()
        session.reset()
        vacantSessions.append(session.index)
        var unused: Socket? = socket
        for upstream in waiting {
            guard let exchange = upstream.exchange else { continue }
            detach(upstream, exchange)
            guard let socket = unused else {
                connect(exchange, server)
                continue
            }
            unused = nil
            let own = takeUpstream(socket, server)
            assign(own, exchange)
            sendRequest(own, exchange)
        }
        if let socket = unused { poller.close(socket) }
    }

    /// Takes the exchange off its place without a word about it to the server.
    private func detach(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        exchange.upstream = nil
        upstream.exchange = nil
        upstream.server?.ended()
        upstream.reset()
        vacantUpstreams.append(upstream.index)
    }

    // MARK: Requests

    /// Opens a stream with the request, whose head stands in HTTP/1's form in the exchange's chunk. Answers false where
    /// the server takes no more streams on this connection.
    func openStream(_ upstream: UpstreamConnection, _ exchange: Exchange, _ chunk: Chunk) -> Bool {
        guard let session = upstream.session, let link = session.link else { return false }
        let bytes = chunk.readable
        let method = RequestText.word(bytes, from: 0)
        let path = RequestText.word(bytes, from: method.count + 1)
        let host = RequestText.host(bytes)
        let fields = HeadWriter.fieldLines(bytes)
        let scheme = Worker.scheme(session.socket)
        let stream = link.session.request(
            method: method, scheme: scheme.span, authority: host, path: path, fields: fields,
            ended: exchange.requestBody.isComplete && exchange.collected.isEmpty)
        queue(link)
        guard let stream else { return false }
        stream.owner = upstream.index + 1
        upstream.stream = stream
        upstream.askedAt = poller.now
        session.add(upstream)
        session.deadline = .max
        exchange.requestBody = exchange.requestBody.retargeted(.frames)
        return true
    }

    private static let http = Array("http".utf8)
    private static let https = Array("https".utf8)

    /// `:scheme` of what is asked for on this connection.
    static func scheme(_ socket: Socket?) -> [UInt8] { socket?.filter == nil ? http : https }

    /// The connection has no stream for the exchange after all.
    func moveToAnotherSession(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let session = upstream.session, let server = upstream.server else { return }
        let isFull = !session.hasRoom
        detach(upstream, exchange)
        // Where there was room it is the request that cannot be said in HTTP/2.
        if isFull { connect(exchange, server) } else { fail(exchange, .connectFailed) }
    }

    // MARK: Events

    func sessionReceived(_ session: UpstreamSession) {
        guard let link = session.link, let socket = session.socket, let inbox = socket.inbox else { return }
        session.heardAt = poller.now
        let isSound = link.session.receive(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        session.server?.streamLimit = max(1, link.session.peerStreams)
        handleEvents(session, link)
        queue(link)
        guard session.link === link else { return }
        if isSound { poller.readMore(socket) } else { session.isLeaving = true }
    }

    /// An answer did not come in time. A connection that has said nothing at all since it was asked for gets no further
    /// requests: it may be dead, and only its silence tells.
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
                } else {
                    discard(stream, link)
                }
            case .drained(let stream): if let upstream = upstream(of: stream) { upstreamSent(upstream) }
            case .reset(let stream, _): if let upstream = upstream(of: stream) { streamBroke(upstream, stream) }
            case .closed: break
            }
        }
    }

    private func discard(_ stream: H2Stream, _ link: H2Link) {
        while let chunk = stream.takeInbox() {
            link.session.consumed(stream, chunk.count)
            poller.chunks.give(chunk)
        }
    }

    private func upstream(of stream: H2Stream) -> UpstreamConnection? {
        guard stream.owner > 0 else { return nil }
        let upstream = upstreams[stream.owner - 1]
        return upstream.stream === stream ? upstream : nil
    }

    private func interimReceived(_ upstream: UpstreamConnection, _ stream: H2Stream) {
        guard let exchange = upstream.exchange, let buffer = stream.interim else { return }
        upstream.heard = true
        exchange.mayReplay = false
        upstream.interim += 1
        let outcome = stream.responseHead(
            into: responseHeaders, limits: UpstreamConnection.headLimits, requestMethod: exchange.head.method,
            isInterim: true)
        guard case .head(let head) = outcome, upstream.interim <= UpstreamConnection.maximumInterim else {
            fail(exchange, .invalidResponse)
            return
        }
        forwardInterim(head, exchange, buffer.readable)
    }

    private func headReceived(_ upstream: UpstreamConnection, _ stream: H2Stream) {
        guard let exchange = upstream.exchange else { return }
        upstream.heard = true
        exchange.mayReplay = false
        let outcome = stream.responseHead(
            into: responseHeaders, limits: UpstreamConnection.headLimits, requestMethod: exchange.head.method)
        switch outcome {
        case .head(let head): beginResponse(upstream, exchange, head, stream.head)
        case .invalid: fail(exchange, .invalidResponse)
        }
    }

    /// The server has ended the stream before its time.
    private func streamBroke(_ upstream: UpstreamConnection, _ stream: H2Stream) {
        guard let exchange = upstream.exchange else { return }
        // RFC 9113 section 8.7: the server has not looked at the request.
        let isUntouched = stream.mayReplay && exchange.requestBody.passed == 0
        stream.owner = 0
        if isUntouched {
            exchange.mayReplay = true
            upstream.session?.isLeaving = true
            dropUpstream(exchange)
            if replay(exchange) { return }
        }
        fail(exchange, .connectionLost)
    }

    // MARK: Ends

    /// The exchange is done with its stream, or gives it up.
    func leaveStream(_ upstream: UpstreamConnection) {
        guard let session = upstream.session else { return }
        if let stream = upstream.stream, let link = session.link {
            stream.owner = 0
            if !stream.isClosed, !(stream.ended && stream.unread == 0 && stream.endSent) {
                link.session.reset(stream, code: H2Code.cancel)
            }
            discard(stream, link)
            session.remove(upstream)
            queue(link)
        } else {
            session.waiting.removeAll { $0 === upstream }
        }
        upstream.reset()
        vacantUpstreams.append(upstream.index)
        restOrClose(session)
    }

    /// A connection that nobody uses idles for a while, or closes where no further stream may be opened.
    private func restOrClose(_ session: UpstreamSession) {
        guard session.users.isEmpty, session.waiting.isEmpty, let server = session.server else { return }
        if session.isLeaving || server.isRetired || hasUnusedSessionsEnough(server) {
            closeSession(session)
        } else if session.link != nil {
            setDeadline(session, in: server.pool.settings.idleTimeout)
        }
    }

    /// Whether more connections are unused than are kept: a server that allows one stream each has many after a burst.
    private func hasUnusedSessionsEnough(_ server: UpstreamServer) -> Bool {
        let most = server.pool.settings.maximumIdle
        guard server.sessions.count > most else { return false }
        return server.sessions.count { $0.users.isEmpty && $0.waiting.isEmpty } > most
    }

    /// Frames went out, as far as the server takes them.
    func sessionFlushed(_ session: UpstreamSession, _ link: H2Link) {
        // Framing makes room in streams, and ends some.
        handleEvents(session, link)
        if session.link === link, link.session.isOver { sessionBroke(session) }
    }

    /// The connection is broken, has ended, or was not to be had: so are all exchanges on it.
    func sessionBroke(_ session: UpstreamSession) {
        guard session.server != nil else { return }
        session.isLeaving = true
        // The last exchange that leaves closes the connection, and the object may be another one's by then.
        let generation = session.generation
        let failure: UpstreamFailure = session.link == nil ? connectFailure(session.socket) : .connectionLost
        for upstream in session.waiting + session.users {
            guard let exchange = upstream.exchange else { continue }
            let isUnheard = upstream.stream != nil && !upstream.heard
            if isUnheard {
                dropUpstream(exchange)
                if replay(exchange) { continue }
            }
            fail(exchange, failure)
        }
        if session.generation == generation { closeSession(session) }
    }

    /// What a connection that never stood has failed by.
    func connectFailure(_ socket: Socket?) -> UpstreamFailure {
        guard let failure = socket?.tls?.failure else { return .connectFailed }
        shared.log.write(
            "upstream_tls_failed",
            [
                ("server", .text(socket?.peer?.description ?? "")), ("reason", .text(failure.reason.code)),
                ("detail", .text(failure.detail ?? "")),
            ])
        return .tlsFailed
    }

    private func closeSession(_ session: UpstreamSession) {
        guard let socket = session.socket, let server = session.server else { return }
        poller.close(socket)
        server.sessions.removeAll { $0 === session }
        server.pool.closed()
        session.reset()
        vacantSessions.append(session.index)
    }

    /// Connections without exchanges to a server that is gone are closed, the others when they have none any more.
    func closeSessions(of server: UpstreamServer) {
        for session in server.sessions {
            session.isLeaving = true
            restOrClose(session)
        }
    }

    // MARK: Time

    func sessionTimer(_ session: UpstreamSession) {
        guard hasCome(session) else { return }
        session.isLeaving = true
        let generation = session.generation
        for upstream in session.waiting {
            if let exchange = upstream.exchange { fail(exchange, .connectTimedOut) }
        }
        if session.generation == generation { closeSession(session) }
    }
}
