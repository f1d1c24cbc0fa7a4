import Bytes
import HTTP
import Model
import Reactor

/// What the parts of a worker share: the event loop, the process behind it, the configuration in force, and buffers that
/// hold only for the time of a call.
final class LoopContext {
    /// Number of the worker, from 0.
    let number: Int
    let poller: Poller
    let shared: SharedState
    let mailbox: Mailbox<WorkerMessage>
    let counters: WorkerCounters
    let transport: Transport
    /// The configuration in force. Exchanges that were begun under an earlier one keep it.
    var snapshot: GatewaySnapshot
    /// Field lines of the request head being decided, and of the response head being relayed.
    let requestHeaders = HeaderTable()
    let responseHeaders = HeaderTable()
    /// Streams without use, for all HTTP/2 connections.
    let streams = H2StreamPool()
    /// The worker takes no connections any more, and ends when the last request has its answer.
    var isDraining = false

    init(number: Int, poller: Poller, shared: SharedState, snapshot: GatewaySnapshot) {
        self.number = number
        self.poller = poller
        self.shared = shared
        self.snapshot = snapshot
        mailbox = shared.mailboxes[number]
        transport = Transport(poller)
        counters = WorkerCounters(snapshot, accessLog: shared.settings.accessLog.map { AccessLog(writer: $0) })
    }

    /// Whether the gateway is ready for requests.
    var readiness: Readiness {
        Readiness(snapshot, store: shared.tokens.report(now: poller.now), isDraining: isDraining)
    }

    /// A number that differs from call to call, for choices that are to be spread.
    static var seed: UInt64 { HashRing.mix(UInt64(truncatingIfNeeded: Clock.monotonicMicroseconds)) }
}

/// A part of a worker. Parts know those that they are given, and never the worker.
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

    /// The configuration in force.
    final var snapshot: GatewaySnapshot { context.snapshot }
    final var isDraining: Bool { context.isDraining }

    /// Counts a refusal by a limit.
    final func limited(_ limit: Limit) { counters.limits.increment(limit.rawValue) }
}
