import Bytes
import HTTP
import Model
import Reactor

/// HTTP/2 connections, shared by many exchanges.
extension UpstreamConnections {
    func takeSession(_ socket: Socket, _ server: UpstreamServer) -> UpstreamSession {
        let session = sessions.take { UpstreamSession(index: $0) }
        counters.metrics.upstreamConnectionsOpened &+= 1
        server.pool.opened()
        session.server = server
        session.socket = socket
        socket.role = LoopRole.upstreamSession
        socket.owner = session.index
        server.sessions.append(session)
        return session
    }

    /// Removes the exchange from the connection without informing the server.
    func detach(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        exchange.upstream = nil
        upstream.exchange = nil
        upstream.server?.ended()
        upstream.reset()
        all.give(upstream)
    }

    func discard(_ stream: H2Stream, _ link: H2Link) {
        while let chunk = stream.takeInbox() {
            link.session.consumed(stream, chunk.count)
            poller.chunks.give(chunk)
        }
    }

    /// The exchange has finished with its stream, or cancels it.
    func leaveStream(_ upstream: UpstreamConnection) {
        guard let session = upstream.session else { return }
        if let stream = upstream.stream, let link = session.link {
            stream.owner = 0
            if !stream.isClosed, !(stream.ended && stream.unread == 0 && stream.endSent) {
                link.session.reset(stream, code: H2Code.cancel)
            }
            discard(stream, link)
            session.remove(upstream)
            transport.queue(link)
        } else {
            session.waiting.removeAll { $0 === upstream }
        }
        upstream.reset()
        all.give(upstream)
        restOrClose(session)
    }

    /// Keeps a connection without streams for a while, or closes it if no further streams can be opened.
    func restOrClose(_ session: UpstreamSession) {
        guard session.users.isEmpty, session.waiting.isEmpty, let server = session.server else { return }
        if session.isLeaving || server.isRetired || hasUnusedSessionsEnough(server) {
            closeSession(session)
        } else if session.link != nil {
            poller.setDeadline(session, in: server.pool.settings.idleTimeout)
        }
    }

    /// Whether there are more idle connections than are kept: a server that allows one stream per connection has many
    /// after a burst.
    func hasUnusedSessionsEnough(_ server: UpstreamServer) -> Bool {
        let most = server.pool.settings.maximumIdle
        guard server.sessions.count > most else { return false }
        return server.sessions.count { $0.users.isEmpty && $0.waiting.isEmpty } > most
    }

    func closeSession(_ session: UpstreamSession) {
        guard let socket = session.socket, let server = session.server else { return }
        poller.close(socket)
        server.sessions.removeAll { $0 === session }
        server.pool.closed()
        session.reset()
        sessions.give(session)
    }

    /// Closes the idle connections to a removed server; the others close when their exchanges end.
    func closeSessions(of server: UpstreamServer) {
        for session in server.sessions {
            session.isLeaving = true
            restOrClose(session)
        }
    }
}
