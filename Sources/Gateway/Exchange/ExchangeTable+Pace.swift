import HTTP
import Model
import Reactor

/// Least rates: of request bodies, and of clients that take their responses.
extension ExchangeTable {
    /// The client's time runs until more of its body comes; what has come since the last call has earned it time.
    func paceRequestBody(_ exchange: Exchange) {
        let limits = exchange.snapshot.limits
        var pace = exchange.bodyPace
        if pace.bytes == 0, pace.deadline == .max {
            pace.start(now: poller.now, allowance: limits.bodyTimeout)
        }
        pace.resume(now: poller.now, allowance: limits.bodyTimeout)
        let passed = max(exchange.requestBody.passed, exchange.collected.count)
        pace.moved(
            passed - pace.bytes, now: poller.now, rate: limits.minimumBodyRate, allowance: limits.bodyTimeout)
        pace.bytes = passed
        exchange.bodyPace = pace
        setClientDeadline(exchange, at: min(pace.deadline, exchange.decisionDeadline))
    }

    /// The upstream is slower than the client: the client's time stands still.
    func pauseRequestBody(_ exchange: Exchange) {
        var pace = exchange.bodyPace
        pace.pause(now: poller.now)
        exchange.bodyPace = pace
        clearClientDeadline(exchange)
    }

    /// The client's time to take what waits for it of a response runs from now. Each stream has its own: flow control may
    /// hold one of them alone.
    func awaitClient(_ exchange: Exchange) {
        let limits = exchange.snapshot.limits
        if exchange.stream == nil {
            if let client = exchange.client { awaitClient(client, limits) }
            return
        }
        exchange.delivery = Delivery(bytes: taken(exchange), since: poller.now)
        setClientDeadline(exchange, in: limits.writeTimeout)
    }

    /// The same as for a connection, for a stream.
    func hasTakenEnough(_ exchange: Exchange) -> Bool {
        hasTaken(
            taken(exchange) - exchange.delivery.bytes, since: exchange.delivery.since,
            rate: exchange.snapshot.limits.minimumBodyRate)
    }

    /// Bytes of the response that have gone out in frames.
    private func taken(_ exchange: Exchange) -> Int {
        (exchange.upstream?.body.passed ?? exchange.response.bytes) - (exchange.clientSide?.pendingBytes ?? 0)
    }

    /// The client's time to take what waits for it runs from now.
    func awaitClient(_ client: ClientConnection, _ limits: GatewayLimits) {
        guard let socket = client.socket else { return }
        client.delivery = Delivery(bytes: poller.delivered(socket), since: poller.now)
        poller.setDeadline(client, in: limits.writeTimeout)
    }

    /// Whether a client whose time is over has taken so much meanwhile that it gets the same again. Progress is what its
    /// end has acknowledged: what the kernel holds for it may be megabytes, which a slow reader takes minutes for.
    func hasTakenEnough(_ client: ClientConnection, _ limits: GatewayLimits) -> Bool {
        guard let socket = client.socket else { return false }
        return hasTaken(
            poller.delivered(socket) - client.delivery.bytes, since: client.delivery.since, rate: limits.minimumBodyRate
        )
    }

    private func hasTaken(_ count: Int, since begin: Int64, rate: Int) -> Bool {
        count > 0 && count >= rate * Int(poller.now - begin) / 1000
    }
}
