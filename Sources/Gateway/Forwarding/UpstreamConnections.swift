import Bytes
import Crypto
import HTTP
import Model
import Reactor

/// A worker's connections to servers of upstreams, and their life: opened, kept for the next request, given up. What is
/// said over them is for others.
final class UpstreamConnections: LoopPart {
    /// Connections of HTTP/1, and the places of exchanges on those of HTTP/2.
    let all = Slab<UpstreamConnection>()
    /// HTTP/2 connections.
    let sessions = Slab<UpstreamSession>()

    func take(_ socket: Socket, _ server: UpstreamServer) -> UpstreamConnection {
        let upstream = all.take { UpstreamConnection(index: $0) }
        counters.metrics.upstreamConnectionsOpened &+= 1
        server.pool.opened()
        upstream.socket = socket
        upstream.server = server
        socket.role = Worker.Role.upstream
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

    /// Puts the connection back into its pool if it can serve another exchange.
    func release(_ upstream: UpstreamConnection, requestComplete: Bool) {
        if upstream.session != nil {
            leaveStream(upstream)
            return
        }
        // Bytes behind the response belong to nothing that was asked: the framing is not to be trusted any more.
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

    /// Ends the exchange's use of its upstream connection, which cannot serve another.
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
}
