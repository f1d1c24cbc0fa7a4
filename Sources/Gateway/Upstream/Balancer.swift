import Model

/// Chooses the server of a request from the first non-empty tier of candidates:
///
/// 1. servers that are healthy and not ejected,
/// 2. backups that are healthy and not ejected,
/// 3. if no server of the upstream is usable, all of them (panic). A wrong check or a shared fault must not take down
///    servers that may still work; the breaker is what stops requests deliberately.
///
/// Retries exclude servers that were tried. Random numbers come from a seed; time is an argument.
final class Balancer {
    /// Result of a choice.
    enum Pick {
        case server(UpstreamServer)
        /// There are candidates, but none may open another connection now.
        case full
        /// No server is left to try.
        case none
    }

    private enum Circle { case usable, backup, panic }

    /// Up to this number all servers are compared; otherwise two random ones.
    private static let exactScan = 8
    /// Number of random draws before all servers are compared.
    private static let draws = 4

    private var ring = HashRing()
    private var ringIsCurrent = false
    /// Cumulative weights, for more than `exactScan` servers.
    private var sums: [Int] = []
    private var generatorState: UInt64
    private var method = Method.leastRequests
    private var slowStart: Int64 = 0

    private enum Method { case leastRequests, roundRobin, consistentHash }

    init(seed: UInt64) { generatorState = seed }

    /// The servers or their state have changed.
    func use(_ servers: [UpstreamServer], _ settings: UpstreamSettings) {
        slowStart = settings.slowStart
        method =
            switch settings.balance {
            case .leastRequests: .leastRequests
            case .roundRobin: .roundRobin
            case .consistentHash: .consistentHash
            }
        ringIsCurrent = false
        sums = []
        guard servers.count > Balancer.exactScan else { return }
        var sum = 0
        for server in servers {
            sum += server.weight
            sums.append(sum)
        }
    }

    /// - Parameters:
    ///   - place: the key's position on the ring; used for consistent hashing only.
    ///   - tried: servers that this request was sent to.
    func pick(_ servers: [UpstreamServer], place: UInt64, tried: [UpstreamServer], _ now: Int64) -> Pick {
        guard let circle = Balancer.circle(servers, tried, now) else { return .none }
        let server: UpstreamServer?
        switch method {
        case .roundRobin: server = inTurn(servers, circle, tried, now)
        case .leastRequests: server = leastBusy(servers, circle, tried, now)
        case .consistentHash: server = onRing(servers, circle, place, tried, now)
        }
        return server.map { .server($0) } ?? .full
    }

    // MARK: Candidates

    private static func circle(_ servers: [UpstreamServer], _ tried: [UpstreamServer], _ now: Int64) -> Circle? {
        var (anyUsable, hasBackup, hasUntried) = (false, false, false)
        for server in servers {
            let untried = !isTried(server, tried)
            if server.isUsable(now) {
                anyUsable = true
                if untried, !server.isBackup { return .usable }
                if untried { hasBackup = true }
            }
            if untried { hasUntried = true }
        }
        if hasBackup { return .backup }
        return hasUntried && !anyUsable ? .panic : nil
    }

    private static func isTried(_ server: UpstreamServer, _ tried: [UpstreamServer]) -> Bool {
        for other in tried where other === server { return true }
        return false
    }

    private static func mayTake(
        _ server: UpstreamServer, _ circle: Circle, _ tried: [UpstreamServer], _ now: Int64
    ) -> Bool {
        switch circle {
        case .usable: if server.isBackup || !server.isUsable(now) { return false }
        case .backup: if !server.isBackup || !server.isUsable(now) { return false }
        case .panic: break
        }
        return server.hasRoom && (tried.isEmpty || !isTried(server, tried))
    }

    // MARK: Round-robin

    /// Smooth weighted round-robin: every candidate gains its weight; the one with the highest credit is chosen and
    /// pays the total. Weights 5, 1, 1 yield a a b a c a a instead of five in a row.
    private func inTurn(
        _ servers: [UpstreamServer], _ circle: Circle, _ tried: [UpstreamServer],
        _ now: Int64
    ) -> UpstreamServer? {
        var best: UpstreamServer?
        var total = 0
        for server in servers where Balancer.mayTake(server, circle, tried, now) {
            earn(server, now, &total, &best)
        }
        best?.credit -= total
        return best
    }

    private func earn(
        _ server: UpstreamServer, _ now: Int64, _ total: inout Int,
        _ best: inout UpstreamServer?
    ) {
        let weight = server.effectiveWeight(now, slowStart)
        server.credit += weight
        total += weight
        if let richest = best, richest.credit >= server.credit { return }
        best = server
    }

    // MARK: Least requests

    private func leastBusy(
        _ servers: [UpstreamServer], _ circle: Circle, _ tried: [UpstreamServer],
        _ now: Int64
    ) -> UpstreamServer? {
        if servers.count > Balancer.exactScan {
            for _ in 0..<Balancer.draws {
                let (one, other) = (draw(servers, now), draw(servers, now))
                let first = Balancer.mayTake(one, circle, tried, now) ? one : nil
                guard Balancer.mayTake(other, circle, tried, now) else {
                    if let first { return first }
                    continue
                }
                guard let first else { return other }
                return isBusier(first, other, now) ? other : first
            }
        }
        return leastBusyOfAll(servers, circle, tried, now)
    }

    /// The servers with the fewest requests relative to their weight; ties are resolved by round-robin, so that weights
    /// apply without load too.
    private func leastBusyOfAll(
        _ servers: [UpstreamServer], _ circle: Circle, _ tried: [UpstreamServer],
        _ now: Int64
    ) -> UpstreamServer? {
        var least: UpstreamServer?
        for server in servers where Balancer.mayTake(server, circle, tried, now) {
            if let idlest = least, !isBusier(idlest, server, now) { continue }
            least = server
        }
        guard let least else { return nil }
        var best: UpstreamServer?
        var total = 0
        for server in servers where Balancer.mayTake(server, circle, tried, now) {
            if isBusier(server, least, now) { continue }
            earn(server, now, &total, &best)
        }
        best?.credit -= total
        return best
    }

    private func isBusier(
        _ one: UpstreamServer, _ other: UpstreamServer, _ now: Int64
    ) -> Bool {
        one.inFlight * other.effectiveWeight(now, slowStart) > other.inFlight * one.effectiveWeight(now, slowStart)
    }

    /// A random server, in proportion to the weights.
    private func draw(_ servers: [UpstreamServer], _ now: Int64) -> UpstreamServer {
        var server = servers[drawIndex()]
        // A server in slow start is redrawn with a probability that shrinks as its share grows.
        let share = server.slowStart.percent(now, of: slowStart)
        if share < 100, Int(nextRandom() % 100) >= share { server = servers[drawIndex()] }
        return server
    }

    private func drawIndex() -> Int {
        guard let total = sums.last, total > 0 else { return 0 }
        let mark = Int(nextRandom() % UInt64(total))
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] <= mark { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func nextRandom() -> UInt64 {
        generatorState &+= 0x9e37_79b9_7f4a_7c15
        return HashRing.mix(generatorState)
    }

    // MARK: By key

    private func onRing(
        _ servers: [UpstreamServer], _ circle: Circle, _ place: UInt64,
        _ tried: [UpstreamServer], _ now: Int64
    ) -> UpstreamServer? {
        if !ringIsCurrent {
            ring = HashRing(servers)
            ringIsCurrent = true
        }
        let start = ring.first(after: place)
        // A server in slow start gets a growing share of its keys, always the same ones first.
        let mark = Int(HashRing.mix(place) % 100)
        var warming: UpstreamServer?
        var index = start
        for _ in 0..<ring.count {
            let server = servers[ring.server(at: index)]
            index = index + 1 == ring.count ? 0 : index + 1
            guard Balancer.mayTake(server, circle, tried, now) else { continue }
            if mark < server.slowStart.percent(now, of: slowStart) { return server }
            if warming == nil { warming = server }
        }
        return warming
    }
}
