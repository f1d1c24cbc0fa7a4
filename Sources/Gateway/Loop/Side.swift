import Bytes
import HTTP
import Reactor

/// One end of an exchange's byte flow: towards its client or its upstream. Code that relays bytes works on sides,
/// independent of the protocol.
enum Side {
    /// The socket of an HTTP/1 connection, which has one exchange at a time.
    case socket(Socket)
    /// One of the streams of an HTTP/2 connection.
    case stream(H2Stream, H2Link)

    /// Bytes received and not yet consumed.
    var inbox: Chunk? {
        switch self {
        case .socket(let socket): socket.inbox
        case .stream(let stream, _): stream.inboxFront
        }
    }

    /// Bytes waiting until the peer takes more.
    var pendingBytes: Int {
        switch self {
        case .socket(let socket): socket.pendingBytes
        case .stream(let stream, _): stream.pendingBytes
        }
    }

    /// Whether the peer's message has ended and was completely consumed. The end of a socket is reported by a separate
    /// completion.
    var isExhausted: Bool {
        switch self {
        case .socket: false
        case .stream(let stream, _): stream.ended && stream.unread == 0
        }
    }
}

extension Exchange {
    /// The client's side; nil if the client is gone.
    var clientSide: Side? {
        guard let client, let socket = client.socket else { return nil }
        if let stream, let link = client.link { return .stream(stream, link) }
        return .socket(socket)
    }
}

extension UpstreamConnection {
    /// The upstream's side; nil once closed.
    var side: Side? {
        if let session { return stream.flatMap { stream in session.link.map { .stream(stream, $0) } } }
        guard let socket else { return nil }
        return .socket(socket)
    }
}
