import Reactor

/// How a worker comes to its end: no new connections, the last answers of those that are there.
extension Worker {
    /// Stops accepting, ends idle connections, and waits for the rest up to the limit (GW-11).
    ///
    /// - Parameter keepingIdle: a connection ends with the answer to its next request, or by its idle time: one that is
    ///   closed while idle may just be getting a request (RFC 9112 section 9.5).
    func drain(keepingIdle: Bool) {
        if !isDraining { beginDraining() }
        if !keepingIdle { endIdleClients() }
        finishIfIdle()
    }

    private func beginDraining() {
        isDraining = true
        poller.stopListening { _ in true }
        for client in clients where client.socket != nil {
            if let link = client.link { drainHTTP2(client, link) }
        }
        let token = TimerToken(role: Role.drainDeadline, owner: 0, generation: 0)
        poller.schedule(token, at: poller.now + snapshot.limits.drainTimeout)
    }

    private func endIdleClients() {
        for client in clients where client.socket != nil && client.link == nil {
            client.closing = true
            guard client.phase == .readingHead || client.phase == .readingProxyHeader, let socket = client.socket,
                socket.unread == 0
            else { continue }
            // A client that has not taken its last response yet still gets it.
            if socket.pendingBytes > 0 { closeAfterResponse(client, socket) } else { closeClient(client) }
        }
    }

    func finishIfIdle() {
        if openClients == 0, !poller.hasLateArrivals, redis?.isIdle != false { isFinished = true }
    }
}
