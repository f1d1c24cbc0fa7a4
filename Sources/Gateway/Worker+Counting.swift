import Bytes
import Policy
import Reactor

/// What finished exchanges are counted by, and their lines in the access log.
extension Worker {
    /// Where an exchange is counted.
    func counter(of exchange: Exchange) -> RouteCounter {
        // A route of an earlier configuration has no number in this one.
        if let route = exchange.route, exchange.snapshot === snapshot { return routeCounters[route.index] }
        guard let name = exchange.endpoint?.name ?? exchange.adminResource?.name else {
            return routeCounters[routeCounters.count - 1]
        }
        if let counter = endpointCounters[name] { return counter }
        let counter = RouteCounter(name: name)
        endpointCounters[name] = counter
        return counter
    }

    /// Counters of this worker with the gauges filled in.
    func currentMetrics() -> WorkerMetrics {
        var report = metrics
        report.routes = routeCounters.map(\.report)
        report.endpoints = endpointCounters.values.map(\.report)
        report.upstreams = groups.map { $0.report(poller.now) }
        report.reasons = reasonCounters.values
        report.limited = limitCounters.values
        report.connectionsOpen = openClients
        report.tunnelsOpen = lasting.tunnels
        report.eventStreamsOpen = lasting.count - report.tunnelsOpen
        report.requestsInFlight = exchanges.count - vacantExchanges
        report.tokenCacheHits = UInt64(tokenCache.hits)
        report.tokenCacheMisses = UInt64(tokenCache.misses)
        report.tokenCacheEvictions = UInt64(tokenCache.evictions)
        report.tokenCacheEntries = tokenCache.count
        report.chunksInUse = poller.chunks.inUse
        report.bufferBytes = poller.chunks.bytesInUse
        report.logLinesDropped = accessLog?.dropped ?? 0
        return report
    }

    /// Counters of routes that keep their name go on.
    func useRoutes(of fresh: GatewaySnapshot) {
        let old = routeCounters
        let names = fresh.routeNames + [""]
        // Mostly they have kept their places, and ten thousand of them need no table on the loop.
        var indices: [String: Int]?
        routeCounters = names.indices.map { i in
            if i < old.count, old[i].name == names[i] { return old[i] }
            if indices == nil {
                indices = Dictionary(old.indices.map { (old[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
            }
            return indices?[names[i]].map { old[$0] } ?? RouteCounter(name: names[i])
        }
    }

    /// Appends the line of a finished exchange to the access log. It goes out with those that come soon after it.
    func log(_ exchange: Exchange, finishedAt now: Int64) {
        guard let accessLog else { return }
        accessLog.append(exchange, finishedAt: now, wallSeconds: poller.wallSeconds)
        guard !logIsAwaited else { return }
        logIsAwaited = true
        poller.schedule(TimerToken(role: Role.accessLog, owner: 0), at: poller.now + AccessLog.patience)
    }
}
