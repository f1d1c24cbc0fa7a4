import Model
import Policy
import Reactor

/// A worker's server groups, one per upstream, and when they need maintenance.
final class UpstreamGroups: LoopPart {
    /// By index of the upstream in the snapshot.
    var all: [UpstreamGroup]
    /// Groups with new room for queued requests.
    private var withRoom: [UpstreamGroup] = []
    /// When the groups next need maintenance, in milliseconds of the loop's clock.
    var careAt: Int64 = .max

    override init(_ context: LoopContext) {
        all = context.snapshot.upstreams.map { UpstreamGroup($0, seed: LoopContext.seed) }
        super.init(context)
    }

    var hasRoom: Bool { !withRoom.isEmpty }

    /// A group with new room since the last call; nil for none.
    func nextWithRoom() -> UpstreamGroup? {
        // Moved out and back in, like all tables of a worker: changing it in place would add an exclusivity check to
        // every access.
        var rest = withRoom
        withRoom = []
        let group = rest.popLast()
        withRoom = rest
        return group
    }

    /// The group of the route's upstream. After a reconfiguration the worker may have it under another index, or not at
    /// all; the request then still goes to its decided target, over connections that are not kept.
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

    /// The exchange has ended: releases its place in the queue and its share of the limits. It keeps its group, by which
    /// `Exchange.reset` knows that there is more to reset.
    func release(_ exchange: Exchange) {
        guard let group = exchange.group else { return }
        leaveQueue(exchange, group)
        if exchange.attempt.upload?.isArriving == true { group.queue.arrived(of: exchange.address?.subscriber) }
        if exchange.attempt.isAdmitted {
            group.ended(succeeded: exchange.attempt.succeeded, probe: exchange.attempt.isProbe, poller.now)
        }
        if !group.queue.isEmpty { serveQueueLater(group) }
    }

    /// Deferred to the end of the turn, because the caller is ending an exchange.
    func serveQueueLater(_ group: UpstreamGroup) {
        guard !withRoom.contains(where: { $0 === group }) else { return }
        withRoom = withRoom + [group]
    }

    /// Schedules maintenance at that time at the latest.
    func scheduleCare(at time: Int64) {
        guard time < careAt else { return }
        careAt = time
        poller.schedule(TimerToken(role: LoopRole.upstreamCare, owner: 0), at: time)
    }
}
