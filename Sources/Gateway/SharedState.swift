import Endpoints
import Identity
import Issuers
import Model
import OAuthServer
import Outbound
import Reactor
import Synchronization
import TokenStorage

/// State shared by all workers besides the snapshot: mailboxes, thread pools, issued tokens, the deny list. Everything
/// is thread-safe, and requests with a cached token use none of it.
package final class SharedState: Sendable {
    /// Settings for the life of the process.
    package struct Settings: Sendable {
        package var engine = LoopEngine.epoll
        package var tokenCacheEntries = 16_384
        package var accessLog: LogWriter?
        /// Of the program.
        package var version = ""
        /// Deletes expired tokens; nil without a store.
        package var cleaner: TokenCleaner?
        /// Records that need a former key of the store; nil without a store.
        package var formerKeys: FormerKeyCount?
        /// Last use of sessions; nil without a store.
        package var sessions: (any SessionActivities)?
        /// Connections to the server of the store; nil for a store without one.
        package var storeLine: StoreLine?
        /// Failed reloads for token exchange, by source.
        package var assertionReloadFailures: [(source: String, failures: ReloadFailures)] = []
        package var providerRevocations = ProviderRevocations()
        /// Whether keys of issuers are fetched ahead of the tokens that need them.
        package var fetchesAhead = true
        /// Limits guessing of the admin token.
        package var adminThrottle = ClientThrottle()
        package init() {}
    }

    package let settings: Settings
    package let mailboxes: [Mailbox<WorkerMessage>]
    /// For blocking work without callbacks: the system's resolver, reading files for a reload.
    package let blocking: BlockingPool
    /// For CPU work of milliseconds other than password hashes: slow signatures, assertions. It yields, because a flood
    /// of assertions would otherwise make the loops wait for scheduler ticks.
    package let computing: BlockingPool
    /// How long password hashes may wait, in milliseconds: a client that gets no answer in this time tries again.
    private static let hashPatience: Int64 = 5000
    /// For slow password hashes: on at most half of the processors, since each also fills the caches, and a flood of
    /// guesses must leave processors for other requests.
    package let hashes: BlockingPool
    package let issuedTokens: IssuedTokenStore
    package let revocations: RevocationList
    /// The token store with its deny list.
    package let tokens: RevocationFollower
    /// Makes calls to other servers.
    package let outbound: OutboundCalls
    package let log: EventLog
    package let refusals = RefusalMemory()
    package let connectionFailures: ConnectionFailures
    /// Connections per address.
    let connections = AddressTally()
    let floods = FloodRecord()
    /// Blocking work per address.
    let blockingJobs = AddressTally()
    let buffers = BufferBudget()
    let handshakes = HandshakeGate()
    /// Returns memory of old configurations to the system.
    package let heap: HeapTrimmer
    /// Earlier configurations that are still in use.
    let snapshots: DeferredRelease<GatewaySnapshot>
    /// Ids of listeners that accept admin requests. An array, because each request checks these one or two values.
    private let adminListeners: [Int]
    private let reloader = Mutex<(@Sendable (@escaping @Sendable (EndpointResponse) -> Void) -> Void)?>(nil)
    private let administrator = Mutex<Administrator?>(nil)
    private let reloads = Mutex(ReloadCounters())
    private let wasReady = Atomic<Bool>(false)
    private let readinessWatch = Mutex<ReadinessWatch?>(nil)
    private let startedAt = Clock.wallSeconds
    /// Final counters of workers that have ended.
    private let lastMetrics = Mutex<[Int: WorkerMetrics]>([:])

    /// Counters of reloads.
    package struct ReloadCounters: Sendable {
        package var succeeded: UInt64 = 0
        package var failed: UInt64 = 0
        package var lastSuccess: Int64 = 0
        package var generation: UInt64 = 1
    }

    package init(
        settings: Settings, workers: Int, adminListeners: Set<Int>, issuedTokens: IssuedTokenStore,
        tokens: RevocationFollower, outbound: OutboundCalls = OutboundCalls(), log: EventLog
    ) throws(KernelError) {
        self.settings = settings
        var mailboxes: [Mailbox<WorkerMessage>] = []
        for _ in 0..<workers { mailboxes.append(try Mailbox()) }
        self.mailboxes = mailboxes
        self.outbound = outbound
        self.adminListeners = Array(adminListeners)
        self.issuedTokens = issuedTokens
        revocations = tokens.list
        self.tokens = tokens
        tokens.purge(issuedTokens)
        self.log = log
        connectionFailures = ConnectionFailures(log)
        let heap = HeapTrimmer()
        self.heap = heap
        snapshots = DeferredRelease(freed: { heap.request() })
        // Signatures are pure computation: more threads than processors gain nothing, nor does a queue longer than
        // clients wait.
        let width = max(2, WorkerThread.processorCount)
        blocking = BlockingPool(width: width, limit: 256)
        computing = BlockingPool(name: "computing", width: width, limit: 256, computes: true)
        hashes = BlockingPool(
            name: "hashes", width: max(1, WorkerThread.processorCount / 2), limit: 256,
            patience: SharedState.hashPatience, computes: true)
        outbound.attach(mailboxes)
        settings.storeLine?.attach(mailboxes)
    }

    func isAdmin(listener: Int) -> Bool { adminListeners.contains(listener) }

    // MARK: Readiness

    /// Calls back with the current readiness, and each time it changes. Worker 0 checks once a second.
    package func watchReadiness(of snapshot: GatewaySnapshot, _ tell: @escaping @Sendable (Readiness) -> Void) {
        readinessWatch.withLock { $0 = ReadinessWatch(tell: tell) }
        note(readiness(of: snapshot, isDraining: false, now: Clock.monotonicMilliseconds))
    }

    /// The readiness at a time of the monotonic clock, in milliseconds.
    func readiness(of snapshot: GatewaySnapshot, isDraining: Bool, now: Int64) -> Readiness {
        let readiness = Readiness(
            snapshot, store: tokens.report(now: now), isDraining: isDraining,
            wasReady: wasReady.load(ordering: .relaxed))
        if readiness.isReady { wasReady.store(true, ordering: .relaxed) }
        return readiness
    }

    func note(_ readiness: Readiness) {
        readinessWatch.withLock { watch in
            guard let tell = watch?.tell, watch?.isReady != readiness.isReady else { return }
            watch?.isReady = readiness.isReady
            tell(readiness)
        }
    }

    private struct ReadinessWatch {
        let tell: @Sendable (Readiness) -> Void
        /// The last reported value.
        var isReady: Bool?
    }

    // MARK: Issued tokens

    /// Performs an effect that yields a token.
    func settle(
        _ flight: IssuedTokenStore.Flight, _ effect: Effect<Result<IssuedToken, IssueFailure>>,
        leader: IssuedTokenStore.Waiter?
    ) {
        perform(effect) { [self] in complete(flight, $0 ?? .failure(.unavailable), leader: leader) }
    }

    /// Reports the outcome of an issuer call to the cache and all waiting exchanges.
    func complete(
        _ flight: IssuedTokenStore.Flight, _ result: Result<IssuedToken, IssueFailure>, leader: IssuedTokenStore.Waiter?
    ) {
        let completion = issuedTokens.complete(flight, result, now: Clock.wallSeconds)
        for waiter in completion.waiters + (leader.map { [$0] } ?? []) {
            mailboxes[waiter.worker].post(
                .tokenIssued(exchange: waiter.exchange, flight.key.target, completion.result))
        }
    }

    // MARK: Effects

    /// Performs an effect that belongs to no exchange: on the pools, or by waiting for another server.
    /// - Parameter then: gets its value, on any thread; nil if a pool has no place.
    package func perform<Value>(_ effect: Effect<Value>, then: @escaping @Sendable (Value?) -> Void) {
        switch effect {
        case .done(let value): then(value)
        case .offload(let work): perform(work, on: computing, .standard, then)
        case .hash(let priority, let work): perform(work, on: hashes, priority, then)
        case .await(let begin): begin { [self] in perform($0, then: then) }
        }
    }

    private func perform<Value>(
        _ work: @escaping @Sendable () -> Effect<Value>, on pool: BlockingPool, _ priority: HashPriority,
        _ then: @escaping @Sendable (Value?) -> Void
    ) {
        let job = BlockingPool.Job(
            priority: priority.rawValue, drop: { then(nil) }, run: { [self] in perform(work(), then: then) })
        if !pool.submit(job) { then(nil) }
    }

    // MARK: Counters

    /// Requests a worker's counters on behalf of another's exchange. Returns its final counters if it has ended.
    func askForMetrics(_ worker: Int, by requester: Int, exchange: UInt64) -> WorkerMetrics? {
        lastMetrics.withLock { last in
            if let metrics = last[worker] { return metrics }
            mailboxes[worker].post(.reportMetrics(to: requester, exchange: exchange))
            return nil
        }
    }

    /// Keeps the counters of a worker that ends. Earlier requests are in its mailbox, and no later ones arrive.
    func workerEnded(_ worker: Int, _ metrics: WorkerMetrics) {
        lastMetrics.withLock { $0[worker] = metrics }
    }

    // MARK: Reload

    /// Sets the handler for reload requests to the admin listener. It must not block; it answers by its argument.
    package func onReload(_ handler: @escaping @Sendable (@escaping @Sendable (EndpointResponse) -> Void) -> Void) {
        reloader.withLock { $0 = handler }
    }

    func requestReload(_ done: @escaping @Sendable (EndpointResponse) -> Void) {
        guard let handler = reloader.withLock({ $0 }) else {
            done(.problem(.unavailable, "not yet"))
            return
        }
        handler(done)
    }

    /// Handles a request to read or change the configuration, on any thread; answers by its second argument.
    package typealias Administrator = @Sendable (AdminRequest, @escaping @Sendable (EndpointResponse) -> Void) -> Void

    /// Sets the handler for administration requests. It must not block.
    package func onAdministration(_ handler: @escaping Administrator) { administrator.withLock { $0 = handler } }

    func administer(_ request: AdminRequest, _ done: @escaping @Sendable (EndpointResponse) -> Void) {
        guard let handler = administrator.withLock({ $0 }) else {
            done(.problem(.unavailable, "not yet"))
            return
        }
        handler(request, done)
    }

    /// Calls back once every worker has applied what it was sent so far, so that a reported change is in effect
    /// everywhere.
    package func afterAdoption(_ then: @escaping @Sendable () -> Void) {
        let count = Countdown(of: mailboxes.count, then: then)
        for (worker, mailbox) in mailboxes.enumerated() {
            let hasEnded = lastMetrics.withLock { last in
                if last[worker] == nil { mailbox.post(.installed(count)) }
                return last[worker] != nil
            }
            if hasEnded { count.arrived() }
        }
    }

    /// Sends a new configuration to every worker.
    package func use(_ snapshot: GatewaySnapshot) {
        reloads.withLock {
            $0.succeeded += 1
            $0.generation = snapshot.generation
            $0.lastSuccess = Clock.wallSeconds
        }
        snapshots.replace(with: snapshot)
        for mailbox in mailboxes { mailbox.post(.use(snapshot)) }
    }

    /// The published keys of the issuers in the current configuration.
    package var issuerKeys: [IssuerKeys] { snapshots.current?.issuerKeys ?? [] }

    /// A new configuration was refused; the last valid one stays.
    package func reloadFailed() { reloads.withLock { $0.failed += 1 } }

    /// Tells every worker to finish.
    ///
    /// - Parameter keepingIdle: another process already accepts connections, so no request must be lost by closing an
    ///   idle connection. May be followed by a call without it.
    package func drain(keepingIdle: Bool = false) {
        for mailbox in mailboxes { mailbox.post(.drain(keepingIdle: keepingIdle)) }
    }

    /// Process-wide values for `/metrics`.
    func facts(now: Int64) -> PrometheusText.Facts {
        let waiting = blocking.waiting + computing.waiting + hashes.waiting
        return PrometheusText.Facts(
            issued: issuedTokens.counters, reloads: reloads.withLock { $0 }, revocations: revocations.count,
            store: tokens.report(now: Clock.monotonicMilliseconds), blockingWaiting: waiting,
            outbound: outbound.counters, uptimeSeconds: now - startedAt, workers: mailboxes.count,
            engine: settings.engine.rawValue, needingFormerKey: settings.formerKeys?.last,
            cleaned: settings.cleaner?.record ?? TokenCleaner.Record(),
            version: settings.version, figures: ProcessFigures.current(startedAt: startedAt))
    }
}
