import Bytes
import Endpoints
import Identity
import Issuers
import Model
import OAuthServer
import Outbound
import Reactor
import Synchronization
import TokenStorage

/// What all workers of a process share beside the snapshot: mailboxes, the pools of threads, the store of issued tokens,
/// the deny list. Everything here is safe to use from any thread, and none of it stands on the way of a request whose
/// token is known.
package final class SharedState: Sendable {
    /// Settings that hold for the life of the process.
    package struct Settings: Sendable {
        package var engine = LoopEngine.epoll
        package var tokenCacheEntries = 16_384
        package var accessLog: LogWriter?
        /// Of the program.
        package var version = ""
        /// Deletes expired tokens; nil where there is no store of them.
        package var cleaner: TokenCleaner?
        /// When sessions were used last; nil where there is no store of them.
        package var sessions: (any SessionActivities)?
        /// The connections to the server that keeps the tokens, where one does.
        package var redis: RedisLine?
        /// What could not be read anew for token exchange, by what it was.
        package var assertionReloadFailures: [(source: String, failures: ReloadFailures)] = []
        /// Holds back those who guess the admin token.
        package var adminThrottle = ClientThrottle()
        package init() {}
    }

    package let settings: Settings
    package let mailboxes: [Mailbox<WorkerMessage>]
    /// For work that blocks and cannot call back: the system's resolver, the files of a reload.
    package let blocking: BlockingPool
    /// For what takes milliseconds of a processor and is no hash of a password: slow signatures, assertions. Pausing, since
    /// a flood of assertions would else have the loops wait for ticks of the kernel.
    package let computing: BlockingPool
    /// For slow hashes of passwords: at the most on half of the processors at the same time, since each of them fills the
    /// caches as well, and since a flood of guesses must leave processors for other requests.
    package let hashes: BlockingPool
    package let issuedTokens: IssuedTokenStore
    package let revocations: RevocationList
    /// Where tokens are kept and revoked.
    package let tokens: RevocationFollower
    /// Makes calls to other servers.
    package let outbound: OutboundCalls
    package let log: EventLog
    /// Connections by address.
    let connections = AddressTally()
    let floods = FloodRecord()
    /// Blocking work by address.
    let blockingJobs = AddressTally()
    let buffers = BufferBudget()
    let handshakes = HandshakeGate()
    /// Gives back what configurations have taken.
    package let heap: HeapTrimmer
    /// Earlier configurations that are still in use.
    let snapshots: DeferredRelease<GatewaySnapshot>
    /// Listeners with these ids take admin requests. One or two, which each request is held against: no set.
    private let adminListeners: [Int]
    private let reloader = Mutex<(@Sendable (@escaping @Sendable (EndpointResponse) -> Void) -> Void)?>(nil)
    private let administrator = Mutex<Administrator?>(nil)
    private let reloads = Mutex(ReloadCounters())
    private let readinessWatch = Mutex<ReadinessWatch?>(nil)
    private let startedAt = Clock.wallSeconds
    /// What workers that have ended had counted.
    private let lastMetrics = Mutex<[Int: WorkerMetrics]>([:])

    /// How reloads went.
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
        let heap = HeapTrimmer()
        self.heap = heap
        snapshots = DeferredRelease(freed: { heap.request() })
        // Signatures are pure computation: more of them at a time than processors gain nothing, nor does a queue that takes
        // longer than a client waits.
        let width = max(2, WorkerThread.processorCount)
        blocking = BlockingPool(width: width, limit: 256)
        computing = BlockingPool(name: "computing", width: width, limit: 256, computes: true)
        hashes = BlockingPool(
            name: "hashes", width: max(1, WorkerThread.processorCount / 2), limit: 256, computes: true)
        outbound.attach(mailboxes)
        settings.redis?.attach(mailboxes)
    }

    func isAdmin(listener: Int) -> Bool { adminListeners.contains(listener) }

    // MARK: Readiness

    /// Calls back with the readiness of now, and each time it changes between ready and not ready. Worker 0 looks once
    /// a second.
    package func watchReadiness(of snapshot: GatewaySnapshot, _ tell: @escaping @Sendable (Readiness) -> Void) {
        readinessWatch.withLock { $0 = ReadinessWatch(tell: tell) }
        note(Readiness(snapshot, store: tokens.report(now: Clock.monotonicMilliseconds), isDraining: false))
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
        /// As it was told last.
        var isReady: Bool?
    }

    // MARK: Issued tokens

    /// Does what it takes to have a token, on the computing pool or by waiting for another server.
    func settle(
        _ flight: IssuedTokenStore.Flight, _ effect: Effect<Result<IssuedToken, IssueFailure>>,
        leader: IssuedTokenStore.Waiter?
    ) {
        switch effect {
        case .done(let result): complete(flight, result, leader: leader)
        case .offload(let work): settle(flight, work, on: computing, leader: leader)
        case .hash(let work): settle(flight, work, on: hashes, leader: leader)
        case .await(let begin): begin { [self] in settle(flight, $0, leader: leader) }
        }
    }

    private func settle(
        _ flight: IssuedTokenStore.Flight, _ work: @escaping @Sendable () -> Effect<Result<IssuedToken, IssueFailure>>,
        on pool: BlockingPool, leader: IssuedTokenStore.Waiter?
    ) {
        let accepted = pool.submit { [self] in settle(flight, work(), leader: leader) }
        if !accepted { complete(flight, .failure(.unavailable), leader: leader) }
    }

    /// Reports what became of an issuer call, to the store and to all exchanges that wait for it.
    func complete(
        _ flight: IssuedTokenStore.Flight, _ result: Result<IssuedToken, IssueFailure>, leader: IssuedTokenStore.Waiter?
    ) {
        let completion = issuedTokens.complete(flight, result, now: Clock.wallSeconds)
        for waiter in completion.waiters + (leader.map { [$0] } ?? []) {
            mailboxes[waiter.worker].post(.tokenIssued(exchange: waiter.exchange, completion.result))
        }
    }

    // MARK: Counters

    /// Asks a worker for its counters, for the exchange of another. Answers those that it has left where it has ended.
    func askForMetrics(_ worker: Int, by requester: Int, exchange: UInt64) -> WorkerMetrics? {
        lastMetrics.withLock { last in
            if let metrics = last[worker] { return metrics }
            mailboxes[worker].post(.reportMetrics(to: requester, exchange: exchange))
            return nil
        }
    }

    /// Keeps the counters of a worker that ends. What it was asked before stands in its mailbox, and nothing comes later.
    func workerEnded(_ worker: Int, _ metrics: WorkerMetrics) {
        lastMetrics.withLock { $0[worker] = metrics }
    }

    // MARK: Reload

    /// Says who reloads the configuration when the admin listener is asked to. The closure must not block: it answers
    /// by its argument.
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

    /// Answers a request to look at the configuration or to change it, from any thread, by its second argument.
    package typealias Administrator = @Sendable (AdminRequest, @escaping @Sendable (EndpointResponse) -> Void) -> Void

    /// Says who administers the configuration when the admin listener is asked to. The closure must not block.
    package func onAdministration(_ handler: @escaping Administrator) { administrator.withLock { $0 = handler } }

    func administer(_ request: AdminRequest, _ done: @escaping @Sendable (EndpointResponse) -> Void) {
        guard let handler = administrator.withLock({ $0 }) else {
            done(.problem(.unavailable, "not yet"))
            return
        }
        handler(request, done)
    }

    /// Calls back once every worker acts by what it was sent so far: who is told of a change then finds it everywhere.
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

    /// Hands a new configuration to every worker.
    package func use(_ snapshot: GatewaySnapshot) {
        reloads.withLock {
            $0.succeeded += 1
            $0.generation = snapshot.generation
            $0.lastSuccess = Clock.wallSeconds
        }
        snapshots.replace(with: snapshot)
        for mailbox in mailboxes { mailbox.post(.use(snapshot)) }
    }

    /// A new configuration was refused; the last good one stays.
    package func reloadFailed() { reloads.withLock { $0.failed += 1 } }

    /// Tells every worker to finish.
    ///
    /// - Parameter keepingIdle: another process serves already, and no client is to lose a request to a connection that
    ///   is closed while it is idle. May be followed by a call without.
    package func drain(keepingIdle: Bool = false) {
        for mailbox in mailboxes { mailbox.post(.drain(keepingIdle: keepingIdle)) }
    }

    /// What `/metrics` says of the process as a whole.
    func facts(now: Int64) -> PrometheusText.Facts {
        let waiting = blocking.waiting + computing.waiting + hashes.waiting
        return PrometheusText.Facts(
            issued: issuedTokens.counters, reloads: reloads.withLock { $0 }, revocations: revocations.count,
            store: tokens.report(now: Clock.monotonicMilliseconds), blockingWaiting: waiting,
            outbound: outbound.counters, uptimeSeconds: now - startedAt, workers: mailboxes.count,
            engine: settings.engine.rawValue, cleaned: settings.cleaner?.record ?? TokenCleaner.Record(),
            version: settings.version, figures: ProcessFigures.current(startedAt: startedAt))
    }
}
