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
