import HTTP
import Reactor

/// An HTTP/2 connection of a worker: the session and its socket.
final class H2Link {
    let session: H2Session
    let socket: Socket
    /// Whether frames may be waiting for the end of the turn.
    var isQueued = false

    init(_ session: H2Session, _ socket: Socket) {
        self.session = session
        self.socket = socket
    }
}
