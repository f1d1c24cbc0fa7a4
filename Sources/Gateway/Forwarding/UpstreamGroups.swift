import Policy
import Reactor

/// A worker's groups of servers, one for each upstream, and when they need attention.
final class UpstreamGroups: LoopPart {
    /// By the number of the upstream in the snapshot.
    var all: [UpstreamGroup]
    /// Groups in which something has become free that requests wait for.
    private var withRoom: [UpstreamGroup] = []
    /// When the groups need attention next, in milliseconds of the loop's clock.
    var careAt: Int64 = .max

    override init(_ context: LoopContext) {
        all = context.snapshot.upstreams.map { UpstreamGroup($0, seed: LoopContext.seed) }
        super.init(context)
    }

    var hasRoom: Bool { !withRoom.isEmpty }

    /// One of the groups in which something has become free since the last call; nil for none.
    func nextWithRoom() -> UpstreamGroup? {
        // Out and in again, as in all tables of a worker: a change in place would put a check on every reading.
        var rest = withRoom
        withRoom = []
        let group = rest.popLast()
        withRoom = rest
        return group
    }

    /// The group of the route's upstream. A worker that was reconfigured in between may know it under another number, or
    /// not at all: then the request still goes where it was decided to go, over connections that are not kept.
    func of(_ exchange: Exchange, _ route: Route) -> UpstreamGroup {
        if exchange.snapshot === snapshot { return all[route.upstream] }
        let upstream = exchange.snapshot.upstreams[route.upstream]
        if let group = all.first(where: { $0.upstream.hasSameServers(as: upstream) }) { return group }
        let group = UpstreamGroup(upstream, seed: 0)
        for server in group.servers { server.retire() }
        return group
    }

    func leaveQueue(_ exchange: Exchange, _ group: UpstreamGroup) {
        guard let place = exchange.attempt.queuePlace else { return }
        group.queue.withdraw(at: place)
        exchange.attempt.queuePlace = nil
    }

    /// The exchange has ended: its place in the queue and its share of the limits are free.
    func release(_ exchange: Exchange) {
        guard let group = exchange.group.take() else { return }
        leaveQueue(exchange, group)
        if exchange.attempt.isAdmitted {
            group.ended(succeeded: exchange.attempt.succeeded, probe: exchange.attempt.isProbe, poller.now)
        }
        if !group.queue.isEmpty { serveQueueLater(group) }
    }

    /// Later in the turn: the caller is in the middle of ending an exchange.
    func serveQueueLater(_ group: UpstreamGroup) {
        guard !withRoom.contains(where: { $0 === group }) else { return }
        withRoom = withRoom + [group]
    }

    /// Sees to it that the groups are looked after at that time at the latest.
    func scheduleCare(at time: Int64) {
        guard time < careAt else { return }
        careAt = time
        poller.schedule(TimerToken(role: Worker.Role.upstreamCare, owner: 0), at: time)
    }
}
