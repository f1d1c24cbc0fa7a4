import Bytes
import Identity
import Issuers
import Reactor
import Synchronization
import Tokens

/// What all workers of a process share beside the snapshot: mailboxes, the blocking pool, the store of issued tokens,
/// the deny list. Everything here is safe to use from any thread, and none of it stands on the way of a request whose
/// token is known.
package final class SharedState: Sendable {
    /// Settings that hold for the life of the process.
    package struct Settings: Sendable {
        package var tokenCacheEntries = 16_384
        package var accessLog: LogWriter?
        /// What could not be read anew for token exchange, by what it was.
        package var assertionReloadFailures: [(source: String, failures: ReloadFailures)] = []
        package init() {}
    }

    package let settings: Settings
    package let mailboxes: [Mailbox<WorkerMessage>]
    package let blocking: BlockingPool
    package let issuedTokens: IssuedTokenStore
    package let revocations: RevocationList
    /// Makes calls to other servers.
    package let outbound: OutboundCalls
    package let log: EventLog
    /// Connections by address.
    let connections = AddressTally()
    /// Blocking work by address.
    let errands = AddressTally()
    let buffers = BufferBudget()
    let handshakes = HandshakeGate()
    /// Listeners with these ids take admin requests.
    private let adminListeners: Set<Int>
    private let reloader = Mutex<(@Sendable (@escaping @Sendable (EndpointResponse) -> Void) -> Void)?>(nil)
    private let reloads = Mutex(ReloadCounters())
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
        revocations: RevocationList, outbound: OutboundCalls = OutboundCalls(), log: EventLog
    ) throws(KernelError) {
        self.settings = settings
        var mailboxes: [Mailbox<WorkerMessage>] = []
        for _ in 0..<workers { mailboxes.append(try Mailbox()) }
        self.mailboxes = mailboxes
        self.outbound = outbound
        self.adminListeners = adminListeners
        self.issuedTokens = issuedTokens
        self.revocations = revocations
        self.log = log
        // Hashes and signatures are pure computation: more of them at a time than processors helps nobody, and a queue that
        // takes longer than a client waits helps neither.
        blocking = BlockingPool(width: max(2, WorkerThread.processorCount), limit: 256)
        outbound.attach(mailboxes)
    }

    func isAdmin(listener: Int) -> Bool { adminListeners.contains(listener) }

    // MARK: Issued tokens

    /// Reports what became of an issuer call, to the store and to everybody who waits for it.
    func complete(
        _ flight: IssuedTokenStore.Flight, _ result: Result<IssuedToken, IssueFailure>, leader: IssuedTokenStore.Waiter?
    ) {
        let completion = issuedTokens.complete(flight, result, now: Clock.wallSeconds)
        for waiter in completion.waiters + (leader.map { [$0] } ?? []) {
            mailboxes[waiter.worker].post(.tokenIssued(exchange: waiter.exchange, completion.result))
        }
    }

    // MARK: Revocation

    /// Refuses a token, or all tokens that a subject has had so far, and drops what was issued for it (CACHE-07).
    ///
    /// - Parameter body: `{"jti": "...", "until": seconds}`, `{"subject": "..."}` or `{"backendId": "..."}`.
    func revoke(_ body: [UInt8], now: Int64) -> EndpointResponse {
        let request: RevocationRequest
        do {
            request = try RevocationRequest(body, now: now)
        } catch {
            return .problem(
                status: 400, title: "Bad Request", detail: error.expected, code: "invalid_request",
                reason: "invalid_request")
        }
        // Tokens live for so long at the most; later ones are told apart by their time of issue.
        let until = request.until ?? now + SharedState.longestTokenSeconds
        let logged: (String, String)
        switch request.target {
        case .token(let id, let subject):
            revocations.revoke(tokenID: id, until: until)
            if let subject { issuedTokens.purge(subject: subject) }
            logged = ("jti", id)
        case .subject(let subject):
            revocations.revoke(subject: subject, issuedBefore: now + 1, until: until)
            issuedTokens.purge(subject: subject)
            logged = ("subject", subject)
        case .backend(let id):
            revocations.revoke(backendID: id, issuedBefore: now + 1, until: until)
            issuedTokens.purge(backendID: id)
            logged = ("backendId", id)
        }
        log.write("revoked", [(logged.0, .text(logged.1))])
        return EndpointResponse(status: 204, headers: [], body: [], reason: "revoked")
    }

    private static let longestTokenSeconds: Int64 = 366 * 86_400

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
    func leave(_ worker: Int, _ metrics: WorkerMetrics) {
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
            done(
                .problem(
                    status: 503, title: "Service Unavailable", detail: "not yet", code: "unavailable",
                    reason: "unavailable"))
            return
        }
        handler(done)
    }

    /// Hands a new configuration to every worker.
    package func use(_ snapshot: GatewaySnapshot) {
        reloads.withLock {
            $0.succeeded += 1
            $0.generation = snapshot.generation
            $0.lastSuccess = Clock.wallSeconds
        }
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
        PrometheusText.Facts(
            issued: issuedTokens.counters, reloads: reloads.withLock { $0 }, revocations: revocations.count,
            blockingWaiting: blocking.waiting, outbound: outbound.counters, uptimeSeconds: now - startedAt,
            workers: mailboxes.count)
    }
}
