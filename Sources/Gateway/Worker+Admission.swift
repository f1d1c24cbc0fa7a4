import Bytes
import HTTP
import Model
import Reactor

/// Who may connect: limits that hold before a byte is read, and the PROXY header in front of everything else.
extension Worker {
    /// Whether a connection, of whomever, is one too many, and which limit says so.
    private func refusal() -> Limit? {
        if openClients - controlClients.count >= snapshot.limits.maximumConnectionsPerWorker { return .connections }
        return bufferPressure == .over ? .memory : nil
    }

    /// Decides about a connection that was just accepted. Answers false where it is refused and closed.
    ///
    /// While draining, those come that waited at a listener when it was closed, and get one answer (GW-11).
    func admit(_ socket: Socket, listener: Int, _ role: ListenerSettings.Role) -> Bool {
        if role != .proxy { return hasControlRoom(listener) || refuse(socket, .connections) }
        if let limit = refusal() { return refuse(socket, limit) }
        return true
    }

    private func refuse(_ socket: Socket, _ limit: Limit) -> Bool {
        metrics.connectionsRefused &+= 1
        limited(limit)
        poller.close(socket, reset: true)
        return false
    }

    /// Whether the peer must begin with a PROXY header: only the configured ones are asked for it. From anybody else it
    /// would be read as what comes first otherwise, TLS or a request, and be refused as such.
    func awaitsProxyHeader(_ client: ClientConnection) -> Bool {
        guard let peers = snapshot.listener(client.listener)?.proxyPeers, let address = client.address else {
            return false
        }
        return peers.contains(address)
    }

    /// Bytes of a PROXY header have come. What stands behind it is the connection proper.
    func readProxyHeader(_ client: ClientConnection) {
        guard let socket = client.socket, let inbox = socket.inbox else { return }
        let outcome = ProxyProtocol.parse(inbox.readable)
        switch outcome {
        case .needMore:
            poller.readMore(socket)
        case .invalid:
            limited(.proxyHeader)
            closeClient(client, reset: true)
        case .proxied(let length, let source, _):
            inbox.consume(length)
            client.address = source.address
            open(client, socket)
        case .local(let length):
            inbox.consume(length)
            open(client, socket)
        }
    }

    /// The connection's address is known: counts it, and begins with the protocol of the listener.
    func open(_ client: ClientConnection, _ socket: Socket) {
        if let limit = refusal(of: client) {
            limited(limit)
            metrics.connectionsRefused &+= 1
            closeClient(client, reset: true)
            return
        }
        client.phase = .readingHead
        client.headDeadline = .max
        let settings = snapshot.listener(client.listener)
        client.mayBeHTTP2 = settings?.takesHTTP2 == true
        client.parser = RequestParser(limits: snapshot.limits.head(client.role))
        setDeadline(client, in: snapshot.limits.headerTimeout)
        if let tls = settings?.tls {
            if !mayHandshake() || !secure(client, socket, tls) { closeClient(client, reset: true) }
        } else if socket.inbox != nil {
            readRequests(client)
        }
    }

    /// The limit of its address that the connection is over, before anything is done for it; else counts it. A trusted
    /// proxy speaks for many and has no limit.
    private func refusal(of client: ClientConnection) -> Limit? {
        guard client.role == .proxy, let address = client.address, !snapshot.proxies.contains(address) else {
            return nil
        }
        let limits = snapshot.limits
        if limits.maximumFloodsPerAddress > 0,
            shared.floods.bars(address, limit: limits.maximumFloodsPerAddress, now: poller.now)
        {
            return .floodsPerAddress
        }
        guard limits.maximumConnectionsPerAddress > 0 else { return nil }
        guard shared.connections.enter(address, limit: limits.maximumConnectionsPerAddress) else {
            return .connectionsPerAddress
        }
        client.talliedAddress = address
        return nil
    }

    /// A connection is ended for a flood: the next ones of its address may not be let in.
    func noteFlood(_ client: ClientConnection) {
        let limit = snapshot.limits.maximumFloodsPerAddress
        guard limit > 0, let address = client.address, !snapshot.proxies.contains(address) else { return }
        shared.floods.note(address, limit: limit, now: poller.now)
    }

    /// Whether a TLS handshake may begin now.
    func mayHandshake() -> Bool {
        let admitted = shared.handshakes.admit(limit: snapshot.limits.maximumHandshakesPerSecond, now: poller.now)
        if !admitted { limited(.handshakes) }
        return admitted
    }

    /// Counts a refusal by a limit.
    func limited(_ limit: Limit) { limitCounters.increment(limit.rawValue) }
}
