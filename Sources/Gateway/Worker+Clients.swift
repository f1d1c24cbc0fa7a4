import Bytes
import HTTP
import Model
import Reactor

/// The client side of a worker: accepting, reading heads and bodies, writing, closing, time-outs.
extension Worker {
    /// How many bytes of an unwanted request body are read before the connection is closed instead.
    static let skipAllowance = 64 * 1024
    static let lingerTime: Int64 = 2000

    func accept(_ socket: Socket, listener: Int) {
        let role = role(ofListener: listener)
        guard admit(socket, listener: listener, role) else { return }
        let client: ClientConnection
        if let index = vacantClients.popLast() {
            client = clients[index]
        } else {
            client = ClientConnection(index: clients.count)
            // Out and in again, as in all tables of a worker: a change in place would put a check on every reading.
            var table = clients
            clients = []
            table.append(client)
            clients = table
        }
        metrics.connectionsAccepted &+= 1
        openClients += 1
        socket.role = Role.client
        socket.owner = client.index
        client.socket = socket
        client.listener = listener
        client.role = role
        client.idleSince = poller.now
        if role != .proxy { controlClients.append(client) }
        client.address = socket.peer?.ipAddress
        if awaitsProxyHeader(client) {
            client.phase = .readingProxyHeader
            setDeadline(client, in: snapshot.limits.headerTimeout)
        } else {
            open(client, socket)
        }
    }

    func clientReceived(_ client: ClientConnection) {
        switch client.phase {
        case .readingProxyHeader: readProxyHeader(client)
        case .readingHead, .skippingBody: readRequests(client)
        case .inExchange:
            if let exchange = client.exchange { requestBodyReceived(exchange) }
        case .lingering: linger(client)
        case .multiplexing: if let link = client.link { framesReceived(client, link) }
        }
    }

    /// Takes requests out of the inbox, one after the other, as long as each is answered at once.
    func readRequests(_ client: ClientConnection) {
        if client.draining { return }
        client.draining = true
        defer { client.draining = false }
        guard let socket = client.socket else { return }
        while client.socket === socket, let inbox = socket.inbox, !inbox.isEmpty {
            switch client.phase {
            case .readingHead where socket.pendingBytes > highWater:
                // A client that takes no answers gets no further ones: they would pile up here without a bound.
                poller.pauseReading(socket)
                return
            case .readingHead where client.mayBeHTTP2:
                guard recognise(client, socket, inbox) else { return }
            case .readingHead:
                guard readHead(client, socket, inbox) else { return }
            case .skippingBody:
                guard skipBody(client, inbox) else { return }
            case .readingProxyHeader, .inExchange, .lingering, .multiplexing: return
            }
        }
        if client.socket === socket { poller.readMore(socket) }
    }

    /// Looks whether the connection begins as one of HTTP/2 does. Answers false where more bytes are needed.
    private func recognise(_ client: ClientConnection, _ socket: Socket, _ inbox: Chunk) -> Bool {
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

    /// Parses the next head and begins its exchange. Answers false where more bytes are needed first.
    private func readHead(_ client: ClientConnection, _ socket: Socket, _ inbox: Chunk) -> Bool {
        var parser = client.parser
        let outcome = parser.parse(inbox.readable, into: requestHeaders)
        client.parser = parser
        switch outcome {
        case .head(let head):
            client.lacksPreface = false
            begin(client, head, inbox)
            return true
        case .needMore:
            if inbox.free == 0 { poller.growInbox(socket, toHold: snapshot.limits.head(client.role).maximumHeadBytes) }
            // A slow head is given its time once, from its first byte on (slowloris).
            if client.headDeadline == .max {
                client.headDeadline = poller.now + snapshot.limits.headerTimeout
                setDeadline(client, at: client.headDeadline)
            }
            poller.readMore(socket)
            return false
        case .invalid(.malformedVersion) where client.lacksPreface && !namesMethod(inbox.readable):
            // Neither a version nor a method of HTTP/1: a wrong preface of HTTP/2 (RFC 9113 section 3.4).
            beginHTTP2(client)
            return true
        case .invalid(let error):
            refuse(client, error)
            return true
        }
    }

    private func namesMethod(_ bytes: Span<UInt8>) -> Bool {
        RequestParser.method(atStartOf: bytes).map { $0 != .extension } ?? false
    }

    /// Reads and drops the rest of a body that nobody wants. Answers false where more bytes are needed.
    private func skipBody(_ client: ClientConnection, _ inbox: Chunk) -> Bool {
        let sink = poller.chunks.take()
        defer { poller.chunks.give(sink) }
        var skipped = client.skipped
        guard let used = try? skipped.relay(inbox.readable, into: sink), skipped.passed <= Worker.skipAllowance else {
            closeClient(client)
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
        // The time for all of it began with the end of the exchange: each piece that is dropped earns no more.
        // The buffer may have been full before, and then no new byte announces what waits in the kernel.
        if let socket = client.socket { poller.readMore(socket) }
        return false
    }

    /// The connection is ready for its next request.
    private func awaitRequest(_ client: ClientConnection) {
        client.phase = .readingHead
        client.headDeadline = .max
        client.idleSince = poller.now
        setDeadline(client, in: snapshot.limits.idleTimeout)
    }

    /// An exchange has written the last byte of its response.
    func exchangeEnded(_ client: ClientConnection, requestBody: BodyRelay) {
        client.exchange = nil
        guard let socket = client.socket else { return }
        poller.resumeReading(socket)
        if client.closing {
            closeAfterResponse(client, socket)
        } else if requestBody.isComplete {
            awaitRequest(client)
        } else {
            client.skipped = requestBody.discarding()
            client.phase = .skippingBody
            setDeadline(client, in: snapshot.limits.bodyTimeout)
        }
        if socket.pendingBytes > 0 { awaitClient(client, snapshot.limits) }
        if !client.draining { readRequests(client) }
    }

    /// Ends the connection without losing the response: our side first, then what the client still sends is dropped.
    func closeAfterResponse(_ client: ClientConnection, _ socket: Socket) {
        if socket.ended {
            client.closeWhenSent = true
            if socket.pendingBytes == 0 { closeClient(client) }
            return
        }
        client.phase = .lingering
        client.allowance = Worker.skipAllowance * 16
        if socket.pendingBytes == 0 { poller.shutdownSending(socket) }
        if socket.pendingBytes > 0 {
            awaitClient(client, snapshot.limits)
        } else {
            setDeadline(client, in: Worker.lingerTime)
        }
        linger(client)
    }

    private func linger(_ client: ClientConnection) {
        guard let socket = client.socket else { return }
        if let inbox = socket.inbox {
            client.allowance -= inbox.count
            inbox.consume(inbox.count)
        }
        if client.allowance < 0 {
            closeClient(client, reset: true)
        } else {
            poller.readMore(socket)
        }
    }

    func clientSent(_ client: ClientConnection) {
        guard let socket = client.socket else { return }
        if client.closeWhenSent {
            closeClient(client)
            return
        }
        switch client.phase {
        case .lingering:
            poller.shutdownSending(socket)
            setDeadline(client, in: Worker.lingerTime)
        case .inExchange:
            if let exchange = client.exchange { awaitAgain(exchange) } else { client.deadline = .max }
            if let upstream = client.exchange?.upstream { resumeResponse(upstream) }
        case .readingHead:
            // A head that has begun keeps the time it was given (slowloris).
            if client.headDeadline == .max {
                setDeadline(client, in: snapshot.limits.idleTimeout)
            } else {
                setDeadline(client, at: client.headDeadline)
            }
            poller.resumeReading(socket)
            readRequests(client)
        case .skippingBody, .readingProxyHeader: break
        case .multiplexing: if let link = client.link { framesSent(client, link) }
        }
    }

    /// The client has sent its last byte, or has gone. A request that is complete is still answered only if it has
    /// other requests behind it; a client that waits for an answer keeps its side open (UPS-08).
    func clientEnded(_ client: ClientConnection) {
        guard let socket = client.socket else { return }
        handshakeFailed(client)
        // Nothing more can come in any stream, not even the credit to send by.
        if client.phase == .multiplexing {
            closeClient(client)
            return
        }
        if client.phase == .inExchange, let exchange = client.exchange, exchange.stage == .tunnelling {
            // One that hung up while it is not read has said things that are still to be read.
            if socket.ended, let upstream = exchange.upstream { moveUp(upstream, exchange) }
            return
        }
        // Whole requests wait until earlier answers are taken: they come before the end.
        if client.phase == .readingHead, socket.isReadingPaused { return }
        client.closing = true
        if client.phase == .inExchange, let exchange = client.exchange {
            if exchange.requestBody.isComplete, socket.unread > 0 || exchange.stage != .forwarding { return }
            abandon(exchange, reason: .clientClosed)
            return
        }
        if socket.pendingBytes > 0 {
            client.closeWhenSent = true
        } else {
            closeClient(client)
        }
    }

    func clientFailed(_ client: ClientConnection) {
        handshakeFailed(client)
        if let exchange = client.exchange {
            abandon(exchange, reason: .clientReset)
        } else {
            closeClient(client)
        }
    }

    func closeClient(_ client: ClientConnection, reset: Bool = false) {
        guard let socket = client.socket else { return }
        leaveMultiplexing(client, reason: reset ? .clientReset : .clientClosed)
        poller.close(socket, reset: reset)
        if let address = client.talliedAddress { shared.connections.leave(address) }
        if client.role != .proxy { controlClients.removeAll { $0 === client } }
        client.reset()
        vacantClients.append(client.index)
        openClients -= 1
        if isDraining { finishIfIdle() }
    }

    // MARK: Time-outs

    func clientTimer(_ client: ClientConnection) {
        guard hasCome(client), let socket = client.socket else { return }
        if socket.pendingBytes > 0 {
            if hasTakenEnough(client, client.exchange?.snapshot.limits ?? snapshot.limits) {
                awaitClient(client, client.exchange?.snapshot.limits ?? snapshot.limits)
                return
            }
            limited(.readRate)
            leaveMultiplexing(client, reason: .clientWriteTimeout)
            if let exchange = client.exchange {
                abandon(exchange, reason: .clientWriteTimeout)
            } else {
                closeClient(client, reset: true)
            }
            return
        }
        switch client.phase {
        case .readingHead where client.isShakingHands:
            handshakeFailed(client)
            closeClient(client)
        case .readingHead:
            if socket.unread > 0 { refuseSlowHead(client) } else { closeClient(client) }
        case .inExchange:
            if let exchange = client.exchange { exchangeTimedOut(exchange) }
        case .readingProxyHeader:
            limited(.proxyHeader)
            closeClient(client, reset: true)
        case .skippingBody, .lingering: closeClient(client)
        case .multiplexing: if let link = client.link { multiplexingTimedOut(client, link) }
        }
    }
}
