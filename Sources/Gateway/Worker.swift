import Bytes
import HTTP
import Issuers
import Model
import Policy
import Reactor

/// An event loop with the parts that do its work: waits, and dispatches each event to its part. Workers share an
/// immutable snapshot and the `SharedState`, and nothing else on the hot path.
///
/// A request goes from `ClientFrontend` through `RequestPipeline` (decision, token) and `UpstreamClient` to a server,
/// and its response back through `ResponseRelay`; `Responder` writes the gateway's own responses.
final class Worker: LoopPart {
    let connections: UpstreamConnections
    let groups: UpstreamGroups
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder
    let upstreamClient: UpstreamClient
    let injection: TokenInjection
    let tunnels: Tunnels
    let responseRelay: ResponseRelay
    let blocking: BlockingWork
    let collector: BodyCollector
    let endpoints: EndpointService
    let control: ControlService
    let pipeline: RequestPipeline
    let review: ExchangeReview
    let maintenance: UpstreamMaintenance
    let memory: MemoryGuard
    let housekeeping: Housekeeping
    let report: WorkerReport
    let shutdown: GracefulShutdown
    let outboundClient: OutboundClient
    let store: (any StoreConnection)?

    init(number: Int, shared: SharedState, snapshot: GatewaySnapshot) throws(KernelError) {
        let poller = try Poller(
            waker: shared.mailboxes[number].waker, chunkSize: Worker.chunkSize, engine: shared.settings.engine)
        let context = LoopContext(number: number, poller: poller, shared: shared, snapshot: snapshot)
        let tokenCache = VerifiedTokenCache(capacity: shared.settings.tokenCacheEntries)
        connections = UpstreamConnections(context)
        groups = UpstreamGroups(context)
        exchanges = ExchangeTable(context, groups)
        frontend = ClientFrontend(context, exchanges, connections)
        responder = Responder(context, frontend, connections)
        report = WorkerReport(context, exchanges, frontend, groups, tokenCache)
        upstreamClient = UpstreamClient(context, exchanges, groups, connections, frontend, responder)
        injection = TokenInjection(context, exchanges, responder, upstreamClient)
        tunnels = Tunnels(context, exchanges, frontend, upstreamClient)
        responseRelay = ResponseRelay(
            context, exchanges, frontend, responder, upstreamClient, injection, tunnels)
        blocking = BlockingWork(context, exchanges, responder)
        collector = BodyCollector(context, exchanges, responder)
        endpoints = EndpointService(context, exchanges, frontend, responder, blocking)
        control = ControlService(context, exchanges, frontend, responder, endpoints, report)
        pipeline = RequestPipeline(
            context, exchanges, frontend, responder, upstreamClient, injection, collector, blocking, endpoints,
            control, tokenCache)
        review = ExchangeReview(context, exchanges, tunnels, tokenCache)
        maintenance = UpstreamMaintenance(context, upstreamClient)
        memory = MemoryGuard(context, frontend)
        housekeeping = Housekeeping(context, frontend, review)
        outboundClient = OutboundClient(context)
        store = shared.settings.storeLine?.connection(context)
        shutdown = GracefulShutdown(context, exchanges, frontend, tunnels, store)
        super.init(context)
    }

    /// Breaks the reference cycles between connections and exchanges that the end of a drain cut off, which would
    /// otherwise leak.
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

    /// Size of a receive buffer: fits a head within the usual limit, and large pieces of bodies.
    static let chunkSize = 16 * 1024

    /// Runs until drained.
    ///
    /// - Parameter begun: called when the worker listens.
    func run(_ listeners: [BoundListenerBox], begun: () -> Void) throws(KernelError) {
        try begin(listeners)
        begun()
        while !shutdown.isFinished { turn() }
        counters.accessLog?.flush()
        stop()
    }

    /// Takes the listeners over.
    func begin(_ listeners: [BoundListenerBox]) throws(KernelError) {
        for box in listeners {
            guard let bound = box.take() else { continue }
            do {
                try poller.listen(bound, id: box.id)
            } catch {
                shared.log.write(
                    .listenFailed,
                    [
                        ("worker", .number(context.number)), ("address", .text(box.address.description)),
                        ("detail", .text(error.text)),
                    ])
                for rest in listeners { _ = rest.take() }
                throw error
            }
        }
        maintenance.run()
        housekeeping.begin()
    }

    /// Waits for events and handles all of them.
    func turn() {
        poller.wait(sleeping: endpoints.line.isEmpty && !frontend.hasReady && !groups.hasRoom)
        while let completion = poller.next() {
            handle(completion)
            serveReady()
        }
        if groups.hasRoom { upstreamClient.serveQueues() }
        if !endpoints.line.isEmpty { endpoints.serveQueue() }
        serveReady()
        transport.frames.drain { flush($0) }
        memory.run()
        if isDraining { shutdown.finishIfIdle() }
    }

    // MARK: Dispatch

    private func handle(_ completion: Completion) {
        switch completion {
        case .received(let socket):
            switch socket.role {
            case LoopRole.client: clientReceived(frontend.clients[socket.owner])
            case LoopRole.upstream: responseRelay.received(connections.all[socket.owner])
            case LoopRole.upstreamSession: responseRelay.sessionReceived(connections.sessions[socket.owner])
            case LoopRole.call: outboundClient.received(outboundClient.connections[socket.owner])
            case LoopRole.store: store?.received(socket)
            default: maintenance.checkReceived(socket)
            }
        case .sent(let socket):
            switch socket.role {
            case LoopRole.client: clientSent(frontend.clients[socket.owner])
            case LoopRole.upstream: responseRelay.sent(connections.all[socket.owner])
            case LoopRole.upstreamSession:
                if let link = connections.sessions[socket.owner].link { transport.queue(link) }
            case LoopRole.healthCheck:
                if let link = maintenance.healthChecker.checks[socket.owner].link { transport.queue(link) }
            default: break
            }
        case .accepted(let listener, let socket):
            if let client = frontend.accept(socket, listener: listener) { serve(client) }
        case .secured(let socket) where socket.role == LoopRole.client: clientSecured(frontend.clients[socket.owner])
        case .connected(let socket), .secured(let socket):
            switch socket.role {
            case LoopRole.upstream: upstreamClient.connected(connections.all[socket.owner])
            case LoopRole.upstreamSession: upstreamClient.sessionConnected(connections.sessions[socket.owner])
            case LoopRole.call: outboundClient.connected(outboundClient.connections[socket.owner])
            case LoopRole.store: store?.connected(socket)
            default: maintenance.checkConnected(socket)
            }
        case .ended(let socket):
            switch socket.role {
            case LoopRole.client: clientEnded(frontend.clients[socket.owner])
            case LoopRole.upstream: responseRelay.ended(connections.all[socket.owner])
            case LoopRole.upstreamSession: responseRelay.sessionBroke(connections.sessions[socket.owner])
            case LoopRole.call: outboundClient.ended(outboundClient.connections[socket.owner])
            case LoopRole.store: store?.failed(socket)
            default: maintenance.checkFailed(socket)
            }
        case .hungUp(let socket):
            // An upstream that is read slowly may have ended; the end is handled when its last bytes are read.
            if socket.role == LoopRole.client { clientEnded(frontend.clients[socket.owner]) }
        case .failed(let socket, _):
            switch socket.role {
            case LoopRole.client: frontend.failed(frontend.clients[socket.owner])
            case LoopRole.upstream: responseRelay.failed(connections.all[socket.owner])
            case LoopRole.upstreamSession: responseRelay.sessionBroke(connections.sessions[socket.owner])
            case LoopRole.call: outboundClient.failed(outboundClient.connections[socket.owner])
            case LoopRole.store: store?.failed(socket)
            default: maintenance.checkFailed(socket)
            }
        case .woken: for message in context.mailbox.takeAll() { handle(message) }
        case .timer(let token): handle(token)
        }
    }

    private func handle(_ message: WorkerMessage) {
        switch message {
        case .use(let fresh): use(fresh)
        case .installed(let count): count.arrived()
        case .credential(let identity, let effect):
            if let exchange = exchanges.find(identity, in: .verifyingCredential) { pipeline.resolve(effect, exchange) }
        case .policy(let identity, let answer):
            if let exchange = exchanges.find(identity, in: .askingPolicy) { pipeline.policyAnswered(exchange, answer) }
        case .policyReview(let identity, let answer):
            if let exchange = exchanges.find(identity) { review.policyAnswered(exchange, answer) }
        case .tokenIssued(let identity, let target, let result):
            if let exchange = exchanges.find(identity), case .awaitingToken(let use) = exchange.stage {
                pipeline.tokenIssued(exchange, use, target, result)
            }
        case .endpoint(let identity, let effect):
            if let exchange = exchanges.find(identity, in: .inEndpoint) { endpoints.answer(effect, exchange) }
        case .displaced(let identity): if let exchange = exchanges.find(identity) { blocking.displaced(exchange) }
        case .reportMetrics(let requester, let identity):
            shared.mailboxes[requester].post(.metrics(report.current, exchange: identity))
        case .metrics(let counted, let identity):
            if let exchange = exchanges.find(identity, in: .inEndpoint) { control.collected(counted, for: exchange) }
        case .serverHealth(let upstream, let address, let isUp):
            groups.all.first { $0.settings.name == upstream }?.setHealth(of: address, isUp: isUp, poller.now)
        case .resolved(let target, let addresses): maintenance.resolved(target, addresses)
        case .call(let pending): outboundClient.perform(pending)
        case .callResolved(let identity, let answer): outboundClient.resolved(identity, answer)
        case .store(let command): store?.perform(command)
        case .storeResolved(let addresses, let attempt): store?.resolved(addresses, attempt: attempt)
        case .drain(let keepingIdle): shutdown.drain(keepingIdle: keepingIdle)
        }
    }

    private func handle(_ token: TimerToken) {
        switch token.role {
        case LoopRole.client: if let event = frontend.timerFired(frontend.clients[token.owner]) { handle(event) }
        case LoopRole.upstream: responseRelay.timerFired(connections.all[token.owner])
        case LoopRole.upstreamSession: responseRelay.sessionTimer(connections.sessions[token.owner])
        case LoopRole.call: outboundClient.timerFired(outboundClient.connections[token.owner])
        case LoopRole.upstreamCare:
            if groups.careAt <= poller.now { maintenance.run() }
        case LoopRole.healthCheck: maintenance.checkTimerFired(token)
        case LoopRole.housekeeping: housekeeping.run()
        case LoopRole.accessLog: counters.accessLog?.timerFired()
        case LoopRole.stream: if let event = frontend.streamTimer(exchanges.all[token.owner]) { handle(event) }
        case LoopRole.readmission: review.readmitSome()
        case LoopRole.store: store?.timerFired()
        case LoopRole.revocations: housekeeping.followRevocations()
        case LoopRole.drainDeadline: shutdown.endDrain()
        default: break
        }
    }

    private func flush(_ link: H2Link) {
        let socket = link.socket
        // The socket may belong to another connection by now.
        let client = socket.role == LoopRole.client ? frontend.clients[socket.owner] : nil
        let session = socket.role == LoopRole.upstreamSession ? connections.sessions[socket.owner] : nil
        let check = socket.role == LoopRole.healthCheck ? maintenance.healthChecker.checks[socket.owner] : nil
        guard client?.link === link || session?.link === link || check?.link === link else { return }
        transport.flush(link)
        if let client {
            // Framing makes room in streams, and ends some.
            while let event = frontend.nextEvent(client, link) { handle(event) }
            frontend.flushed(client, link)
        }
        if let session { responseRelay.sessionFlushed(session, link) }
        if let check { maintenance.checkFlushed(check, link) }
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

    /// Bytes or the end of the request body arrived.
    private func requestBodyReceived(_ exchange: Exchange) {
        switch exchange.stage {
        case .collectingBody(let use): if collector.received(exchange, use) { pipeline.bodyCollected(exchange, use) }
        case .tunnelling: if let upstream = exchange.upstream { tunnels.moveUp(upstream, exchange) }
        default: upstreamClient.bodyReceived(exchange)
        }
    }

    /// Handles the client's input as far as it has arrived.
    private func serve(_ client: ClientConnection) {
        client.isServed = true
        while let event = frontend.next(client) { handle(event) }
        client.isServed = false
    }

    /// Serves clients whose exchanges have ended and that have already sent more requests.
    private func serveReady() {
        while let client = frontend.nextReady() { serve(client) }
    }

    private func handle(_ event: ClientEvent) {
        switch event {
        case .request(let exchange, let buffer): pipeline.begin(exchange, buffer)
        case .malformed(let exchange, let error): responder.refuse(exchange, error)
        case .slowHead(let exchange): responder.refuseSlowHead(exchange)
        case .body(let exchange): requestBodyReceived(exchange)
        case .room(let exchange): if let upstream = exchange.upstream { responseRelay.resumeResponse(upstream) }
        case .timedOut(let exchange): pipeline.timedOut(exchange)
        }
    }

    /// Applies a new configuration: exchanges in progress keep theirs, cached tokens are verified again (ROLE-03).
    private func use(_ fresh: GatewaySnapshot) {
        context.snapshot = fresh
        maintenance.use(fresh.upstreams)
        exchanges.useSnapshot()
        pipeline.tokenCache.clear()
        injection.issuedTokens.clear()
        housekeeping.refreshKeys()
        counters.useRoutes(of: fresh)
        exchanges.beginReadmission()
        // Last: an expired request is answered, after which the client's next request is decided immediately.
        maintenance.run()
    }

    // MARK: End

    /// Leaves the final counters, for pending and later requests for them.
    func stop() {
        outboundClient.cancelAll()
        // Later commands go to other workers.
        shared.settings.storeLine?.remove(context.mailbox)
        store?.stop()
        let last = report.current
        shared.workerEnded(context.number, last)
        for message in context.mailbox.takeAll() {
            switch message {
            case .reportMetrics(let requester, let identity):
                shared.mailboxes[requester].post(.metrics(last, exchange: identity))
            case .installed(let count): count.arrived()
            case .call(let pending): outboundClient.refuse(pending)
            case .store(let command): shared.settings.storeLine?.send(command)
            default: break
            }
        }
    }
}
