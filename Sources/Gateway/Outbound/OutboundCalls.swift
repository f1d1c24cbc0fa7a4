import Crypto
import Model
import Outbound
import Reactor
import Synchronization

/// A call in transit to a worker.
package struct PendingCall: Sendable {
    let call: OutboundCall
    let then: @Sendable (OutboundResult) -> Void
}

/// Makes calls to other servers on the event loops, in rotation. Never blocks: names are resolved and results processed
/// on separate threads, so that neither a slow resolver nor a long key set delays a loop.
package final class OutboundCalls: OutboundCaller {
    private struct State {
        var mailboxes: [Mailbox<WorkerMessage>] = []
        /// Running workers.
        var live: [Int] = []
        var next = 0
        var counters = Counters()
    }

    /// Results of calls.
    struct Counters {
        var underWay = 0
        var answered: UInt64 = 0
        /// By index of the failure.
        var failed = [UInt64](repeating: 0, count: OutboundFailure.allCases.count)
    }

    /// Maximum number of concurrent calls, each of which may hold its `maximumBytes`.
    static let maximumUnderWay = 512

    private let state = Mutex(State())
    private let standard = Mutex<TLSClientContext?>(nil)
    /// Name resolution blocks, and must not queue behind password hashes.
    private let names = NameResolver(pool: BlockingPool(width: 4, limit: OutboundCalls.maximumUnderWay))
    private let results: BlockingPool?

    /// Until workers are attached, calls fail as unavailable.
    /// - Parameter resultThreads: number of threads that process results; 0 uses the loops.
    package init(resultThreads: Int = 2) {
        results =
            resultThreads == 0 ? nil : BlockingPool(width: resultThreads, limit: OutboundCalls.maximumUnderWay)
    }

    /// Attaches the workers of the process.
    func attach(_ mailboxes: [Mailbox<WorkerMessage>]) {
        state.withLock {
            $0.mailboxes = mailboxes
            $0.live = Array(mailboxes.indices)
        }
    }

    package func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        var pending = PendingCall(call: call, then: then)
        if let trace = CallTrace.current { pending = CallTrace.tracing(pending, for: trace) }
        // Posted under the lock, so that nothing arrives after `remove`.
        let isPosted = state.withLock { state in
            state.counters.underWay += 1
            guard !state.live.isEmpty, state.counters.underWay <= OutboundCalls.maximumUnderWay else { return false }
            state.next = (state.next + 1) % state.live.count
            state.mailboxes[state.live[state.next]].post(.call(pending))
            return true
        }
        if !isPosted { finish(pending, .failed(.unavailable)) }
    }

    /// Removes a worker that accepts no more calls.
    func remove(worker: Int) { state.withLock { $0.live.removeAll { $0 == worker } } }

    /// Reports the result of a call on a result thread.
    func finish(_ pending: PendingCall, _ result: OutboundResult) {
        state.withLock {
            $0.counters.underWay -= 1
            switch result {
            case .response: $0.counters.answered += 1
            case .failed(let failure, _):
                $0.counters.failed[OutboundFailure.allCases.firstIndex(of: failure) ?? 0] += 1
            }
        }
        let then = pending.then
        if results?.submit({ then(result) }) != true { then(result) }
    }

    /// Resolves the target of a call, and answers on a pool thread. False if too many lookups are queued.
    func resolve(_ url: WebURL, _ done: @escaping @Sendable (NameResolver.Answer) -> Void) -> Bool {
        names.resolve(url.host, port: url.port) { [self] answer in
            // Loading the system's certificate authorities would take too long on a loop.
            if url.isSecure { _ = standardTLS }
            done(answer)
        }
    }

    /// Default TLS settings of calls; nil if the library cannot be set up.
    var standardTLS: TLSClientContext? {
        standard.withLock { context in
            if context == nil {
                var settings = TLSClientSettings()
                settings.protocols = [.http11]
                context = try? TLSClientContext(settings)
            }
            return context
        }
    }

    var counters: Counters { state.withLock { $0.counters } }
}
