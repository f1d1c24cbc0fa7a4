import HTTP
import Model
import Reactor

/// How a worker comes to its end: no new connections, the last answers of those that are there.
final class GracefulShutdown: LoopPart {
    private let exchanges: ExchangeTable
    private let frontend: ClientFrontend
    private let tunnels: Tunnels
    private let redis: RedisClient?
    /// How often was looked whether all is done since the time to drain was over.
    private(set) var looksAfterDrain = 0
    /// The loop ends.
    var isFinished = false

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ tunnels: Tunnels,
        _ redis: RedisClient?
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.tunnels = tunnels
        self.redis = redis
        super.init(context)
    }

    /// Stops accepting, ends idle connections, and waits for the rest up to the limit (GW-11).
    ///
    /// - Parameter keepingIdle: a connection ends with the answer to its next request, or by its idle time: one that is
    ///   closed while idle may just be getting a request (RFC 9112 section 9.5).
    func drain(keepingIdle: Bool) {
        if !isDraining { beginDraining() }
        if !keepingIdle { frontend.endIdle() }
    }

    private func beginDraining() {
        context.isDraining = true
        poller.stopListening { _ in true }
        frontend.beginShutdowns()
        let token = TimerToken(role: Worker.Role.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + snapshot.limits.drainTimeout)
    }

    /// At the end of a turn while the worker drains: whether all has come that it has waited for.
    func finishIfIdle() {
        if frontend.clients.used == 0, !poller.hasLateArrivals, redis?.isIdle != false { isFinished = true }
    }

    private static let mostLooksAfterDrain = 20

    /// Milliseconds.
    private static let lookAfterDrainInterval: Int64 = 50

    /// The time to drain is over: what lasts is told so, and everything ends. Where a frame is under way to a client, or it
    /// has not taken its close frame yet, it has a second more; who waits for an answer has not.
    func endDrain() {
        looksAfterDrain += 1
        let isLast = looksAfterDrain > GracefulShutdown.mostLooksAfterDrain
        for place in (0..<exchanges.longLived.count).reversed() {
            let exchange = exchanges.longLived[place]
            if !isLast, exchange.stage == .tunnelling, exchange.tunnel?.frames?.takesFrame == false { continue }
            tunnels.cut(exchange, .drained)
        }
        let isAwaited =
            exchanges.longLived.count > 0
            || frontend.clients.all.contains { $0.exchange == nil && $0.socket?.pendingBytes ?? 0 > 0 }
        guard isAwaited, !isLast else {
            isFinished = true
            return
        }
        let token = TimerToken(role: Worker.Role.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + GracefulShutdown.lookAfterDrainInterval)
    }
}
