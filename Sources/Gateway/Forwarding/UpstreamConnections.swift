import Crypto
import Reactor

/// A worker's upstream connections and their life cycle: opened, kept for reuse, closed. Independent of what is sent
/// over them.
final class UpstreamConnections: LoopPart {
    /// HTTP/1 connections, and the places of exchanges on HTTP/2 connections.
    let all = Slab<UpstreamConnection>()
    /// HTTP/2 connections.
    let sessions = Slab<UpstreamSession>()

    func take(_ socket: Socket, _ server: UpstreamServer) -> UpstreamConnection {
        let upstream = all.take { UpstreamConnection(index: $0) }
        counters.metrics.upstreamConnectionsOpened &+= 1
        server.pool.opened()
        upstream.socket = socket
        upstream.server = server
        socket.role = LoopRole.upstream
        socket.owner = upstream.index
        return upstream
    }

    func close(_ upstream: UpstreamConnection) {
        if upstream.session != nil {
            leaveStream(upstream)
            return
        }
        guard let socket = upstream.socket else { return }
        poller.close(socket)
        upstream.server?.pool.closed()
        upstream.reset()
        all.give(upstream)
    }

    func endUnused(_ upstream: UpstreamConnection) {
        upstream.server?.pool.forget(upstream)
        close(upstream)
    }

    /// Returns the connection to its pool if it can serve another exchange.
    func release(_ upstream: UpstreamConnection, requestComplete: Bool) {
        if upstream.session != nil {
            leaveStream(upstream)
            return
        }
        // Bytes after the response answer no request: the framing cannot be trusted.
        guard let socket = upstream.socket, let server = upstream.server, !server.isRetired, upstream.keepAlive,
            requestComplete,
            socket.unread == 0, !socket.mayHaveMore, !socket.isUnusable, socket.pendingBytes == 0
        else {
            close(upstream)
            return
        }
        upstream.phase = .idle
        upstream.body = .empty
        poller.releaseEmptyInbox(socket)
        guard let time = server.pool.keep(upstream) else {
            close(upstream)
            return
        }
        poller.setDeadline(upstream, in: time)
    }

    /// Releases a connection that cannot serve another exchange.
    func drop(_ exchange: Exchange) {
        guard let upstream = exchange.upstream else { return }
        if exchange.response.hasBegun { exchange.response.bytes = upstream.body.passed }
        exchange.upstream = nil
        upstream.exchange = nil
        upstream.server?.ended()
        close(upstream)
    }

    func assign(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        upstream.exchange = exchange
        upstream.heard = false
        upstream.interim = 0
        exchange.upstream = upstream
        upstream.server?.began()
    }

    func closeUnused(of server: UpstreamServer) {
        while let unused = server.pool.take() { close(unused) }
        closeSessions(of: server)
    }

    /// The failure of a connection that was never established.
    func connectFailure(_ socket: Socket?) -> UpstreamFailure {
        socket?.tls?.failure == nil ? .connectFailed : .tlsFailed
    }
}
