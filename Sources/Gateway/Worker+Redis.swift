import Bytes
import Crypto
import Reactor
import Tokens

/// The connection to the server that keeps the tokens, opened with the first command. Nothing here waits: what the
/// session wants is done at once, and the loop tells it of what comes of that.
extension Worker {
    func redisTold(_ message: RedisLine.Message) {
        guard let link = redis else { return }
        switch message {
        case .perform(let command): perform(command, link)
        case .resolved(let addresses, let attempt):
            guard attempt == link.attempt, link.socket == nil else { return }
            // Where nobody can say, the server may still be where it was.
            if !addresses.isEmpty { link.addresses = addresses }
            openRedis(link)
        }
    }

    private func perform(_ command: RedisLine.Command, _ link: RedisLink) {
        let replies = RedisReplies(count: command.commands.count, then: command.then)
        for words in command.commands {
            link.commands &+= 1
            link.waiters[link.commands] = replies
            follow(link.session.submit(words, number: link.commands, now: poller.now), link)
        }
    }

    // MARK: Events

    /// The connection stands; over TLS this is told again when its handshake is over.
    func redisConnected(_ socket: Socket) {
        guard let link = redis, link.socket === socket else { return }
        if socket.filter != nil, !socket.isSecured { return }
        follow(link.session.connected(now: poller.now), link)
    }

    func redisReceived(_ socket: Socket) {
        guard let link = redis, link.socket === socket, let inbox = socket.inbox else { return }
        let actions = link.session.received(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        follow(actions, link)
        if link.socket === socket { poller.readMore(socket) }
    }

    /// The connection has ended, is broken, or was not to be had.
    func redisBroke(_ socket: Socket) {
        guard let link = redis, link.socket === socket else { return }
        if let failure = socket.tls?.failure {
            redisBroke(link, .tls("\(failure.code)"))
        } else if link.session.isConnecting {
            poller.close(socket)
            link.socket = nil
            openRedis(link)
        } else {
            redisBroke(link, .closed)
        }
    }

    private func redisBroke(_ link: RedisLink, _ fault: RedisFault) {
        follow(link.session.broke(fault, now: poller.now), link)
    }

    func redisTimer() {
        guard let link = redis, hasCome(link) else { return }
        follow(link.session.tick(now: poller.now), link)
    }

    /// The worker ends: what comes from now on is for the others.
    func leaveRedis() {
        guard let link = redis, let line = shared.settings.redis else { return }
        line.leave(mailbox)
        follow(link.session.end(), link)
    }

    // MARK: Actions

    /// Does what the session wants.
    private func follow(_ actions: [RedisSession.Action], _ link: RedisLink) {
        for action in actions {
            switch action {
            case .connect: connectRedis(link)
            case .send(let bytes): sendRedis(bytes, link)
            case .close:
                if let socket = link.socket { poller.close(socket) }
                link.socket = nil
                link.attempt &+= 1
            case .answer(let number, let result):
                note(result, link)
                link.waiters.removeValue(forKey: number)?.add(result)
            case .opened:
                log("redis_connected", [], link)
                // It may be another server, which lacks what the one before had not passed on.
                if link.wasOpen { shared.tokens.storeReturned() }
                link.wasOpen = true
            case .lost(let fault): log("redis_lost", [("reason", .text(fault.reason))], link)
            }
        }
        setDeadline(link, at: link.session.deadline)
        if isDraining { finishIfIdle() }
    }

    private func connectRedis(_ link: RedisLink) {
        link.tried = 0
        guard case .name(let host, let port) = link.server.target else { return openRedis(link) }
        let (mailbox, attempt) = (mailbox, link.attempt)
        let isAccepted = NameResolver(pool: shared.blocking).resolve(host, port: port) { answer in
            var found: [SocketAddress] = []
            if case .addresses(let addresses) = answer { found = addresses }
            mailbox.post(.redis(.resolved(found, attempt: attempt)))
        }
        if !isAccepted { openRedis(link) }
    }

    /// Begins a connection to the next of the server's addresses. An attempt has failed when none of them takes one.
    private func openRedis(_ link: RedisLink) {
        while let address = link.nextAddress() {
            guard let socket = redisSocket(link, address) else { continue }
            socket.role = Role.redis
            link.socket = socket
            return
        }
        redisBroke(link, .unreachable)
    }

    private func redisSocket(_ link: RedisLink, _ address: SocketAddress) -> Socket? {
        guard let tls = link.server.tls else { return try? poller.connect(to: address) }
        guard let session = tls.context.makeSession(serverName: tls.name(of: link.server.target)) else { return nil }
        return try? poller.connect(to: address, filter: TLSFilter(session))
    }

    private func sendRedis(_ bytes: [UInt8], _ link: RedisLink) {
        guard let socket = link.socket else { return }
        let chunk = poller.chunks.take()
        chunk.ensureFree(bytes.count)
        chunk.append(bytes)
        poller.send(socket, chunk)
    }

    // MARK: Log

    private func log(_ event: String, _ members: [(String, EventLog.Value)], _ link: RedisLink) {
        shared.log.write(
            event, [("worker", .number(number)), ("server", .text(link.server.target.description))] + members)
    }

    /// A refusal is told once, until something succeeds. That a script is not known yet is none.
    private func note(_ result: Result<RESPValue, StoreFailure>, _ link: RedisLink) {
        guard case .success(let reply) = result, reply.errorCode != "NOSCRIPT" else { return }
        let code = reply.errorCode
        if let code, code != link.refusal {
            let cause = RedisRefusal.cause(of: code).map { [("detail", EventLog.Value.text("\($0)"))] } ?? []
            log("redis_refused", [("reason", .text(code))] + cause, link)
        }
        link.refusal = code
    }
}
