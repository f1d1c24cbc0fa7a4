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

extension Worker {
    /// Sends what the chunk holds, now or when the peer takes it, and takes the chunk over.
    func send(_ chunk: Chunk, to side: Side) {
        switch side {
        case .socket(let socket): poller.send(socket, chunk)
        case .stream(let stream, let link):
            link.session.send(stream, chunk)
            queue(link)
        }
    }

    /// Stops reading until `target` has told that it has room again: the peer is slowed down by the flow control of its
    /// protocol. A stream needs nothing for that: its peer has credit for what was consumed, and for no more.
    func pauseReading(_ side: Side, until target: Side) {
        if case .socket(let socket) = side { poller.pauseReading(socket) }
        if case .stream(let stream, let link) = target { link.session.tellOfRoom(stream) }
    }

    /// Reads again. What has come to a socket in between is told by a completion.
    func resumeReading(_ side: Side) {
        if case .socket(let socket) = side { poller.resumeReading(socket) }
    }

    /// Reads on after bytes of the inbox were consumed.
    func readMore(_ side: Side) {
        if case .socket(let socket) = side { poller.readMore(socket) }
    }

    /// Takes the first chunk of unread bytes away; the caller sends it or gives it back to the pool.
    func takeInbox(_ side: Side) -> Chunk? {
        switch side {
        case .socket(let socket): return poller.takeInbox(socket)
        case .stream(let stream, let link):
            guard let chunk = stream.takeInbox() else { return nil }
            link.session.consumed(stream, chunk.count)
            queue(link)
            return chunk
        }
    }

    /// Drops bytes from the front of the inbox.
    func consume(_ count: Int, of inbox: Chunk, from side: Side) {
        switch side {
        case .socket: inbox.consume(count)
        case .stream(let stream, let link):
            link.session.consume(count, of: stream)
            queue(link)
        }
    }
}
