import Bytes
import HTTP
import Reactor

/// Who may connect: limits that hold before a byte is read, and the PROXY header in front of everything else.
extension Worker {
    /// Whether a connection of this address is one too many, and which limit says so.
    private func refusal(of address: IPAddress?) -> Limit? {
        if openClients - adminClients >= snapshot.limits.maximumConnectionsPerWorker { return .connections }
        return bufferPressure == .over ? .memory : nil
    }

    /// Decides about a connection that was just accepted. Answers false where it is refused and closed.
    ///
    /// While draining, those come that waited at a listener when it was closed, and get one answer (GW-11).
    func admit(_ socket: Socket, listener: Int) -> Bool {
        if shared.isAdmin(listener: listener) {
            return adminClients < Worker.maximumAdminClients || refuse(socket, .connections)
        }
        if let limit = refusal(of: socket.peer?.ipAddress) { return refuse(socket, limit) }
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
        guard tally(client) else {
            limited(.connectionsPerAddress)
            metrics.connectionsRefused &+= 1
            closeClient(client, reset: true)
            return
        }
        client.phase = .readingHead
        client.headDeadline = .max
        let settings = snapshot.listener(client.listener)
        client.mayBeHTTP2 = settings?.takesHTTP2 == true
        client.parser = RequestParser(limits: snapshot.limits.head)
        setDeadline(client, in: snapshot.limits.headerTimeout)
        if let tls = settings?.tls {
            if !mayHandshake() || !secure(client, socket, tls) { closeClient(client, reset: true) }
        } else if socket.inbox != nil {
            readRequests(client)
        }
    }

    /// Counts the connection for its address. A trusted proxy speaks for many and has no limit.
    private func tally(_ client: ClientConnection) -> Bool {
        let limit = snapshot.limits.maximumConnectionsPerAddress
        guard limit > 0, let address = client.address, !snapshot.proxies.contains(address) else { return true }
        guard shared.connections.enter(address, limit: limit) else { return false }
        client.talliedAddress = address
        return true
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

extension SocketAddress {
    /// The address without its port; nil for a unix socket, whose peers have none.
    var ipAddress: IPAddress? { isUnix ? nil : IPAddress(octets: octets, isIPv6: isIPv6) }
}
