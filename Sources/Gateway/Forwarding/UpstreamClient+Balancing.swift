import Bytes
import HTTP
import Identity
import Model
import Reactor

/// Assigns requests to servers: admission, queue, choice, connection, retries.
extension UpstreamClient {
    /// Sends the request to a server, queues it, or refuses it.
    func start(_ exchange: Exchange, _ group: UpstreamGroup) {
        group.note(poller.now)
        let queue = group.queue
        let wasIdle = queue.isIdle
        if wasIdle, proceed(exchange, group) { return }
        let state = arrival.state(of: exchange)
        if state == .refused { return }
        // Queued requests go first, and so do uploads of the same network whose bodies have to arrive.
        if !wasIdle, queue.isEmpty, state == .there || queue.arriving(of: exchange.address?.subscriber) == 0,
            proceed(exchange, group)
        {
            return
        }
        if state == .there { enqueue(exchange, group) } else { arrival.begin(exchange, group) }
    }

    /// Bytes or the end of the request body arrived.
    func bodyReceived(_ exchange: Exchange) {
        guard exchange.upstream == nil, exchange.attempt.upload?.isArriving == true, let group = exchange.group else {
            requestRelay.relay(exchange)
            return
        }
        switch arrival.state(of: exchange) {
        case .arriving: arrival.goOn(exchange)
        case .refused: break
        case .there:
            arrival.end(exchange, group)
            if !group.queue.isEmpty || !serve(exchange, group) { enqueue(exchange, group) }
        }
    }

    /// Gives the request a place that has become free. The time of its body begins.
    private func serve(_ exchange: Exchange, _ group: UpstreamGroup) -> Bool {
        if let upload = exchange.attempt.upload {
            upload.mark = Delivery(bytes: upload.there, since: poller.now)
        }
        return proceed(exchange, group)
    }

    /// False if the upstream has no room for another request.
    private func proceed(_ exchange: Exchange, _ group: UpstreamGroup) -> Bool {
        let admission = group.admit(poller.now)
        switch admission {
        case .full: return false
        case .refused(let time):
            groups.leaveQueue(exchange, group)
            fail(exchange, .unavailable, retryAfter: Int(clamping: (time + 999) / 1000))
            return true
        case .pass, .probe: break
        }
        switch group.pick(place: exchange.attempt.place, tried: [], poller.now) {
        case .full:
            group.ended(succeeded: nil, probe: admission == .probe, poller.now)
            return false
        case .none:
            group.ended(succeeded: nil, probe: admission == .probe, poller.now)
            groups.leaveQueue(exchange, group)
            fail(exchange, .unavailable)
        case .server(let server):
            groups.leaveQueue(exchange, group)
            exchange.attempt.isAdmitted = true
            exchange.attempt.isProbe = admission == .probe
            connect(exchange, server)
        }
        return true
    }

    private func enqueue(_ exchange: Exchange, _ group: UpstreamGroup) {
        // Requests may also wait for the places of slow uploads, which end for them.
        let limit = max(group.settings.queueLength, slowUploads.count(at: group))
        if group.queue.count >= limit, let other = group.queue.displaced(by: exchange.address?.subscriber) {
            let displaced = exchanges.all[Int(other & 0xffff_ffff)]
            displaced.attempt.queuePlace = nil
            fail(displaced, .exhausted)
        }
        let deadline = poller.now + group.settings.queueTimeout
        guard
            let place = group.queue.enqueue(
                exchange.identity, of: exchange.address?.subscriber, until: deadline, limit: limit)
        else {
            fail(exchange, .exhausted)
            return
        }
        exchange.attempt.queuePlace = place
        groups.scheduleCare(at: min(deadline, slowUploads.review(group)))
    }

    /// Called at the end of a turn: sends queued requests for which room was made.
    func serveQueues() {
        while let group = groups.nextWithRoom() {
            while let identity = group.queue.first {
                guard serve(exchanges.all[Int(identity & 0xffff_ffff)], group) else { break }
            }
            // Their ends make room, for which the group is served again.
            slowUploads.end(at: group)
        }
    }

    /// Fails queued requests whose deadline has passed.
    func expireQueue(_ group: UpstreamGroup) {
        while let identity = group.queue.takeExpired(poller.now) {
            let exchange = exchanges.all[Int(identity & 0xffff_ffff)]
            exchange.attempt.queuePlace = nil
            fail(exchange, .queueTimedOut)
        }
    }

    /// Gives the exchange a connection to the server: a usable idle one, or a new one.
    ///
    /// - Parameter again: the request had a connection, of which the server has taken nothing. It gets a new one, and waits
    ///   for its turn where there is no room.
    func connect(_ exchange: Exchange, _ server: UpstreamServer, again: Bool = false) {
        exchange.server = server
        server.attempted()
        // Upgrades exist in HTTP/1.1 only (RFC 9113 section 8.6).
        if server.pool.settings.http2, !server.speaksHTTP1, exchange.tunnel == nil {
            if !connectMultiplexed(exchange, server) { lackRoom(exchange, again) }
            return
        }
        while !again, let unused = server.pool.take() {
            if unused.socket?.isUnusable ?? true {
                connections.close(unused)
                continue
            }
            connections.assign(unused, exchange)
            sendRequest(unused, exchange)
            return
        }
        guard server.pool.mayOpen else {
            // An idle connection was expected, but has ended.
            lackRoom(exchange, again)
            return
        }
        let socket: Socket
        do throws(KernelError) {
            socket = try server.openSocket(poller, forUpgrade: exchange.tunnel != nil)
        } catch {
            return fail(exchange, .connectFailed, error: error)
        }
        let upstream = connections.take(socket, server)
        connections.assign(upstream, exchange)
        upstream.phase = .connecting
        poller.setDeadline(upstream, in: server.pool.settings.connectTimeout)
    }

    /// The server has no room after all.
    private func lackRoom(_ exchange: Exchange, _ again: Bool) {
        exchange.server = nil
        guard again, let group = exchange.group else { return fail(exchange, .exhausted) }
        if exchange.attempt.isAdmitted {
            group.ended(succeeded: nil, probe: exchange.attempt.isProbe, poller.now)
            (exchange.attempt.isAdmitted, exchange.attempt.isProbe) = (false, false)
        }
        switch arrival.state(of: exchange) {
        case .there:
            exchanges.pauseRequestBody(exchange)
            enqueue(exchange, group)
        case .arriving: arrival.begin(exchange, group)
        case .refused: return
        }
        // Room may have been made in this turn.
        groups.serveQueueLater(group)
    }

    /// Sends the request again over a new connection: the reused one ended before any byte of the response, and the
    /// request is idempotent (RFC 9110 section 9.2.2). This does not count against the server: its close and the
    /// request crossed.
    func replay(_ exchange: Exchange) -> Bool {
        guard exchange.sent.mayReplay, !exchange.attempt.wasReplayed, let server = exchange.server,
            let chunk = exchange.sent.chunk
        else { return false }
        exchange.attempt.wasReplayed = true
        counters.metrics.upstreamRetries &+= 1
        chunk.rewind(to: exchange.sent.length)
        connect(exchange, server, again: true)
        return true
    }

    /// Sends the request to another server if nothing of it reached the first, or it may be repeated, and the retry
    /// budget allows it. Never after the first byte of a response or of a streamed request body.
    func retry(
        _ exchange: Exchange, _ group: UpstreamGroup, _ failure: UpstreamFailure, after server: UpstreamServer
    ) -> Bool {
        guard failure.leavesUnsent || (failure == .connectionLost && exchange.sent.mayReplay),
            exchange.attempt.retries < group.settings.retries.attempts, !exchange.response.hasBegun,
            let chunk = exchange.sent.chunk
        else { return false }
        // Moved out meanwhile, like all tables that requests read.
        var tried = exchange.attempt.tried
        exchange.attempt.tried = []
        tried.append(server)
        exchange.attempt.tried = tried
        guard
            case .server(let next) = group.pick(
                place: exchange.attempt.place, tried: exchange.attempt.tried, poller.now),
            group.takeRetry(poller.now)
        else { return false }
        exchange.attempt.retries += 1
        counters.metrics.upstreamRetries &+= 1
        chunk.rewind(to: exchange.sent.length)
        connect(exchange, next)
        return true
    }

    /// The head of the final response arrived.
    func noteAnswer(_ exchange: Exchange, status: Int) {
        guard let group = exchange.group, let server = exchange.server else { return }
        // Gateway errors indicate a failure behind the server; other statuses are the application's.
        if status >= 502, status <= 504 {
            exchange.attempt.succeeded = false
            group.failed(server, nil, poller.now)
        } else {
            exchange.attempt.succeeded = true
            group.succeeded(server)
        }
    }

    /// Position of a request's key on the hash ring.
    func place(_ balance: Balance, _ exchange: Exchange, _ bytes: Span<UInt8>) -> UInt64 {
        guard case .consistentHash(let key) = balance else { return 0 }
        switch key {
        case .path:
            let path = exchange.path
            return HashRing.place(path.readable)
        case .principal:
            if let principal = exchange.principal {
                let subject = principal.subjectBytes
                return HashRing.place(subject.span)
            }
        case .header(let name):
            for i in 0..<requestHeaders.count {
                let field = requestHeaders[i]
                if bytesEqualIgnoringCase(bytes.slice(field.name), name.span) {
                    return HashRing.place(bytes.slice(field.value))
                }
            }
        case .address: break
        }
        return exchange.address.map { HashRing.mix($0.high ^ HashRing.mix($0.low)) } ?? 0
    }
}
