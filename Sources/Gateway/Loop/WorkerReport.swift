import Bytes
import Policy
import Reactor

/// A worker's report for `/metrics`.
final class WorkerReport: LoopPart {
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    private let groups: UpstreamGroups
    private let tokenCache: VerifiedTokenCache

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ groups: UpstreamGroups,
        _ tokenCache: VerifiedTokenCache
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.groups = groups
        self.tokenCache = tokenCache
        super.init(context)
    }

    /// Counters of this worker with current gauges.
    var current: WorkerMetrics {
        var report = counters.report
        report.upstreams = groups.all.map { $0.report(poller.now) }
        report.connectionsOpen = frontend.clients.used
        report.tunnelsOpen = exchanges.longLived.tunnels
        report.eventStreamsOpen = exchanges.longLived.count - report.tunnelsOpen
        report.requestsInFlight = exchanges.all.used
        report.tokenCacheHits = UInt64(tokenCache.hits)
        report.tokenCacheMisses = UInt64(tokenCache.misses)
        report.tokenCacheEvictions = UInt64(tokenCache.evictions)
        report.tokenCacheEntries = tokenCache.count
        report.chunksInUse = poller.chunks.inUse
        report.bufferBytes = poller.chunks.bytesInUse
        return report
    }
}
