import Model
import Reactor

/// Shutdown of a worker: no new connections, and the last answers on existing ones.
final class GracefulShutdown: LoopPart {
    private let exchanges: ExchangeTable
    private let frontend: ClientFrontend
    private let tunnels: Tunnels
    private let store: (any StoreConnection)?
    /// Number of completion checks since the end of the drain period.
    private(set) var looksAfterDrain = 0
    /// Whether the loop ends.
    var isFinished = false

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ tunnels: Tunnels,
        _ store: (any StoreConnection)?
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.tunnels = tunnels
        self.store = store
        super.init(context)
    }

    /// Stops accepting, ends idle connections, and waits for the rest up to the limit (GW-11).
    ///
    /// - Parameter keepingIdle: lets a connection end with its next answer or its idle timeout: closing an idle one
    ///   could lose a request in transit (RFC 9112 section 9.5).
    func drain(keepingIdle: Bool) {
        if !isDraining { beginDraining() }
        if !keepingIdle { frontend.endIdle() }
    }

    private func beginDraining() {
        context.isDraining = true
        poller.stopListening { _ in true }
        frontend.beginShutdowns()
        let token = TimerToken(role: LoopRole.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + snapshot.limits.drainTimeout)
    }

    /// Called at the end of a turn while draining: ends when nothing is left to wait for.
    func finishIfIdle() {
        if frontend.clients.used == 0, !poller.hasLateArrivals, store?.isIdle != false { isFinished = true }
    }

    private static let mostLooksAfterDrain = 20

    /// Milliseconds.
    private static let lookAfterDrainInterval: Int64 = 50

    /// The drain period is over: notifies long-lived exchanges and ends everything. Connections with a frame in transit
    /// or an untaken close frame get another second; pending requests do not.
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
        let token = TimerToken(role: LoopRole.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + GracefulShutdown.lookAfterDrainInterval)
    }
}
