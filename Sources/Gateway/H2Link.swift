import Bytes
import HTTP
import Reactor

/// One HTTP/2 connection of a worker: the session, and the socket that carries its frames.
final class H2Link {
    let session: H2Session
    let socket: Socket
    /// Frames may wait to be sent at the end of the turn.
    var isQueued = false

    init(_ session: H2Session, _ socket: Socket) {
        self.session = session
        self.socket = socket
    }
}

extension Worker {
    func flush(_ link: H2Link) {
        let socket = link.socket
        // The socket may be another connection's by now.
        let client = socket.role == Role.client ? frontend.clients[socket.owner] : nil
        let session = socket.role == Role.upstreamSession ? connections.sessions[socket.owner] : nil
        let check = socket.role == Role.healthCheck ? healthChecker.checks[socket.owner] : nil
        guard client?.link === link || session?.link === link || check?.link === link else { return }
        transport.flush(link)
        if let client {
            // Framing makes room in streams, and ends some.
            while let event = frontend.nextEvent(client, link) { handle(event) }
            frontend.flushed(client, link)
        }
        if let session { responseRelay.sessionFlushed(session, link) }
        if let check { healthChecker.flushed(check, link) }
    }
}
