import Bytes
import Crypto
import HTTP
import Model
import Reactor

/// HTTP/2 upstreams: connections shared by many exchanges, and their streams.
extension UpstreamClient {
    /// Gives the exchange a stream on an existing, pending or new connection to the server. False if no further
    /// connection may be opened.
    func connectMultiplexed(_ exchange: Exchange, _ server: UpstreamServer) -> Bool {
        if let session = server.sessions.first(where: { $0.hasRoom }) {
            enter(session, exchange)
            return true
        }
        guard server.pool.mayOpen else { return false }
        let socket: Socket
        do throws(KernelError) {
            socket = try server.openSocket(poller)
        } catch {
            fail(exchange, .connectFailed, error: error)
            return true
        }
        let session = connections.takeSession(socket, server)
        poller.setDeadline(session, in: server.pool.settings.connectTimeout)
        enter(session, exchange)
        return true
    }

    /// Adds the exchange to the connection; its stream opens when the connection is established.
    private func enter(_ session: UpstreamSession, _ exchange: Exchange) {
        let upstream = connections.all.take { UpstreamConnection(index: $0) }
        upstream.server = session.server
        upstream.session = session
        upstream.phase = .connecting
        connections.assign(upstream, exchange)
        poller.setDeadline(upstream, in: exchange.group?.settings.connectTimeout ?? 5000)
        if session.link == nil {
            session.waiting.append(upstream)
        } else {
            sendRequest(upstream, exchange)
        }
    }

    /// The connection is established, including TLS.
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
            H2Session(client: UpstreamSession.limits, chunks: poller.chunks, streams: context.streams), socket)
        session.deadline = .max
        let waiting = session.waiting
        session.waiting = []
        for upstream in waiting {
            if let exchange = upstream.exchange { sendRequest(upstream, exchange) }
        }
        if let link = session.link { transport.queue(link) }
        // All exchanges may have left while it was being established.
        connections.restOrClose(session)
    }

    /// The server chose HTTP/1.1: one waiting exchange takes the connection, the others get their own.
    private func speakHTTP1(_ session: UpstreamSession) {
        guard let server = session.server, let socket = session.socket else { return }
        server.speaksHTTP1 = true
        let waiting = session.waiting
        server.sessions.removeAll { $0 === session }
        server.pool.closed()
        session.reset()
        connections.sessions.give(session)
        var unused: Socket? = socket
        for upstream in waiting {
            guard let exchange = upstream.exchange else { continue }
            connections.detach(upstream, exchange)
            guard let socket = unused else {
                connect(exchange, server, again: true)
                continue
            }
            unused = nil
            let own = connections.take(socket, server)
            connections.assign(own, exchange)
            sendRequest(own, exchange)
        }
        if let socket = unused { poller.close(socket) }
    }

    /// Opens a stream with the request, whose head is in HTTP/1 form in the exchange's chunk. False if the server
    /// accepts no more streams on this connection.
    func openStream(_ upstream: UpstreamConnection, _ exchange: Exchange, _ chunk: Chunk) -> Bool {
        guard let session = upstream.session, let link = session.link else { return false }
        let bytes = chunk.readable
        let method = RequestText.word(bytes, from: 0)
        let path = RequestText.word(bytes, from: method.count + 1)
        let host = RequestText.host(bytes)
        let fields = HeadWriter.fieldLines(bytes)
        let scheme = session.socket?.scheme ?? []
        let stream = link.session.request(
            method: method, scheme: scheme.span, authority: host, path: path, fields: fields,
            ended: exchange.requestBody.isComplete && exchange.collected.isEmpty)
        transport.queue(link)
        guard let stream else { return false }
        stream.owner = upstream.index + 1
        upstream.stream = stream
        upstream.askedAt = poller.now
        session.add(upstream)
        session.deadline = .max
        exchange.requestBody = exchange.requestBody.retargeted(.frames)
        return true
    }

    /// The connection has no stream for the exchange after all.
    func moveToAnotherSession(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let session = upstream.session, let server = upstream.server else { return }
        let isFull = !session.hasRoom
        connections.detach(upstream, exchange)
        // If there was room, the request cannot be expressed in HTTP/2.
        if isFull { connect(exchange, server, again: true) } else { fail(exchange, .connectFailed) }
    }
}
