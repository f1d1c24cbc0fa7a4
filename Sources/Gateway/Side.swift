import Bytes
import Reactor

/// One end of an exchange's bytes. An exchange has two: toward its client and toward its upstream. What moves bytes
/// between them works on sides, and does not know by which protocol they travel.
enum Side {
    /// The socket of an HTTP/1 connection, which has one exchange at a time.
    case socket(Socket)

    /// Bytes received and not yet consumed.
    var inbox: Chunk? {
        switch self {
        case .socket(let socket): socket.inbox
        }
    }

    /// Bytes that wait until the peer takes more.
    var pendingBytes: Int {
        switch self {
        case .socket(let socket): socket.pendingBytes
        }
    }
}

extension Exchange {
    /// The client's end; nil when the client is gone.
    var clientSide: Side? {
        guard let socket = client?.socket else { return nil }
        return .socket(socket)
    }
}

extension UpstreamConnection {
    /// The upstream's end; nil once it is closed.
    var side: Side? {
        guard let socket else { return nil }
        return .socket(socket)
    }
}

extension Worker {
    /// Sends what the chunk holds, now or when the peer takes it, and takes the chunk over.
    func send(_ chunk: Chunk, to side: Side) {
        switch side {
        case .socket(let socket): poller.send(socket, chunk)
        }
    }

    /// Stops reading: the peer is slowed down by the flow control of its protocol.
    func pauseReading(_ side: Side) {
        switch side {
        case .socket(let socket): poller.pauseReading(socket)
        }
    }

    /// Reads again, beginning with what has come in between.
    func resumeReading(_ side: Side) {
        switch side {
        case .socket(let socket): poller.resumeReading(socket)
        }
    }

    /// Reads on after bytes of the inbox were consumed.
    func readMore(_ side: Side) {
        switch side {
        case .socket(let socket): poller.readMore(socket)
        }
    }

    /// Takes the unread bytes away; the caller sends the chunk or gives it back to the pool.
    func takeInbox(_ side: Side) -> Chunk? {
        switch side {
        case .socket(let socket): poller.takeInbox(socket)
        }
    }

    /// Drops bytes from the front of the inbox, which the peer may then send more of.
    func consume(_ count: Int, of inbox: Chunk, from side: Side) {
        inbox.consume(count)
    }
}
