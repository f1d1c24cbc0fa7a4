import Bytes
import HTTP
import Model
import Reactor

/// A worker's client connections. Yields requests as events; exchanges end here.
final class ClientFrontend: LoopPart {
    /// Bytes of an unneeded request body that are read before the connection is closed instead.
    static let skipAllowance = 64 * 1024

    static let lingerTime: Int64 = 2000

    let clients = Slab<ClientConnection>()
    let controlClients = ControlClients()
    /// Clients whose next request is in the inbox, unread.
    private var ready: [ClientConnection] = []
    let admission: ClientAdmission
    let exchanges: ExchangeTable
    let connections: UpstreamConnections

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ connections: UpstreamConnections) {
        admission = ClientAdmission(context)
        self.exchanges = exchanges
        self.connections = connections
        super.init(context)
    }

    // MARK: Accepting

    /// Accepts a connection. It is ready for `next` unless it was refused.
    func accept(_ socket: Socket, listener: Int) -> ClientConnection? {
        let role = admission.role(ofListener: listener)
        guard admit(socket, listener: listener, role) else { return nil }
        let client = clients.take { ClientConnection(index: $0) }
        counters.metrics.connectionsAccepted &+= 1
        socket.role = LoopRole.client
        socket.owner = client.index
        client.socket = socket
        client.listener = listener
        client.role = role
        client.idleSince = poller.now
        if role.isControl { controlClients.add(client) }
        client.address = socket.peer?.ipAddress
        if admission.awaitsProxyHeader(client) {
            client.phase = .readingProxyHeader
            poller.setDeadline(client, in: snapshot.limits.headerTimeout)
        } else {
            open(client, socket)
        }
        return client
    }

    /// Admits an accepted connection, or refuses and closes it (false).
    ///
    /// While draining, connections that waited at a closed listener are admitted and get one answer (GW-11).
    private func admit(_ socket: Socket, listener: Int, _ role: ListenerRole) -> Bool {
        if role.isControl {
            while let client = controlClients.inTheWay(of: listener) { close(client) }
            return controlClients.hasRoom(listener) || refuse(socket, .connections)
        }
        if let limit = admission.refusal(open: clients.used - controlClients.count) { return refuse(socket, limit) }
        return true
    }

    private func refuse(_ socket: Socket, _ limit: Limit) -> Bool {
        counters.metrics.connectionsRefused &+= 1
        limited(limit)
        poller.close(socket, reset: true)
        return false
    }

    /// Reads a PROXY header. The connection proper follows it.
    private func readProxyHeader(_ client: ClientConnection, _ socket: Socket, _ inbox: Chunk) {
        let outcome = ProxyProtocol.parse(inbox.readable)
        switch outcome {
        case .needMore:
            poller.readMore(socket)
        case .invalid:
            limited(.proxyHeader)
            close(client, reset: true)
        case .proxied(let length, let source, _):
            inbox.consume(length)
            client.address = source.address
            open(client, socket)
        case .local(let length):
            inbox.consume(length)
            open(client, socket)
        }
    }

    /// Counts the connection for its address, now known, and starts the listener's protocol.
    private func open(_ client: ClientConnection, _ socket: Socket) {
        if let limit = admission.refusal(of: client) {
            limited(limit)
            counters.metrics.connectionsRefused &+= 1
            close(client, reset: true)
            return
        }
        client.phase = .readingHead
        client.headDeadline = .max
        let settings = snapshot.listener(client.listener)
        client.mayBeHTTP2 = settings?.rules.http2 == true
        client.parser = RequestParser(limits: snapshot.limits.head(client.role))
        poller.setDeadline(client, in: snapshot.limits.headerTimeout)
        if let tls = settings?.tls {
            if !admission.mayHandshake() || !secure(client, socket, tls) { close(client, reset: true) }
        }
    }

    // MARK: Events

    /// The next event of the client; nil if nothing more can be read now. The owner calls it again after handling the
    /// event, and keeps `isServed` meanwhile.
    func next(_ client: ClientConnection) -> ClientEvent? {
        guard let socket = client.socket else { return nil }
        if let link = client.link { return nextEvent(client, link) }
        while client.socket === socket, let inbox = socket.inbox, !inbox.isEmpty {
            switch client.phase {
            case .readingHead where socket.pendingBytes > transport.highWater:
                // Stops reading from a client that takes no answers: they would accumulate without bound.
                poller.pauseReading(socket)
                return nil
            case .readingHead where client.mayBeHTTP2:
                guard recognise(client, socket, inbox) else { return nil }
            case .readingHead:
                if let event = readHead(client, socket, inbox) { return event }
                if client.link == nil { return nil }
            case .skippingBody:
                guard skipBody(client, inbox) else { return nil }
            case .readingProxyHeader:
                readProxyHeader(client, socket, inbox)
                if client.phase == .readingProxyHeader { return nil }
            case .multiplexing: return client.link.flatMap { nextEvent(client, $0) }
            case .inExchange, .lingering: return nil
            }
        }
        if let link = client.link { return nextEvent(client, link) }
        if client.socket === socket { poller.readMore(socket) }
        return nil
    }

    /// Bytes arrived from the client.
    func received(_ client: ClientConnection) {
        switch client.phase {
        case .lingering: linger(client)
        case .multiplexing: if let link = client.link { framesReceived(client, link) }
        case .readingProxyHeader, .readingHead, .skippingBody, .inExchange: break
        }
    }

    var hasReady: Bool { !ready.isEmpty }

    /// A client with an unread request in its inbox that is not being served; nil for none.
    func nextReady() -> ClientConnection? {
        guard !ready.isEmpty else { return nil }
        var rest = ready
        ready = []
        let client = rest.popLast()
        ready = rest
        return client
    }

    func readLater(_ client: ClientConnection) {
        if client.isServed { return }
        guard let socket = client.socket, let inbox = socket.inbox, !inbox.isEmpty else {
            if let socket = client.socket { poller.readMore(socket) }
            return
        }
        // Moved out and back in, like all tables of a worker: changing it in place would add an exclusivity check to
        // every access.
        var list = ready
        ready = []
        list.append(client)
        ready = list
    }

    /// The client has taken all output. Returns the exchange that may continue its response; nil for none.
    func sent(_ client: ClientConnection) -> Exchange? {
        guard let socket = client.socket else { return nil }
        if client.closeWhenSent {
            close(client)
            return nil
        }
        switch client.phase {
        case .lingering:
            poller.shutdownSending(socket)
            poller.setDeadline(client, in: ClientFrontend.lingerTime)
        case .inExchange:
            if let exchange = client.exchange { exchanges.awaitAgain(exchange) } else { client.deadline = .max }
            return client.exchange
        case .readingHead:
            // A head in progress keeps its deadline (slowloris).
            if client.headDeadline == .max {
                poller.setDeadline(client, in: snapshot.limits.idleTimeout)
            } else {
                poller.setDeadline(client, at: client.headDeadline)
            }
            poller.resumeReading(socket)
            readLater(client)
        case .skippingBody, .readingProxyHeader: break
        case .multiplexing: if let link = client.link { framesSent(client, link) }
        }
        return nil
    }

    /// The client closed its side or is gone. A complete request is then answered only if others follow it; clients
    /// that wait for an answer keep their side open (UPS-08).
    ///
    /// Returns the exchange with unread bytes; nil for none.
    func ended(_ client: ClientConnection) -> Exchange? {
        guard let socket = client.socket else { return nil }
        handshakeFailed(client)
        // No stream can receive anything more, including window updates.
        if client.phase == .multiplexing {
            close(client)
            return nil
        }
        if client.phase == .inExchange, let exchange = client.exchange, exchange.stage == .tunnelling {
            // A client that closed while reading was paused may have sent unread bytes.
            return socket.ended ? exchange : nil
        }
        // Complete requests that wait until earlier answers are taken precede the end.
        if client.phase == .readingHead, socket.isReadingPaused { return nil }
        client.closing = true
        if client.phase == .inExchange, let exchange = client.exchange {
            if exchange.requestBody.isComplete, socket.unread > 0 || exchange.stage != .forwarding { return nil }
            abandon(exchange, reason: .clientClosed)
            return nil
        }
        if socket.pendingBytes > 0 {
            client.closeWhenSent = true
        } else {
            close(client)
        }
        return nil
    }

    func failed(_ client: ClientConnection) {
        handshakeFailed(client)
        if let exchange = client.exchange {
            abandon(exchange, reason: .clientReset)
        } else {
            close(client)
        }
    }

    /// Returns the event for what timed out; nil if it was handled here.
    func timerFired(_ client: ClientConnection) -> ClientEvent? {
        guard poller.hasCome(client), let socket = client.socket else { return nil }
        if socket.pendingBytes > 0 {
            if exchanges.hasTakenEnough(client, client.exchange?.snapshot.limits ?? snapshot.limits) {
                exchanges.awaitClient(client, client.exchange?.snapshot.limits ?? snapshot.limits)
                return nil
            }
            limited(.readRate)
            leaveMultiplexing(client, reason: .clientWriteTimeout)
            if let exchange = client.exchange {
                abandon(exchange, reason: .clientWriteTimeout)
            } else {
                close(client, reset: true)
            }
            return nil
        }
        switch client.phase {
        case .readingHead where client.isShakingHands:
            handshakeFailed(client)
            close(client)
        case .readingHead:
            if socket.unread > 0 { return .slowHead(beginRefusal(client)) }
            close(client)
        case .inExchange:
            if let exchange = client.exchange { return .timedOut(exchange) }
        case .readingProxyHeader:
            limited(.proxyHeader)
            close(client, reset: true)
        case .skippingBody, .lingering: close(client)
        case .multiplexing: if let link = client.link { multiplexingTimedOut(client, link) }
        }
        return nil
    }
}
