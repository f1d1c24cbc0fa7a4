import Bytes
import HTTP
import Issuers
import Model
import Policy
import Reactor
import Tokens

/// One event loop with everything it owns: connections, exchanges, upstream pools, caches, counters. Workers share an
/// immutable snapshot and the process-wide parts of `SharedState`, and nothing else on the way of a request.
final class Worker {
    /// What a socket or a timer belongs to.
    enum Role {
        static let client: UInt8 = 1
        static let upstream: UInt8 = 2
        static let housekeeping: UInt8 = 3
        static let drainDeadline: UInt8 = 4
        static let stream: UInt8 = 5
        static let upstreamCare: UInt8 = 6
        static let healthCheck: UInt8 = 7
        static let readmission: UInt8 = 8
        static let upstreamSession: UInt8 = 9
        static let redis: UInt8 = 11
        static let revocations: UInt8 = 14
        static let call: UInt8 = 10
        static let accessLog: UInt8 = 15
    }

    let number: Int
    let poller: Poller
    let shared: SharedState
    let mailbox: Mailbox<WorkerMessage>
    var snapshot: GatewaySnapshot

    var clients: [ClientConnection] = []
    var vacantClients: [Int] = []
    var openClients = 0
    /// Those of them that came by the admin listener or one for monitoring, the oldest first.
    var controlClients: [ClientConnection] = []
    var exchanges: [Exchange] = []
    private var firstVacantExchange: Exchange?
    var vacantExchanges = 0
    var upstreams: [UpstreamConnection] = []
    var vacantUpstreams: [Int] = []
    /// HTTP/2 connections to upstreams.
    var sessions: [UpstreamSession] = []
    var vacantSessions: [Int] = []
    /// By the number of the upstream in the snapshot.
    var groups: [UpstreamGroup] = []
    /// Groups in which something has become free that somebody waits for.
    var groupsWithRoom: [UpstreamGroup] = []
    /// When the groups are to be looked after next.
    var careAt: Int64 = .max
    var healthChecks: [HealthCheck] = []
    /// Calls to other servers, and connections left over from them.
    var calls: [CallConnection] = []
    let redis: RedisLink?

    /// Field lines of the request head being decided, and of the response head being relayed.
    let requestHeaders = HeaderTable()
    let responseHeaders = HeaderTable()
    /// Trailer fields of the piece of a body that was just moved.
    let trailerLines = Chunk(capacity: 1024)
    /// The canonical path, where it differs from the received one.
    let pathScratch = Chunk(capacity: 64 * 1024)

    /// HTTP/2 connections that may have frames to send, and the array that is the next such list.
    var queuedLinks: [H2Link] = []
    var spareLinks: [H2Link] = []
    /// Streams without use, for all HTTP/2 connections.
    let streams = H2StreamPool()

    let lasting = LastingExchanges()
    let endpointLine = EndpointLine()

    let tokenCache: VerifiedTokenCache
    let issuedTokens: WorkerTokenCache
    /// The plain counters; routes and reasons are counted in `routeCounters` and `reasonCounters`.
    var metrics: WorkerMetrics
    /// By the number of the route in the snapshot; the last stands for requests without one.
    var routeCounters: [RouteCounter]
    /// Those of the gateway's own endpoints that were asked for, by name.
    var endpointCounters: [String: RouteCounter] = [:]
    let reasonCounters: CounterBlock
    /// Refusals by the place of the `Limit`.
    let limitCounters = CounterBlock(count: Limit.allCases.count)
    /// Unsent bytes toward one side at which reading from the other stops; less where memory is short.
    var highWater = Worker.usualHighWater
    static let usualHighWater = 64 * 1024
    var bufferShare = BufferShare()
    /// The earliest time at which clients may be let go of again for want of memory.
    var nextShedding: Int64 = 0
    /// When the deny list is rid of old entries next.
    var nextPruning: Int64 = 0
    var accessLog: AccessLog?
    /// A timer is set by which the lines of the access log go out.
    var logIsAwaited = false
    var requestIDs: RequestIDSource
    /// `Date` of the current second, made when the second changes.
    var dateSecond: Int64 = -1
    let dateText = Chunk(capacity: 64)
    var isDraining = false
    /// How often was looked whether everybody has gone since the time to drain was over.
    var looksAfterDrain = 0
    var isFinished = false

    init(number: Int, shared: SharedState, snapshot: GatewaySnapshot) throws(KernelError) {
        self.number = number
        self.shared = shared
        self.snapshot = snapshot
        mailbox = shared.mailboxes[number]
        poller = try Poller(waker: mailbox.waker, chunkSize: Worker.chunkSize, engine: shared.settings.engine)
        tokenCache = VerifiedTokenCache(capacity: shared.settings.tokenCacheEntries)
        issuedTokens = WorkerTokenCache(store: shared.issuedTokens)
        metrics = WorkerMetrics(routeNames: [], reasonCount: Reason.count)
        routeCounters = snapshot.routeNames.map { RouteCounter(name: $0) } + [RouteCounter(name: "")]
        reasonCounters = CounterBlock(count: Reason.count)
        accessLog = shared.settings.accessLog.map { AccessLog(writer: $0) }
        requestIDs = RequestIDSource(worker: number)
        groups = snapshot.upstreams.map { UpstreamGroup($0, seed: Worker.seed) }
        redis = shared.settings.redis.map { RedisLink($0.server, seed: Worker.seed &+ UInt64(number)) }
    }

    static var seed: UInt64 { HashRing.mix(UInt64(truncatingIfNeeded: Clock.monotonicMicroseconds)) }

    /// Connections and exchanges refer to each other: what the end of a drain cuts off would outlive the worker.
    deinit {
        for client in clients {
            client.socket = nil
            client.exchange = nil
        }
        for exchange in exchanges {
            exchange.client = nil
            exchange.upstream = nil
        }
        for upstream in upstreams {
            upstream.reset()
            upstream.nextIdle = nil
            upstream.previousIdle = nil
        }
        for session in sessions { session.server?.sessions = [] }
        for call in calls { call.reset() }
    }

    /// Size of a receive buffer: a whole head of the usual limit, and large pieces of bodies.
    static let chunkSize = 16 * 1024

    /// Runs until drained.
    ///
    /// - Parameter begun: called when the worker listens.
    func run(_ listeners: [BoundListenerBox], begun: () -> Void) throws(KernelError) {
        try begin(listeners)
        begun()
        while !isFinished { turn() }
        accessLog?.flush()
        leave()
    }

    /// Takes the listeners over.
    func begin(_ listeners: [BoundListenerBox]) throws(KernelError) {
        for box in listeners {
            guard let bound = box.take() else { continue }
            do {
                try poller.listen(bound, id: box.id)
            } catch {
                shared.log.write(
                    "listen_failed",
                    [
                        ("worker", .number(number)), ("address", .text(box.address.description)),
                        ("error", .text(error.text)),
                    ])
                for rest in listeners { _ = rest.take() }
                throw error
            }
        }
        poller.schedule(TimerToken(role: Role.housekeeping, owner: 0), at: poller.now + 1000)
        careForUpstreams()
        if shared.tokens.isFollowing { followRevocations() }
        refreshKeys()
    }

    /// Waits for something to happen, and deals with all that has.
    func turn() {
        poller.wait(sleeping: endpointLine.isEmpty)
        while let completion = poller.next() { handle(completion) }
        if !groupsWithRoom.isEmpty { serveQueues() }
        if !endpointLine.isEmpty { serveLine() }
        flushLinks()
        watchBuffers()
    }

    private func handle(_ completion: Completion) {
        switch completion {
        case .received(let socket):
            switch socket.role {
            case Role.client: clientReceived(clients[socket.owner])
            case Role.upstream: upstreamReceived(upstreams[socket.owner])
            case Role.upstreamSession: sessionReceived(sessions[socket.owner])
            case Role.call: callReceived(calls[socket.owner])
            default: ownReceived(socket)
            }
        case .sent(let socket):
            switch socket.role {
            case Role.client: clientSent(clients[socket.owner])
            case Role.upstream: upstreamSent(upstreams[socket.owner])
            case Role.upstreamSession: if let link = sessions[socket.owner].link { queue(link) }
            case Role.healthCheck: if let link = healthChecks[socket.owner].link { queue(link) }
            default: break
            }
        case .accepted(let listener, let socket): accept(socket, listener: listener)
        case .secured(let socket) where socket.role == Role.client: clientSecured(clients[socket.owner])
        case .connected(let socket), .secured(let socket):
            switch socket.role {
            case Role.upstream: upstreamConnected(upstreams[socket.owner])
            case Role.upstreamSession: sessionConnected(sessions[socket.owner])
            case Role.call: callConnected(calls[socket.owner])
            default: ownConnected(socket)
            }
        case .ended(let socket):
            switch socket.role {
            case Role.client: clientEnded(clients[socket.owner])
            case Role.upstream: upstreamEnded(upstreams[socket.owner])
            case Role.upstreamSession: sessionBroke(sessions[socket.owner])
            case Role.call: callEnded(calls[socket.owner])
            default: ownBroke(socket)
            }
        case .hungUp(let socket):
            // An upstream that is read slowly may have ended; that is seen when its last bytes are read.
            if socket.role == Role.client { clientEnded(clients[socket.owner]) }
        case .failed(let socket, _):
            switch socket.role {
            case Role.client: clientFailed(clients[socket.owner])
            case Role.upstream: upstreamBroke(upstreams[socket.owner])
            case Role.upstreamSession: sessionBroke(sessions[socket.owner])
            case Role.call: callBroke(calls[socket.owner])
            default: ownBroke(socket)
            }
        case .woken: for message in mailbox.takeAll() { handle(message) }
        case .timer(let token): handle(token)
        }
    }

    private func handle(_ message: WorkerMessage) {
        switch message {
        case .use(let fresh): use(fresh)
        case .adopted(let count): count.arrived()
        case .credential(let identity, let effect):
            if let exchange = exchange(identity, in: .resolvingCredential) { resolve(effect, exchange) }
        case .tokenIssued(let identity, let result):
            if let exchange = exchange(identity, in: .awaitingToken) { tokenIssued(exchange, result) }
        case .endpoint(let identity, let effect):
            if let exchange = exchange(identity, in: .inEndpoint) { answer(effect, exchange) }
        case .reportMetrics(let requester, let identity):
            shared.mailboxes[requester].post(.metrics(currentMetrics(), exchange: identity))
        case .metrics(let report, let identity):
            if let exchange = exchange(identity, in: .inEndpoint) { collected(report, for: exchange) }
        case .serverHealth(let upstream, let address, let isUp):
            groups.first { $0.settings.name == upstream }?.told(address, isUp: isUp, poller.now)
        case .resolved(let target, let addresses): resolved(target, addresses)
        case .call(let pending): perform(pending)
        case .callResolved(let identity, let answer): callResolved(identity, answer)
        case .redis(let message): redisTold(message)
        case .drain(let keepingIdle): drain(keepingIdle: keepingIdle)
        }
    }

    private func handle(_ token: TimerToken) {
        switch token.role {
        case Role.client: clientTimer(clients[token.owner])
        case Role.upstream: upstreamTimer(upstreams[token.owner])
        case Role.upstreamSession: sessionTimer(sessions[token.owner])
        case Role.call: callTimer(calls[token.owner])
        case Role.upstreamCare:
            if careAt <= poller.now { careForUpstreams() }
        case Role.healthCheck:
            let check = healthChecks[token.owner]
            if check.generation == token.generation { conclude(check, isGood: false) }
        case Role.housekeeping:
            keepHouse()
            poller.schedule(token, at: poller.now + 1000)
        case Role.accessLog:
            logIsAwaited = false
            accessLog?.flush()
        case Role.stream: streamTimer(exchanges[token.owner])
        case Role.readmission: readmitSome()
        case Role.redis: redisTimer()
        case Role.revocations: followRevocations()
        case Role.drainDeadline: endDrain()
        default: break
        }
    }

    /// The exchange a message is for, unless it has ended in between.
    private func exchange(_ identity: UInt64, in stage: Exchange.Stage) -> Exchange? {
        let exchange = exchanges[Int(identity & 0xffff_ffff)]
        return exchange.identity == identity && exchange.stage == stage ? exchange : nil
    }

    // MARK: Housekeeping

    /// Once a second; a worker that was told to end looks whether it can.
    private func keepHouse() {
        refreshKeys()
        reviewLasting()
        reviewUntaken()
        if number == 0 {
            cleanTokensDaily()
            if !isDraining { shared.note(readiness) }
        }
        pruneRevocations()
        shared.settings.sessions?.tick(now: poller.wallSeconds)
        guard isDraining else { return }
        continueFarewells()
        finishIfIdle()
    }

    /// A new configuration: exchanges under way keep theirs, verified tokens are verified anew (MBE-02, ROLE-03).
    private func use(_ fresh: GatewaySnapshot) {
        snapshot = fresh
        useUpstreams(fresh.upstreams)
        // Those that wait for a request hold on to nothing of before; `recycle` sees to the others.
        var vacant = firstVacantExchange
        while let exchange = vacant {
            exchange.snapshot = fresh
            vacant = exchange.nextVacant
        }
        tokenCache.clear()
        issuedTokens.clear()
        refreshKeys()
        useRoutes(of: fresh)
        beginReadmission()
        // Last: somebody who has waited too long is told so, and what he has asked for behind that is decided at once.
        careForUpstreams()
    }

    // MARK: Exchanges

    func takeExchange() -> Exchange {
        if let exchange = firstVacantExchange.take() {
            firstVacantExchange = exchange.nextVacant.take()
            vacantExchanges &-= 1
            return exchange
        }
        let exchange = Exchange(index: exchanges.count, snapshot: snapshot)
        var table = exchanges
        exchanges = []
        table.append(exchange)
        exchanges = table
        return exchange
    }

    func recycle(_ exchange: Exchange) {
        leaveGroup(exchange)
        if let chunk = exchange.requestChunk.take() {
            chunk.isHeld = false
            poller.chunks.give(chunk)
        }
        lasting.remove(exchange)
        exchange.reset()
        if exchange.snapshot !== snapshot { exchange.snapshot = snapshot }
        exchange.nextVacant = firstVacantExchange.take()
        firstVacantExchange = exchange
        vacantExchanges &+= 1
    }
}
