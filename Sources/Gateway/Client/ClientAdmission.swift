import HTTP
import Model
import Reactor

/// Which connections are admitted: limits that hold before a byte is read.
final class ClientAdmission: LoopPart {
    func role(ofListener listener: Int) -> ListenerRole {
        shared.isAdmin(listener: listener) ? .admin : snapshot.listener(listener)?.role ?? .proxy
    }

    var bufferPressure: BufferShare.Pressure {
        BufferShare.pressure(shared.buffers.bytes, ceiling: snapshot.limits.maximumBufferBytes)
    }

    /// The limit that one more connection would be over; nil for none.
    ///
    /// - Parameter open: connections of clients so far.
    func refusal(open: Int) -> Limit? {
        if open >= snapshot.limits.maximumConnectionsPerWorker { return .connections }
        return bufferPressure == .over ? .memory : nil
    }

    /// Whether the peer must begin with a PROXY header: only the configured ones are asked for it. From anybody else it
    /// would be read as what comes first otherwise, TLS or a request, and be refused as such.
    func awaitsProxyHeader(_ client: ClientConnection) -> Bool {
        guard let peers = snapshot.listener(client.listener)?.proxyPeers, let address = client.address else {
            return false
        }
        return peers.contains(address)
    }

    /// The limit of its address that the connection is over, before anything is done for it; else counts it. A trusted
    /// proxy speaks for many and has no limit.
    func refusal(of client: ClientConnection) -> Limit? {
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
        guard shared.connections.acquire(address, limit: limits.maximumConnectionsPerAddress) else {
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
}
