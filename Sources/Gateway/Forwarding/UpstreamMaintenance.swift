import Model
import Reactor

/// Upstream maintenance apart from requests: active checks, name resolution, queue timeouts, configuration changes.
///
/// Only the first worker of the process makes active checks and resolves names, so that servers are asked once per
/// interval rather than once per processor. It informs the others of changes.
final class UpstreamMaintenance: LoopPart {
    let healthChecker: HealthChecker
    private let groups: UpstreamGroups
    private let connections: UpstreamConnections
    let upstreamClient: UpstreamClient

    init(_ context: LoopContext, _ upstreamClient: UpstreamClient) {
        healthChecker = HealthChecker(context)
        self.upstreamClient = upstreamClient
        groups = upstreamClient.groups
        connections = upstreamClient.connections
        super.init(context)
    }

    private var isFirst: Bool { context.number == 0 }

    // MARK: Time

    /// Performs the due maintenance of all groups.
    func run() {
        groups.careAt = .max
        var next = Int64.max
        for group in groups.all {
            upstreamClient.expireQueue(group)
            if let deadline = group.queue.nextDeadline {
                next = min(next, deadline, upstreamClient.slowUploads.review(group))
            }
            if isFirst, !isDraining { next = min(next, checkServers(of: group), resolveNames(of: group)) }
        }
        if next != .max { groups.scheduleCare(at: next) }
        reviewChecks()
    }

    // MARK: Checks

    /// Starts due checks. Returns when the next one is due.
    private func checkServers(of group: UpstreamGroup) -> Int64 {
        guard let settings = group.settings.healthCheck else { return .max }
        var next = Int64.max
        for server in group.servers {
            if server.checkAt <= poller.now {
                // Until this check has finished.
                server.checkAt = .max
                healthChecker.check(server, of: group, settings)
            }
            next = min(next, server.checkAt)
        }
        return next
    }

    func checkReceived(_ socket: Socket) {
        healthChecker.received(healthChecker.checks[socket.owner])
        reviewChecks()
    }

    func checkConnected(_ socket: Socket) {
        healthChecker.connected(healthChecker.checks[socket.owner])
        reviewChecks()
    }

    /// The connection ended, broke or could not be made.
    func checkFailed(_ socket: Socket) {
        healthChecker.failed(healthChecker.checks[socket.owner])
        reviewChecks()
    }

    func checkFlushed(_ check: HealthCheck, _ link: H2Link) {
        healthChecker.flushed(check, link)
        reviewChecks()
    }

    func checkTimerFired(_ token: TimerToken) {
        healthChecker.timerFired(token)
        reviewChecks()
    }

    /// Acts on finished checks.
    private func reviewChecks() {
        while let outcome = healthChecker.nextOutcome() {
            groups.scheduleCare(at: outcome.server.checkAt)
            if outcome.hasChanged { announce(outcome.server, of: outcome.group) }
        }
    }

    private func announce(_ server: UpstreamServer, of group: UpstreamGroup) {
        let isUp = server.health.isUp
        if isUp { group.cameBack(server, poller.now) }
        let name = group.settings.name
        shared.log.write(
            isUp ? .serverUp : .serverDown,
            [("upstream", .text(name)), ("server", .text(server.address.description))])
        for mailbox in shared.mailboxes where mailbox !== context.mailbox {
            mailbox.post(.serverHealth(upstream: name, address: server.address, isUp: isUp))
        }
    }

    // MARK: Names

    /// Resolves the names of a group if due. Returns when that is due again.
    private func resolveNames(of group: UpstreamGroup) -> Int64 {
        let names = group.names
        if names.isEmpty { return .max }
        if group.resolveAt <= poller.now {
            group.resolveAt = poller.now + group.settings.resolveInterval
            for name in names { resolve(name, of: group) }
        }
        return group.resolveAt
    }

    private func resolve(_ target: ServerSettings.Target, of group: UpstreamGroup) {
        guard case .name(let host, let port) = target else { return }
        let (upstream, url) = (group.settings.name, group.url(of: target))
        let (mailboxes, failures) = (shared.mailboxes, shared.connectionFailures)
        let accepted = NameResolver(pool: shared.blocking).resolve(host, port: port) { answer in
            if let problem = answer.problem {
                failures.note(ConnectionFailure(url, .resolve, problem), .upstream(upstream))
            }
            var found: [SocketAddress] = []
            if case .addresses(let addresses) = answer { found = addresses }
            for mailbox in mailboxes { mailbox.post(.resolved(target, found)) }
        }
        if !accepted { context.mailbox.post(.resolved(target, [])) }
    }

    func resolved(_ target: ServerSettings.Target, _ addresses: [SocketAddress]) {
        for group in groups.all where group.names.contains(target) {
            for server in group.resolved(target, addresses, poller.now) { connections.closeUnused(of: server) }
            // An upstream without servers is retried sooner.
            if group.servers.isEmpty {
                group.resolveAt = min(group.resolveAt, poller.now + UpstreamMaintenance.resolvePause)
            }
        }
        run()
    }

    /// Milliseconds between resolutions of a name without an address.
    private static let resolvePause: Int64 = 1000

    // MARK: Configuration

    /// Applies another configuration: groups of the same name continue, with their remaining servers. Busy connections
    /// finish; idle ones to removed servers are closed. Call `run` afterwards.
    func use(_ fresh: [Upstream]) {
        let old = groups.all
        groups.all = fresh.map { upstream in
            guard let group = old.first(where: { $0.settings.name == upstream.settings.name }) else {
                return UpstreamGroup(upstream, seed: LoopContext.seed)
            }
            for server in group.update(upstream, poller.now) { connections.closeUnused(of: server) }
            if !group.queue.isEmpty { groups.serveQueueLater(group) }
            return group
        }
        for group in old where !groups.all.contains(where: { $0 === group }) {
            for server in group.retire() { connections.closeUnused(of: server) }
            // Its queued requests are refused.
            if !group.queue.isEmpty { groups.serveQueueLater(group) }
        }
    }

}
