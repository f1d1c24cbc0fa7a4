import HTTP
import Model
import Reactor

/// Minimum rates of request bodies, and of clients taking their responses.
extension ExchangeTable {
    /// Starts the client's time for more of its body; bytes received since the last call extend it.
    func paceRequestBody(_ exchange: Exchange) {
        let limits = exchange.snapshot.limits
        var pace = exchange.bodyPace
        if pace.bytes == 0, pace.deadline == .max {
            pace.start(now: poller.now, allowance: limits.bodyTimeout)
        }
        pace.resume(now: poller.now, allowance: limits.bodyTimeout)
        let waiting = exchange.attempt.upload.map { $0.isArriving ? $0.there : 0 } ?? 0
        let passed = max(exchange.requestBody.passed, exchange.collected.count, waiting)
        pace.moved(
            passed - pace.bytes, now: poller.now, rate: limits.minimumBodyRate, allowance: limits.bodyTimeout)
        pace.bytes = passed
        exchange.bodyPace = pace
        setClientDeadline(exchange, at: min(pace.deadline, exchange.decisionDeadline))
    }

    /// Pauses the client's time while the upstream is slower.
    func pauseRequestBody(_ exchange: Exchange) {
        var pace = exchange.bodyPace
        pace.pause(now: poller.now)
        exchange.bodyPace = pace
        clearClientDeadline(exchange)
    }

    /// Starts the client's time for taking pending output. Each stream has its own, because flow control may block it
    /// individually.
    func awaitClient(_ exchange: Exchange) {
        let limits = exchange.snapshot.limits
        if exchange.stream == nil {
            if let client = exchange.client { awaitClient(client, limits) }
            return
        }
        exchange.delivery = Delivery(bytes: taken(exchange), since: poller.now)
        setClientDeadline(exchange, in: limits.writeTimeout)
    }

    /// Whether the client of a stream took enough meanwhile, as for connections below.
    func hasTakenEnough(_ exchange: Exchange) -> Bool {
        hasTaken(
            taken(exchange) - exchange.delivery.bytes, since: exchange.delivery.since,
            rate: exchange.snapshot.limits.minimumBodyRate)
    }

    /// Response bytes sent in frames.
    private func taken(_ exchange: Exchange) -> Int {
        (exchange.upstream?.body.passed ?? exchange.response.bytes) - (exchange.clientSide?.pendingBytes ?? 0)
    }

    /// Starts the client's time for taking pending output.
    func awaitClient(_ client: ClientConnection, _ limits: GatewayLimits) {
        guard let socket = client.socket else { return }
        client.delivery = Delivery(bytes: poller.delivered(socket), since: poller.now)
        poller.setDeadline(client, in: limits.writeTimeout)
    }

    /// Whether a client whose time is over took enough meanwhile to get the same again. Progress is measured in
    /// acknowledged bytes: the kernel may buffer megabytes, which takes a slow reader minutes.
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
