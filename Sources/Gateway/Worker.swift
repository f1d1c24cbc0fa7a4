import Bytes
import HTTP
import Issuers
import Model
import Policy
import Reactor
import Tokens

/// One event loop with everything it owns: connections, exchanges, upstream pools, caches, counters. Workers share an
/// immutable snapshot and the process-wide parts of `SharedState`, and nothing else on the way of a request.
final class Worker: LoopPart {
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

    let connections: UpstreamConnections
    let groups: UpstreamGroups
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder
    let upstreamClient: UpstreamClient
    let injection: TokenInjection
    let tunnels: Tunnels
    let responseRelay: ResponseRelay
    let healthChecker: HealthChecker
    let outboundClient: OutboundClient
    let redis: RedisClient?

    /// The canonical path, where it differs from the received one.
    let pathScratch = Chunk(capacity: 64 * 1024)

    var lasting: LongLivedExchanges { exchanges.longLived }
    let endpointLine = EndpointLine()

    let tokenCache: VerifiedTokenCache
    var bufferShare = BufferShare()
    /// The earliest time at which clients may be let go of again for want of memory.
    var nextShedding: Int64 = 0
    /// When the deny list is rid of old entries next.
    var nextPruning: Int64 = 0
    /// How often was looked whether everybody has gone since the time to drain was over.
    var looksAfterDrain = 0
    var isFinished = false

    init(number: Int, shared: SharedState, snapshot: GatewaySnapshot) throws(KernelError) {
        let poller = try Poller(
            waker: shared.mailboxes[number].waker, chunkSize: Worker.chunkSize, engine: shared.settings.engine)
        let context = LoopContext(number: number, poller: poller, shared: shared, snapshot: snapshot)
        tokenCache = VerifiedTokenCache(capacity: shared.settings.tokenCacheEntries)
        connections = UpstreamConnections(context)
        groups = UpstreamGroups(context)
        exchanges = ExchangeTable(context, groups)
        frontend = ClientFrontend(context, exchanges, connections)
        responder = Responder(context, frontend, connections)
        upstreamClient = UpstreamClient(context, exchanges, groups, connections, frontend, responder)
        injection = TokenInjection(context, exchanges, responder, upstreamClient)
        tunnels = Tunnels(context, exchanges, frontend, upstreamClient)
        responseRelay = ResponseRelay(
            context, exchanges, frontend, responder, upstreamClient, injection, tunnels)
        healthChecker = HealthChecker(context)
        outboundClient = OutboundClient(context)
        redis = shared.settings.redis.map { RedisClient($0, context) }
        super.init(context)
    }

    /// Connections and exchanges refer to each other: what the end of a drain cuts off would outlive the worker.
    deinit {
        for client in frontend.clients.all {
            client.socket = nil
            client.exchange = nil
        }
        for exchange in exchanges.all.all {
            exchange.client = nil
            exchange.upstream = nil
        }
        for upstream in connections.all.all {
            upstream.reset()
            upstream.nextIdle = nil
            upstream.previousIdle = nil
        }
        for session in connections.sessions.all { session.server?.sessions = [] }
        for call in outboundClient.connections.all { call.reset() }
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
        counters.accessLog?.flush()
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
                        ("worker", .number(context.number)), ("address", .text(box.address.description)),
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
        while let completion = poller.next() {
            handle(completion)
            serveReady()
        }
        if groups.hasRoom { upstreamClient.serveQueues() }
        if !endpointLine.isEmpty { serveLine() }
        serveReady()
        transport.frames.drain { flush($0) }
        watchBuffers()
        if isDraining { finishIfIdle() }
    }

    func handle(_ completion: Completion) {
        switch completion {
        case .received(let socket):
            switch socket.role {
            case Role.client: clientReceived(frontend.clients[socket.owner])
            case Role.upstream: responseRelay.received(connections.all[socket.owner])
            case Role.upstreamSession: responseRelay.sessionReceived(connections.sessions[socket.owner])
            case Role.call: outboundClient.received(outboundClient.connections[socket.owner])
            default: ownReceived(socket)
            }
        case .sent(let socket):
            switch socket.role {
            case Role.client: clientSent(frontend.clients[socket.owner])
            case Role.upstream: responseRelay.sent(connections.all[socket.owner])
            case Role.upstreamSession: if let link = connections.sessions[socket.owner].link { transport.queue(link) }
            case Role.healthCheck: if let link = healthChecker.checks[socket.owner].link { transport.queue(link) }
            default: break
            }
        case .accepted(let listener, let socket):
            if let client = frontend.accept(socket, listener: listener) { serve(client) }
        case .secured(let socket) where socket.role == Role.client: clientSecured(frontend.clients[socket.owner])
        case .connected(let socket), .secured(let socket):
            switch socket.role {
            case Role.upstream: upstreamClient.connected(connections.all[socket.owner])
            case Role.upstreamSession: upstreamClient.sessionConnected(connections.sessions[socket.owner])
            case Role.call: outboundClient.connected(outboundClient.connections[socket.owner])
            default: ownConnected(socket)
            }
        case .ended(let socket):
            switch socket.role {
            case Role.client: clientEnded(frontend.clients[socket.owner])
            case Role.upstream: responseRelay.ended(connections.all[socket.owner])
            case Role.upstreamSession: responseRelay.sessionBroke(connections.sessions[socket.owner])
            case Role.call: outboundClient.ended(outboundClient.connections[socket.owner])
            default: ownBroke(socket)
            }
        case .hungUp(let socket):
            // An upstream that is read slowly may have ended; that is seen when its last bytes are read.
            if socket.role == Role.client { clientEnded(frontend.clients[socket.owner]) }
        case .failed(let socket, _):
            switch socket.role {
            case Role.client: frontend.failed(frontend.clients[socket.owner])
            case Role.upstream: responseRelay.broke(connections.all[socket.owner])
            case Role.upstreamSession: responseRelay.sessionBroke(connections.sessions[socket.owner])
            case Role.call: outboundClient.broke(outboundClient.connections[socket.owner])
            default: ownBroke(socket)
            }
        case .woken: for message in context.mailbox.takeAll() { handle(message) }
        case .timer(let token): handle(token)
        }
    }

    func handle(_ message: WorkerMessage) {
        switch message {
        case .use(let fresh): use(fresh)
        case .adopted(let count): count.arrived()
        case .credential(let identity, let effect):
            if let exchange = exchanges.find(identity, in: .resolvingCredential) { resolve(effect, exchange) }
        case .tokenIssued(let identity, let result):
            if let exchange = exchanges.find(identity, in: .awaitingToken) { tokenIssued(exchange, result) }
        case .endpoint(let identity, let effect):
            if let exchange = exchanges.find(identity, in: .inEndpoint) { answer(effect, exchange) }
        case .reportMetrics(let requester, let identity):
            shared.mailboxes[requester].post(.metrics(currentMetrics(), exchange: identity))
        case .metrics(let report, let identity):
            if let exchange = exchanges.find(identity, in: .inEndpoint) { collected(report, for: exchange) }
        case .serverHealth(let upstream, let address, let isUp):
            groups.all.first { $0.settings.name == upstream }?.told(address, isUp: isUp, poller.now)
        case .resolved(let target, let addresses): resolved(target, addresses)
        case .call(let pending): outboundClient.perform(pending)
        case .callResolved(let identity, let answer): outboundClient.resolved(identity, answer)
        case .redis(let message):
            redis?.handle(message)
        case .drain(let keepingIdle): drain(keepingIdle: keepingIdle)
        }
    }

    func handle(_ token: TimerToken) {
        switch token.role {
        case Role.client: if let event = frontend.timerFired(frontend.clients[token.owner]) { handle(event) }
        case Role.upstream: responseRelay.timerFired(connections.all[token.owner])
        case Role.upstreamSession: responseRelay.sessionTimer(connections.sessions[token.owner])
        case Role.call: outboundClient.timerFired(outboundClient.connections[token.owner])
        case Role.upstreamCare:
            if groups.careAt <= poller.now { careForUpstreams() }
        case Role.healthCheck:
            healthChecker.timerFired(token)
            reviewChecks()
        case Role.housekeeping:
            keepHouse()
            poller.schedule(token, at: poller.now + 1000)
        case Role.accessLog: counters.accessLog?.timerFired()
        case Role.stream: if let event = frontend.streamTimer(exchanges.all[token.owner]) { handle(event) }
        case Role.readmission: readmitSome()
        case Role.redis:
            redis?.timerFired()
        case Role.revocations: followRevocations()
        case Role.drainDeadline: endDrain()
        default: break
        }
    }

    // MARK: Housekeeping

    /// Once a second; a worker that was told to end looks whether it can.
    private func keepHouse() {
        refreshKeys()
        reviewLasting()
        frontend.reviewUntaken()
        if context.number == 0 {
            cleanTokensDaily()
            if !isDraining { shared.note(readiness) }
        }
        pruneRevocations()
        shared.settings.sessions?.tick(now: poller.wallSeconds)
        if isDraining { frontend.continueFarewells() }
    }

    // MARK: Clients

    private func clientReceived(_ client: ClientConnection) {
        if client.phase == .inExchange, let exchange = client.exchange {
            requestBodyReceived(exchange)
            return
        }
        frontend.received(client)
        serve(client)
    }

    private func clientSecured(_ client: ClientConnection) {
        frontend.secured(client)
        if client.link != nil { serve(client) }
    }

    private func clientSent(_ client: ClientConnection) {
        if let upstream = frontend.sent(client)?.upstream { responseRelay.resumeResponse(upstream) }
    }

    private func clientEnded(_ client: ClientConnection) {
        if let exchange = frontend.ended(client) { requestBodyReceived(exchange) }
    }

    /// Bytes of the request body have come, or its end.
    private func requestBodyReceived(_ exchange: Exchange) {
        switch exchange.stage {
        case .collectingBody: collectBody(exchange)
        case .tunnelling: if let upstream = exchange.upstream { tunnels.moveUp(upstream, exchange) }
        default: upstreamClient.requestRelay.relay(exchange)
        }
    }

    /// Deals with what the client asks for, as far as it has come.
    private func serve(_ client: ClientConnection) {
        client.isServed = true
        while let event = frontend.next(client) { handle(event) }
        client.isServed = false
    }

    /// Serves the clients whose exchanges have ended and that have asked for more already.
    private func serveReady() {
        while let client = frontend.nextReady() { serve(client) }
    }

    func handle(_ event: ClientEvent) {
        switch event {
        case .request(let exchange, let buffer):
            if exchange.stream?.extendedProtocol != nil, !beginExtendedConnect(exchange) { return }
            if let client = exchange.client { decide(exchange, client, buffer) }
        case .malformed(let exchange, let error): responder.refuse(exchange, error)
        case .slowHead(let exchange): responder.refuseSlowHead(exchange)
        case .body(let exchange): requestBodyReceived(exchange)
        case .room(let exchange): if let upstream = exchange.upstream { responseRelay.resumeResponse(upstream) }
        case .timedOut(let exchange): exchangeTimedOut(exchange)
        }
    }

    /// A new configuration: exchanges under way keep theirs, verified tokens are verified anew (MBE-02, ROLE-03).
    private func use(_ fresh: GatewaySnapshot) {
        context.snapshot = fresh
        useUpstreams(fresh.upstreams)
        exchanges.useSnapshot()
        tokenCache.clear()
        injection.issuedTokens.clear()
        refreshKeys()
        counters.useRoutes(of: fresh)
        exchanges.beginReadmission()
        // Last: somebody who has waited too long is told so, and what he has asked for behind that is decided at once.
        careForUpstreams()
    }

    // MARK: Connections of the gateway itself

    private func ownReceived(_ socket: Socket) {
        if socket.role == Role.redis {
            redis?.received(socket)
        } else {
            healthChecker.received(healthChecker.checks[socket.owner])
            reviewChecks()
        }
    }

    private func ownConnected(_ socket: Socket) {
        if socket.role == Role.redis {
            redis?.connected(socket)
        } else {
            healthChecker.connected(healthChecker.checks[socket.owner])
            reviewChecks()
        }
    }

    /// It has ended, is broken, or could not be made.
    private func ownBroke(_ socket: Socket) {
        if socket.role == Role.redis {
            redis?.broke(socket)
        } else {
            healthChecker.broke(healthChecker.checks[socket.owner])
            reviewChecks()
        }
    }
}
