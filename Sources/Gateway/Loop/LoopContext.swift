import Bytes
import HTTP
import Reactor

/// Shared by the parts of a worker: the event loop, the process, the current configuration, and buffers that are valid
/// during one call.
final class LoopContext {
    /// Number of the worker, from 0.
    let number: Int
    let poller: Poller
    let shared: SharedState
    let mailbox: Mailbox<WorkerMessage>
    let counters: WorkerCounters
    let transport: Transport
    /// The current configuration. Exchanges begun under an earlier one keep that.
    var snapshot: GatewaySnapshot
    /// Field lines of the request head being decided, and of the response head being relayed.
    let requestHeaders = HeaderTable()
    let responseHeaders = HeaderTable()
    /// Unused streams of all HTTP/2 connections.
    let streams = H2StreamPool()
    /// Whether the worker accepts no more connections and ends after the last response.
    var isDraining = false

    init(number: Int, poller: Poller, shared: SharedState, snapshot: GatewaySnapshot) {
        self.number = number
        self.poller = poller
        self.shared = shared
        self.snapshot = snapshot
        mailbox = shared.mailboxes[number]
        transport = Transport(poller)
        counters = WorkerCounters(
            snapshot, accessLog: shared.settings.accessLog.map { AccessLog(writer: $0) }, refusals: shared.refusals)
    }

    /// Readiness of the gateway.
    var readiness: Readiness {
        shared.readiness(of: snapshot, isDraining: isDraining, now: poller.now)
    }

    /// A different number at each call, for randomised choices.
    static var seed: UInt64 { HashRing.mix(UInt64(truncatingIfNeeded: Clock.monotonicMicroseconds)) }
}

/// A part of a worker. Parts know only those that they are given, and never the worker.
class LoopPart {
    final let context: LoopContext
    final let poller: Poller
    final let shared: SharedState
    final let counters: WorkerCounters
    final let transport: Transport
    final let requestHeaders: HeaderTable
    final let responseHeaders: HeaderTable

    init(_ context: LoopContext) {
        self.context = context
        poller = context.poller
        shared = context.shared
        counters = context.counters
        transport = context.transport
        requestHeaders = context.requestHeaders
        responseHeaders = context.responseHeaders
    }

    /// The current configuration.
    final var snapshot: GatewaySnapshot { context.snapshot }
    final var isDraining: Bool { context.isDraining }

    /// Counts a refusal by this limit.
    final func limited(_ limit: Limit) { counters.limits.increment(limit.rawValue) }
}
