import Model
import Reactor

/// Connection limits that are checked before any byte is read.
final class ClientAdmission: LoopPart {
    func role(ofListener listener: Int) -> ListenerRole {
        shared.isAdmin(listener: listener) ? .admin : snapshot.listener(listener)?.rules.role ?? .proxy
    }

    var bufferPressure: BufferShare.Pressure {
        BufferShare.pressure(shared.buffers.bytes, ceiling: snapshot.limits.maximumBufferBytes)
    }

    /// The limit that another connection would exceed; nil for none.
    ///
    /// - Parameter open: number of client connections.
    func refusal(open: Int) -> Limit? {
        if open >= snapshot.limits.maximumConnectionsPerWorker { return .connections }
        return bufferPressure == .over ? .memory : nil
    }

    /// Whether the peer must begin with a PROXY header: only configured peers may. From others it would be parsed as
    /// TLS or a request, and refused.
    func awaitsProxyHeader(_ client: ClientConnection) -> Bool {
        guard let peers = snapshot.listener(client.listener)?.rules.proxyPeers, let address = client.address else {
            return false
        }
        return peers.contains(address)
    }

    /// Counts the connection for its address, or returns the limit that it exceeds, before any work is done for it. A
    /// trusted proxy serves many clients and has no limit.
    func refusal(of client: ClientConnection) -> Limit? {
        guard !client.role.isControl, let address = client.address, !isProxy(client, address) else {
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

    private func isProxy(_ client: ClientConnection, _ address: IPAddress) -> Bool {
        if snapshot.proxies.contains(address) { return true }
        return client.role == .forwardAuth
            && snapshot.listener(client.listener)?.rules.forwardAuth?.trustedProxies.contains(address) == true
    }

    /// Records a connection that was closed for a flood; further ones of its address may be refused.
    func noteFlood(_ client: ClientConnection) {
        let limit = snapshot.limits.maximumFloodsPerAddress
        guard limit > 0, let address = client.address, !isProxy(client, address) else { return }
        shared.floods.note(address, limit: limit, now: poller.now)
    }

    /// Whether a TLS handshake may begin now.
    func mayHandshake() -> Bool {
        let admitted = shared.handshakes.admit(limit: snapshot.limits.maximumHandshakesPerSecond, now: poller.now)
        if !admitted { limited(.handshakes) }
        return admitted
    }
}
