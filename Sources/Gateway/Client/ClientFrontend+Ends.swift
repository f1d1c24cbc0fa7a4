import Bytes
import HTTP
import Model
import Reactor

/// End of exchanges and connections.
extension ClientFrontend {
    // MARK: Exchanges

    /// The response is written: counts and logs it, and continues with the client.
    func finish(_ exchange: Exchange) {
        counters.count(exchange, snapshot, poller)
        let client = exchange.client.take()
        if let stream = exchange.stream.take() {
            stream.owner = 0
            client?.remove(exchange)
            exchanges.recycle(exchange)
            if let client { streamEnded(client) }
            return
        }
        let requestBody = exchange.requestBody
        exchanges.recycle(exchange)
        if let client { exchangeEnded(client, requestBody: requestBody) }
    }

    /// Ends an exchange whose client is gone or can no longer be answered.
    ///
    /// - Parameter reset: whether pending output may be dropped.
    func abandon(_ exchange: Exchange, reason: Reason, reset: Bool = true) {
        if exchange.stream != nil {
            abandonStream(exchange, reason: reason)
            return
        }
        connections.drop(exchange)
        record(exchange, abandonedFor: reason)
        let client = exchange.client
        exchanges.recycle(exchange)
        if let client {
            client.exchange = nil
            close(client, reset: reset)
        }
    }

    /// Ends an exchange whose response the upstream broke off: what it sent still reaches the client, before the
    /// connection or stream ends. Only a reset tells the client of a response without a delimiter that it is incomplete.
    func breakOff(_ exchange: Exchange, reason: Reason) {
        guard exchange.response.isDelimited else { return abandon(exchange, reason: reason) }
        if exchange.stream != nil { return abandonStream(exchange, reason: reason, keepsOutput: true) }
        connections.drop(exchange)
        record(exchange, abandonedFor: reason)
        let client = exchange.client
        exchanges.recycle(exchange)
        guard let client, let socket = client.socket else { return }
        client.exchange = nil
        client.closing = true
        poller.resumeReading(socket)
        closeAfterResponse(client, socket)
    }

    /// Counts and logs an exchange that was cut off.
    func record(_ exchange: Exchange, abandonedFor reason: Reason) {
        exchange.response.reason = reason
        counters.count(reason)
        if exchange.response.status == 0 { exchange.response.status = 499 }
        counters.count(exchange, snapshot, poller)
    }

    /// The last byte of the exchange's response was written.
    private func exchangeEnded(_ client: ClientConnection, requestBody: BodyRelay) {
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
            poller.setDeadline(client, in: snapshot.limits.bodyTimeout)
        }
        if socket.pendingBytes > 0 { exchanges.awaitClient(client, snapshot.limits) }
        readLater(client)
    }

    /// Closes the connection without losing the response: shuts down the sending side, then discards input.
    func closeAfterResponse(_ client: ClientConnection, _ socket: Socket) {
        if socket.ended {
            client.closeWhenSent = true
            if socket.pendingBytes == 0 { close(client) } else { exchanges.awaitClient(client, snapshot.limits) }
            return
        }
        client.phase = .lingering
        client.allowance = ClientFrontend.skipAllowance * 16
        if socket.pendingBytes == 0 { poller.shutdownSending(socket) }
        if socket.pendingBytes > 0 {
            exchanges.awaitClient(client, snapshot.limits)
        } else {
            poller.setDeadline(client, in: ClientFrontend.lingerTime)
        }
        linger(client)
    }

    func linger(_ client: ClientConnection) {
        guard let socket = client.socket else { return }
        if let inbox = socket.inbox {
            client.allowance -= inbox.count
            inbox.consume(inbox.count)
        }
        if client.allowance < 0 {
            close(client, reset: true)
        } else {
            poller.readMore(socket)
        }
    }

    func close(_ client: ClientConnection, reset: Bool = false) {
        guard let socket = client.socket else { return }
        leaveMultiplexing(client, reason: reset ? .clientReset : .clientClosed)
        poller.close(socket, reset: reset)
        if let address = client.talliedAddress { shared.connections.release(address) }
        if client.role.isControl { controlClients.remove(client) }
        client.reset()
        clients.give(client)
    }

    // MARK: Graceful shutdown

    func endIdle() {
        for client in clients.all where client.socket != nil && client.link == nil {
            client.closing = true
            guard client.phase == .readingHead || client.phase == .readingProxyHeader, let socket = client.socket,
                socket.unread == 0
            else { continue }
            // A client that has not yet taken its last response still gets it.
            if socket.pendingBytes > 0 { closeAfterResponse(client, socket) } else { close(client) }
        }
    }

    /// Frames arrived while the worker drains; their requests are not begun. GOAWAY is written before any answers.
    func continueShutdown(_ client: ClientConnection, _ link: H2Link) {
        let session = link.session
        let step = client.shutdown.received(
            waitsForAll: session.activeStreams > 0 && session.activeStreams == session.mostStreams,
            hasHeard: session.shutdownIsAcknowledged, now: poller.now)
        if let step { say(step, link) }
    }

    /// The worker drains: starts the shutdown of HTTP/2 connections.
    func beginShutdowns() {
        for client in clients.all where client.link != nil { client.shutdown.fallDue(now: poller.now) }
    }

    /// Called once a second.
    func continueShutdowns() {
        for client in clients.all {
            guard let link = client.link, let step = client.shutdown.passed(now: poller.now) else { continue }
            say(step, link)
        }
    }

    func say(_ step: ConnectionShutdown.Step, _ link: H2Link) {
        switch step {
        case .ask: link.session.announceShutdown()
        case .refuse: link.session.shutDown()
        }
        transport.queue(link)
    }
}
