import Bytes
import Policy
import Reactor

extension Worker {
    /// Counters of this worker with the gauges filled in.
    func currentMetrics() -> WorkerMetrics {
        var report = counters.report
        report.upstreams = groups.all.map { $0.report(poller.now) }
        report.connectionsOpen = frontend.clients.used
        report.tunnelsOpen = lasting.tunnels
        report.eventStreamsOpen = lasting.count - report.tunnelsOpen
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
