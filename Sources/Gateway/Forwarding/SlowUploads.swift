import Model
import Reactor

/// Ends uploads that hold places of a full upstream while other requests wait, and that are too slow for it.
///
/// Together, the uploads of a network at the upstream must move `minBodyRate` for each of them in each place that they
/// hold. One upload has to keep the usual rate. A client with forty may not hold all places at the pace of one.
final class SlowUploads: LoopPart {
    /// Milliseconds between two looks at the uploads of an upstream.
    private static let interval: Int64 = 250
    /// Milliseconds for which an upload is not judged.
    private static let grace: Int64 = 500
    /// Milliseconds after which its earlier bytes count no more.
    private static let memory: Int64 = 10_000
    /// Milliseconds that each upload may be silent at the usual rate.
    private static let allowance: Double = 2_000

    /// The uploads of a network.
    private struct Tally {
        /// Those in places, and those whose bodies have to arrive first.
        var uploads: Int
        var judged: [(exchange: Exchange, moved: Int)] = []
        var moved = 0
        /// Milliseconds in which they moved that.
        var time: Double = 0

        /// - Parameter rate: bytes per second.
        func isTooSlow(_ rate: Int) -> Bool {
            let owed = Double(uploads) * time - SlowUploads.allowance * Double(judged.count)
            return Double(moved) * 1000 < owed * Double(rate)
        }
    }

    private let exchanges: ExchangeTable
    private let groups: UpstreamGroups
    private let relay: RequestRelay

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ groups: UpstreamGroups, _ relay: RequestRelay) {
        self.exchanges = exchanges
        self.groups = groups
        self.relay = relay
        super.init(context)
    }

    /// How many places of uploads there are for requests to wait for: of slow ones, and of those not judged yet.
    func count(at group: UpstreamGroup) -> Int {
        if poller.now >= group.slowUploads.lookAt { look(group) }
        return group.slowUploads.found.count + group.slowUploads.young
    }

    /// Requests wait: has as many slow uploads end with the turn. Returns when to look again.
    func review(_ group: UpstreamGroup) -> Int64 {
        if group.queue.isEmpty { return .max }
        if poller.now >= group.slowUploads.lookAt { look(group) }
        group.slowUploads.wanted = min(group.slowUploads.found.count, group.queue.count)
        // The place of a cancelled stream is free only when its last frame is sent.
        groups.serveQueueLater(group)
        return group.slowUploads.lookAt
    }

    /// Ends uploads for the requests that wait.
    func end(at group: UpstreamGroup) {
        var list = group.slowUploads
        var left = min(list.wanted, group.queue.count)
        list.wanted = 0
        var ending: [Exchange] = []
        while left > 0, let identity = list.found.popLast() {
            guard let exchange = exchanges.find(identity, in: .forwarding), holdsPlace(exchange, group) else {
                continue
            }
            ending.append(exchange)
            left -= 1
        }
        group.slowUploads = list
        for exchange in ending {
            limited(.bodyRate)
            relay.timedOut(exchange)
        }
    }

    private func holdsPlace(_ exchange: Exchange, _ group: UpstreamGroup) -> Bool {
        exchange.group === group && exchange.attempt.isAdmitted && exchange.stage == .forwarding
            && !exchange.requestBody.isComplete && !exchange.response.hasBegun
    }

    private func look(_ group: UpstreamGroup) {
        group.slowUploads.lookAt = poller.now + SlowUploads.interval
        group.slowUploads.found = []
        group.slowUploads.young = 0
        let rate = context.snapshot.limits.minimumBodyRate
        guard rate > 0 else { return }
        var tallies: [IPAddress?: Tally] = [:]
        for exchange in exchanges.all.all where holdsPlace(exchange, group) {
            let network = exchange.address?.subscriber
            tallies[network, default: Tally(uploads: group.queue.arriving(of: network))].uploads += 1
            // Without a deadline it is not the client's turn: the upstream connects, or is slower.
            guard exchange.bodyPace.deadline != .max else { continue }
            if !judge(exchange, &tallies[network, default: Tally(uploads: 0)]) { group.slowUploads.young += 1 }
        }
        let slow = tallies.values.filter { $0.isTooSlow(rate) }.sorted { $0.uploads < $1.uploads }
        group.slowUploads.found = slow.flatMap { tally in
            tally.judged.sorted { $0.moved > $1.moved }.map(\.exchange.identity)
        }
    }

    /// False for an upload that has just begun.
    private func judge(_ exchange: Exchange, _ tally: inout Tally) -> Bool {
        let upload = BodyArrival.progress(of: exchange)
        let time = poller.now - upload.mark.since
        guard time >= SlowUploads.grace else { return false }
        // Bytes that were there before the place was given do not count.
        let moved = max(0, exchange.requestBody.passed - upload.mark.bytes)
        tally.judged.append((exchange, moved))
        tally.moved += moved
        tally.time += Double(time)
        if time >= SlowUploads.memory {
            upload.mark = Delivery(bytes: exchange.requestBody.passed, since: poller.now)
        }
        return true
    }
}
