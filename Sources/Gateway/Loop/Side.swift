import Bytes
import HTTP
import Reactor

/// One end of an exchange's bytes. An exchange has two: toward its client and toward its upstream. What moves bytes
/// between them works on sides, and does not know by which protocol they travel.
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

    /// Bytes that wait until the peer takes more.
    var pendingBytes: Int {
        switch self {
        case .socket(let socket): socket.pendingBytes
        case .stream(let stream, _): stream.pendingBytes
        }
    }

    /// The peer's message is at its end, and all of it was taken. A socket's end is told by a completion of its own.
    var isExhausted: Bool {
        switch self {
        case .socket: false
        case .stream(let stream, _): stream.ended && stream.unread == 0
        }
    }
}

extension Exchange {
    /// The client's end; nil when the client is gone.
    var clientSide: Side? {
        guard let client, let socket = client.socket else { return nil }
        if let stream, let link = client.link { return .stream(stream, link) }
        return .socket(socket)
    }
}

extension UpstreamConnection {
    /// The upstream's end; nil once it is closed.
    var side: Side? {
        if let session { return stream.flatMap { stream in session.link.map { .stream(stream, $0) } } }
        guard let socket else { return nil }
        return .socket(socket)
    }
}
