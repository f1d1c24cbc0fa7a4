import Bytes
import HTTP
import Model
import Reactor

/// Reads HTTP/1 requests, one after the other.
extension ClientFrontend {
    /// Checks for an HTTP/2 preface. False if more bytes are needed.
    func recognise(_ client: ClientConnection, _ socket: Socket, _ inbox: Chunk) -> Bool {
        switch H2Preface.match(inbox.readable) {
        case .different:
            client.mayBeHTTP2 = false
            client.lacksPreface = true
        case .whole:
            client.mayBeHTTP2 = false
            beginHTTP2(client)
        case .beginning:
            poller.readMore(socket)
            return false
        }
        return true
    }

    /// Parses the next head and begins its exchange. Nil if more bytes are needed, or the connection turns out to be
    /// HTTP/2.
    func readHead(_ client: ClientConnection, _ socket: Socket, _ inbox: Chunk) -> ClientEvent? {
        var parser = client.parser
        let outcome = parser.parse(inbox.readable, into: requestHeaders)
        client.parser = parser
        switch outcome {
        case .head(let head):
            client.lacksPreface = false
            return .request(begin(client, head), inbox)
        case .needMore:
            if inbox.free == 0 { poller.growInbox(socket, toHold: snapshot.limits.head(client.role).maximumHeadBytes) }
            // One deadline for the whole head, from its first byte (slowloris).
            if client.headDeadline == .max {
                client.headDeadline = poller.now + snapshot.limits.headerTimeout
                poller.setDeadline(client, at: client.headDeadline)
            }
            poller.readMore(socket)
            return nil
        case .invalid(.malformedVersion) where client.lacksPreface && !namesMethod(inbox.readable):
            // Neither a version nor a method of HTTP/1: an invalid HTTP/2 preface (RFC 9113 section 3.4).
            beginHTTP2(client)
            return nil
        case .invalid(let error):
            return .malformed(beginRefusal(client), error)
        }
    }

    private func namesMethod(_ bytes: Span<UInt8>) -> Bool {
        RequestParser.method(atStartOf: bytes).map { $0 != .extension } ?? false
    }

    /// Discards the rest of an unused body. False if more bytes are needed.
    func skipBody(_ client: ClientConnection, _ inbox: Chunk) -> Bool {
        let sink = poller.chunks.take()
        defer { poller.chunks.give(sink) }
        var skipped = client.skipped
        guard let used = try? skipped.relay(inbox.readable, into: sink), skipped.passed <= ClientFrontend.skipAllowance
        else {
            close(client)
            return false
        }
        client.skipped = skipped
        inbox.consume(used)
        if client.skipped.isComplete {
            guard client.closing, let socket = client.socket else {
                awaitRequest(client)
                return true
            }
            closeAfterResponse(client, socket)
            return false
        }
        // The deadline began with the end of the exchange; discarded pieces do not extend it. If the buffer was full,
        // no event announces what is left in the kernel, so reading continues explicitly.
        if let socket = client.socket { poller.readMore(socket) }
        return false
    }

    /// The connection is ready for its next request.
    func awaitRequest(_ client: ClientConnection) {
        client.phase = .readingHead
        client.headDeadline = .max
        client.idleSince = poller.now
        poller.setDeadline(client, in: snapshot.limits.idleTimeout)
    }

    /// Begins the exchange of a head parsed into `requestHeaders`.
    private func begin(_ client: ClientConnection, _ head: RequestHead) -> Exchange {
        let exchange = exchanges.take()
        exchange.client = client
        exchange.head = head
        exchange.times.startedAt = Clock.monotonicMicroseconds
        exchange.requestBody = BodyRelay(head.framing, to: head.framing.isChunked ? .chunked : .raw)
        client.exchange = exchange
        client.phase = .inExchange
        client.deadline = .max
        client.headDeadline = .max
        client.closing = !head.keepAlive || isDraining
        return exchange
    }

    /// An exchange for answering invalid input. The rest of the input is discarded.
    func beginRefusal(_ client: ClientConnection) -> Exchange {
        let exchange = exchanges.take()
        exchange.client = client
        exchange.address = client.address
        exchange.times.startedAt = Clock.monotonicMicroseconds
        client.exchange = exchange
        client.phase = .inExchange
        client.deadline = .max
        client.closing = true
        exchanges.makeRequestID(exchange)
        if let inbox = client.socket?.inbox {
            if RequestParser.method(atStartOf: inbox.readable) == .head { exchange.head.method = .head }
            inbox.consume(inbox.count)
        }
        exchange.head.length = 0
        return exchange
    }
}
