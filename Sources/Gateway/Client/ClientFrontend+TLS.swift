import Crypto
import HTTP
import Model
import Reactor

/// TLS clients: the handshake, and the negotiated protocol.
extension ClientFrontend {
    /// Starts TLS on an accepted connection. False if out of memory.
    func secure(_ client: ClientConnection, _ socket: Socket, _ settings: ListenerSettings.TLS) -> Bool {
        guard let session = settings.context.makeSession() else { return false }
        client.isShakingHands = true
        client.mayBeHTTP2 = false
        poller.secure(socket, with: TLSFilter(session))
        poller.setDeadline(client, in: settings.handshakeTimeout)
        return true
    }

    /// The handshake has completed.
    func secured(_ client: ClientConnection) {
        guard let socket = client.socket, let session = socket.tls else { return }
        client.isShakingHands = false
        counters.metrics.tlsHandshakes &+= 1
        if session.wasResumed { counters.metrics.tlsResumptions &+= 1 }
        poller.setDeadline(client, in: snapshot.limits.headerTimeout)
        if session.negotiatedProtocol == .h2 { beginHTTP2(client) }
    }

    /// Counts a failed handshake, and logs it if the operator may have caused it.
    func handshakeFailed(_ client: ClientConnection) {
        guard client.isShakingHands else { return }
        counters.metrics.tlsHandshakeFailures &+= 1
        let failure = client.socket?.tls?.failure
        let reason = failure?.reason ?? .tlsClosed
        counters.count(reason)
        noteFailure(of: client, reason, detail: failure?.detail)
    }

    /// Logs a connection that failed because of the client, at level `debug`.
    func noteFailure(of client: ClientConnection, _ reason: Reason, detail: String? = nil) {
        guard shared.log.takes(.debug) else { return }
        shared.log.write(
            .clientFailed,
            [
                ("client_ip", .text(client.address?.description ?? "")), ("reason", .text(reason.code)),
                ("detail", .text(detail ?? "")),
            ])
    }
}
