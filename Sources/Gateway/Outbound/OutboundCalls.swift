import Crypto
import Identity
import Model
import Outbound
import Reactor
import Synchronization

/// A call on its way to a worker.
package struct PendingCall: Sendable {
    let call: OutboundCall
    let then: @Sendable (OutboundResult) -> Void
}

/// Makes calls to other servers on the event loops, in turn. Never blocks; names are looked up and results dealt with in
/// threads of their own, so that neither a slow resolver nor the reading of a long key set stops a loop.
package final class OutboundCalls: OutboundCaller {
    private struct State {
        var mailboxes: [Mailbox<WorkerMessage>] = []
        /// Workers that have not ended.
        var live: [Int] = []
        var next = 0
        var counters = Counters()
    }

    /// What became of the calls so far.
    struct Counters {
        var underWay = 0
        var answered: UInt64 = 0
        /// By the place of the failure among all.
        var failed = [UInt64](repeating: 0, count: OutboundFailure.allCases.count)
    }

    /// How many calls may be under way, each of which may hold its `maximumBytes`.
    static let maximumUnderWay = 512

    private let state = Mutex(State())
    private let standard = Mutex<TLSClientContext?>(nil)
    /// Looking a name up is waiting, and is not to wait behind password hashes.
    private let names = NameResolver(pool: BlockingPool(width: 4, limit: OutboundCalls.maximumUnderWay))
    private let results: BlockingPool?

    /// Until it is given workers it answers that it is not available.
    /// - Parameter resultThreads: how many threads deal with results; 0 lets the loops do it.
    package init(resultThreads: Int = 2) {
        results =
            resultThreads == 0 ? nil : BlockingPool(width: resultThreads, limit: OutboundCalls.maximumUnderWay)
    }

    /// Gives it the workers of the process.
    func attach(_ mailboxes: [Mailbox<WorkerMessage>]) {
        state.withLock {
            $0.mailboxes = mailboxes
            $0.live = Array(mailboxes.indices)
        }
    }

    package func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        let pending = PendingCall(call: call, then: then)
        // Posted under the lock: behind `leave` nothing may come any more.
        let isPosted = state.withLock { state in
            state.counters.underWay += 1
            guard !state.live.isEmpty, state.counters.underWay <= OutboundCalls.maximumUnderWay else { return false }
            state.next = (state.next + 1) % state.live.count
            state.mailboxes[state.live[state.next]].post(.call(pending))
            return true
        }
        if !isPosted { finish(pending, .failed(.unavailable)) }
    }

    /// A worker takes no calls any more.
    func remove(worker: Int) { state.withLock { $0.live.removeAll { $0 == worker } } }

    /// Says what became of a call, in a thread where there is time for it.
    func finish(_ pending: PendingCall, _ result: OutboundResult) {
        state.withLock {
            $0.counters.underWay -= 1
            switch result {
            case .response: $0.counters.answered += 1
            case .failed(let failure):
                $0.counters.failed[OutboundFailure.allCases.firstIndex(of: failure) ?? 0] += 1
            }
        }
        let then = pending.then
        if results?.submit({ then(result) }) != true { then(result) }
    }

    /// Looks up where a call goes, and answers in a thread of the pool. False where too many wait.
    func resolve(_ url: WebURL, _ done: @escaping @Sendable (NameResolver.Answer) -> Void) -> Bool {
        names.resolve(url.host, port: url.port) { [self] answer in
            // Reading the authorities of the system takes longer than a turn of a loop should.
            if url.isSecure { _ = standardTLS }
            done(answer)
        }
    }

    /// How TLS is spoken where a call has no word about it; nil where the library cannot be set up.
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
