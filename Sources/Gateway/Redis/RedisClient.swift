import Bytes
import Crypto
import Model
import Reactor
import TokenStorage

/// A worker's connection to the token store's server, opened with the first command. Nothing blocks: the session's
/// actions are performed immediately, and the loop reports their results.
final class RedisClient: LoopPart, StoreConnection {
    let link: RedisLink

    init(_ server: RedisServer, _ context: LoopContext) {
        link = RedisLink(server, seed: LoopContext.seed &+ UInt64(context.number))
        super.init(context)
    }

    var isIdle: Bool { link.session.pending == 0 }

    func perform(_ command: any StoreCommand) {
        guard let command = command as? RedisLine.Command else { return command.refuse() }
        let replies = RedisReplies(count: command.commands.count, then: command.then)
        for words in command.commands {
            link.commands &+= 1
            link.waiters[link.commands] = replies
            follow(link.session.submit(words, number: link.commands, now: poller.now))
        }
    }

    // MARK: Events

    func resolved(_ addresses: [SocketAddress], attempt: UInt32) {
        guard attempt == link.attempt, link.socket == nil else { return }
        // If the name has no address now, the last known ones are tried.
        if !addresses.isEmpty { link.addresses = addresses }
        open()
    }

    func connected(_ socket: Socket) {
        guard link.socket === socket else { return }
        if socket.filter != nil, !socket.isSecured { return }
        follow(link.session.connected(now: poller.now))
    }

    func received(_ socket: Socket) {
        guard link.socket === socket, let inbox = socket.inbox else { return }
        let actions = link.session.received(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        follow(actions)
        if link.socket === socket { poller.readMore(socket) }
    }

    func failed(_ socket: Socket) {
        guard link.socket === socket else { return }
        if let failure = socket.tls?.failure {
            tell(.tls, socket.problem)
            failed(.tls("\(failure.code)"))
        } else if link.session.isConnecting {
            tell(.connect, socket.problem)
            poller.close(socket)
            link.socket = nil
            open()
        } else {
            failed(.closed)
        }
    }

    private func failed(_ fault: RedisFault) {
        follow(link.session.broke(fault, now: poller.now))
    }

    func timerFired() {
        guard poller.hasCome(link) else { return }
        follow(link.session.tick(now: poller.now))
    }

    func stop() { follow(link.session.end()) }

    // MARK: Actions

    /// Performs the session's actions.
    private func follow(_ actions: [RedisSession.Action]) {
        for action in actions {
            switch action {
            case .connect: connect()
            case .send(let bytes): send(bytes)
            case .close:
                if let socket = link.socket { poller.close(socket) }
                link.socket = nil
                link.attempt &+= 1
            case .answer(let number, let result):
                note(result)
                link.waiters.removeValue(forKey: number)?.add(result)
            case .opened:
                log(.storeServerConnected, [])
                // It may be another server that lacks changes the previous one had not replicated.
                if link.wasOpen { shared.tokens.storeReturned() }
                link.wasOpen = true
            case .lost(let fault):
                // The others are written where they happen.
                if fault.isOfRequest { tell(.request, fault.reason) }
                log(.storeServerLost, [("reason", .text(fault.reason))])
            }
        }
        poller.setDeadline(link, at: link.session.deadline)
    }

    private func connect() {
        link.tried = 0
        guard case .name(let host, let port) = link.server.target else { return open() }
        let (mailbox, attempt, failures) = (context.mailbox, link.attempt, shared.connectionFailures)
        let url = link.server.url
        let isAccepted = NameResolver(pool: shared.blocking).resolve(host, port: port) { answer in
            var found: [SocketAddress] = []
            if case .addresses(let addresses) = answer { found = addresses }
            if let problem = answer.problem { failures.note(ConnectionFailure(url, .resolve, problem), .store) }
            mailbox.post(.storeResolved(found, attempt: attempt))
        }
        if !isAccepted { open() }
    }

    /// Connects to the next of the server's addresses. An attempt fails when none accepts a connection.
    private func open() {
        while let address = link.nextAddress() {
            link.address = address
            let socket: Socket
            do throws(KernelError) {
                socket = try poller.connect(
                    to: address, tls: link.server.tls?.context,
                    serverName: link.server.tls?.name(of: link.server.target) ?? "")
            } catch {
                tell(.connect, error.text)
                continue
            }
            socket.role = LoopRole.store
            link.socket = socket
            return
        }
        failed(.unreachable)
    }

    private func send(_ bytes: [UInt8]) {
        guard let socket = link.socket else { return }
        let chunk = poller.chunks.take()
        chunk.ensureFree(bytes.count)
        chunk.append(bytes)
        poller.send(socket, chunk)
    }

    // MARK: Log

    private func tell(_ step: ConnectionFailure.Step, _ reason: String) {
        let failure = ConnectionFailure(link.server.url, at: link.address?.description, step, reason)
        shared.connectionFailures.note(failure, .store, now: poller.now)
    }

    private func log(_ event: LogEvent, _ members: [(String, EventLog.Value)]) {
        shared.log.write(
            event, [("worker", .number(context.number)), ("server", .text(link.server.target.description))] + members)
    }

    /// Logs a refusal once until a command succeeds. Excludes unknown scripts, which are expected.
    private func note(_ result: Result<RESPValue, StoreFailure>) {
        guard case .success(let reply) = result, reply.errorCode != "NOSCRIPT" else { return }
        let code = reply.errorCode
        if let code, code != link.refusal {
            let cause = RedisRefusal.cause(of: code).map { [("detail", EventLog.Value.text("\($0)"))] } ?? []
            log(.storeServerRefused, [("reason", .text(code))] + cause)
        }
        link.refusal = code
    }
}
