import Bytes
import HTTP
import Reactor

/// What upstreams need beside requests: active checks, addresses of names, the end of waiting, another configuration.
///
/// One worker of the process, the first, makes the active checks and has names resolved, so that servers are asked once
/// for each interval and not once for each processor; it tells the others what has changed.
extension Worker {
    private var isFirst: Bool { number == 0 }

    // MARK: Time

    /// Sees to it that the groups are looked after at that time at the latest.
    func scheduleCare(at time: Int64) {
        guard time < careAt else { return }
        careAt = time
        poller.schedule(TimerToken(role: Role.upstreamCare, owner: 0, generation: 0), at: time)
    }

    /// Does what is due in any group.
    func careForUpstreams() {
        careAt = .max
        var next = Int64.max
        for group in groups {
            expireQueue(group)
            if let deadline = group.queue.nextDeadline { next = min(next, deadline) }
            if isFirst, !isDraining { next = min(next, checkServers(of: group), resolveNames(of: group)) }
        }
        if next != .max { scheduleCare(at: next) }
    }

    // MARK: Checks

    /// Starts the checks that are due. Answers when the next one is.
    private func checkServers(of group: UpstreamGroup) -> Int64 {
        guard let settings = group.settings.healthCheck else { return .max }
        var next = Int64.max
        for server in group.servers {
            if server.checkAt <= poller.now {
                // Until this one has its outcome.
                server.checkAt = .max
                check(server, of: group, settings)
            }
            next = min(next, server.checkAt)
        }
        return next
    }

    private func check(_ server: UpstreamServer, of group: UpstreamGroup, _ settings: HealthCheckSettings) {
        let check = takeCheck()
        check.group = group
        check.server = server
        guard let socket = openSocket(to: server) else {
            conclude(check, isGood: false)
            return
        }
        check.socket = socket
        socket.role = Role.healthCheck
        socket.owner = check.index
        let token = TimerToken(role: Role.healthCheck, owner: check.index, generation: check.generation)
        poller.schedule(token, at: poller.now + settings.timeout)
    }

    private func takeCheck() -> HealthCheck {
        if let vacant = healthChecks.first(where: { $0.server == nil }) { return vacant }
        let check = HealthCheck(index: healthChecks.count)
        var table = healthChecks
        healthChecks = []
        table.append(check)
        healthChecks = table
        return check
    }

    func checkConnected(_ check: HealthCheck) {
        guard let socket = check.socket, let server = check.server, let settings = check.group?.settings.healthCheck
        else {
            conclude(check, isGood: false)
            return
        }
        if socket.filter != nil, !socket.isSecured { return }
        // A server of HTTP/2 need not understand anything else: that it takes connections, over TLS with the right
        // certificate, is what is checked.
        if server.pool.settings.http2 {
            conclude(check, isGood: true)
            return
        }
        let chunk = poller.chunks.take()
        HealthCheck.appendRequest(path: settings.path, authority: server.authority, to: chunk)
        poller.send(socket, chunk)
    }

    func checkReceived(_ check: HealthCheck) {
        while let socket = check.socket, let inbox = socket.inbox, !inbox.isEmpty {
            var parser = check.parser
            let outcome = parser.parse(inbox.readable, into: responseHeaders, requestMethod: .get)
            check.parser = parser
            switch outcome {
            case .needMore:
                if inbox.free == 0 { poller.growInbox(socket, toHold: UpstreamConnection.headLimits.maximumHeadBytes) }
                poller.readMore(socket)
                return
            case .head(let head) where head.status < 200: inbox.consume(head.length)
            case .head(let head):
                // A check that has lost its settings to a reload is none any more.
                conclude(check, isGood: check.group?.settings.healthCheck?.status.contains(head.status) ?? true)
            case .invalid: conclude(check, isGood: false)
            }
        }
    }

    /// A check has its outcome.
    func conclude(_ check: HealthCheck, isGood: Bool) {
        guard let server = check.server, let group = check.group else { return }
        if let socket = check.socket { poller.close(socket) }
        check.reset()
        guard !server.isRetired, let settings = group.settings.healthCheck else {
            server.checkAt = .min
            return
        }
        var health = server.health
        let change = health.checked(isGood, settings)
        server.health = health
        server.checkAt = poller.now + ServerHealth.pause(settings, random: Worker.seed)
        scheduleCare(at: server.checkAt)
        if change != .none { announce(server, of: group) }
    }

    private func announce(_ server: UpstreamServer, of group: UpstreamGroup) {
        let isUp = server.health.isUp
        if isUp { group.cameBack(server, poller.now) }
        let name = group.settings.name
        shared.log.write(
            isUp ? "server_up" : "server_down",
            [("upstream", .text(name)), ("server", .text(server.address.description))])
        for mailbox in shared.mailboxes where mailbox !== self.mailbox {
            mailbox.post(.serverHealth(upstream: name, address: server.address, isUp: isUp))
        }
    }

    // MARK: Names

    /// Has the names of a group resolved where that is due. Answers when it is next.
    private func resolveNames(of group: UpstreamGroup) -> Int64 {
        let names = group.names
        if names.isEmpty { return .max }
        if group.resolveAt <= poller.now {
            group.resolveAt = poller.now + group.settings.resolveInterval
            for name in names { resolve(name) }
        }
        return group.resolveAt
    }

    private func resolve(_ target: ServerSettings.Target) {
        guard case .name(let host, let port) = target else { return }
        let mailboxes = shared.mailboxes
        let accepted = NameResolver(pool: shared.blocking).resolve(host, port: port) { answer in
            var found: [SocketAddress] = []
            if case .addresses(let addresses) = answer { found = addresses }
            for mailbox in mailboxes { mailbox.post(.resolved(target, found)) }
        }
        if !accepted { mailbox.post(.resolved(target, [])) }
    }

    func resolved(_ target: ServerSettings.Target, _ addresses: [SocketAddress]) {
        for group in groups where group.names.contains(target) {
            for server in group.resolved(target, addresses, poller.now) { closeUnused(of: server) }
            // An upstream without any server is in a hurry.
            if group.servers.isEmpty { group.resolveAt = min(group.resolveAt, poller.now + Worker.resolvePause) }
        }
        careForUpstreams()
    }

    /// Milliseconds between two resolutions of a name that has no address yet.
    private static let resolvePause: Int64 = 1000

    // MARK: Configuration

    /// Another configuration: groups of the same name go on, with the servers that stay. Connections that are under way
    /// finish, others to servers that are gone are closed.
    func useUpstreams(_ fresh: [UpstreamSettings]) {
        let old = groups
        groups = fresh.map { settings in
            guard let group = old.first(where: { $0.settings.name == settings.name }) else {
                return UpstreamGroup(settings, seed: Worker.seed)
            }
            for server in group.update(settings, poller.now) { closeUnused(of: server) }
            if !group.queue.isEmpty { serveQueueLater(group) }
            return group
        }
        for group in old where !groups.contains(where: { $0 === group }) {
            for server in group.retire() { closeUnused(of: server) }
            // Whoever waits there is told that nothing comes any more.
            if !group.queue.isEmpty { serveQueueLater(group) }
        }
        careForUpstreams()
    }

    private func closeUnused(of server: UpstreamServer) {
        while let unused = server.pool.take() { closeUpstream(unused) }
        closeSessions(of: server)
    }
}
