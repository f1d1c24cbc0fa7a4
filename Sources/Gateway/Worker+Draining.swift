import HTTP
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
        for client in clients where client.link != nil { client.farewell.fallDue(now: poller.now) }
        let token = TimerToken(role: Role.drainDeadline, owner: 0)
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

    // MARK: HTTP/2

    /// Frames came in while the worker drains, and what they ask for is not begun: what is said now stands before the
    /// answers.
    func continueFarewell(_ client: ClientConnection, _ link: H2Link) {
        let session = link.session
        let step = client.farewell.received(
            waitsForAll: session.activeStreams > 0 && session.activeStreams == session.mostStreams,
            hasHeard: session.shutdownIsHeard, now: poller.now)
        if let step { say(step, link) }
    }

    /// Once a second.
    func continueFarewells() {
        for client in clients {
            guard let link = client.link, let step = client.farewell.passed(now: poller.now) else { continue }
            say(step, link)
        }
    }

    func say(_ step: Farewell.Step, _ link: H2Link) {
        switch step {
        case .ask: link.session.announceShutdown()
        case .refuse: link.session.shutDown()
        }
        queue(link)
    }

    func finishIfIdle() {
        if openClients == 0, !poller.hasLateArrivals, redis?.isIdle != false { isFinished = true }
    }
}
