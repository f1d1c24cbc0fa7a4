import Model

/// The counters of one worker: plain numbers used by its thread only. `/metrics` requests a copy from every worker.
package struct WorkerMetrics: Sendable {
    /// Upper bounds of the duration histogram in microseconds; a last bucket has the rest.
    static let durationBounds: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 10_000_000,
    ]
    /// One more than the highest status code.
    static let statusSlots = 600

    /// The bucket of a duration.
    static func bucket(of microseconds: Int64) -> Int {
        // Most requests are fast, so the first bounds are the most likely.
        if microseconds <= 500 { return 0 }
        if microseconds <= 1000 { return 1 }
        var bucket = 2
        while bucket < durationBounds.count, microseconds > durationBounds[bucket] { bucket &+= 1 }
        return bucket
    }

    /// Requests of one route (the last entry stands for requests without one).
    struct RouteCounters: Sendable {
        var name: String
        /// For an endpoint whose requests concern routes; otherwise empty.
        var route = ""
        /// By status code.
        var statuses = [UInt64](repeating: 0, count: WorkerMetrics.statusSlots)
        var durations = [UInt64](repeating: 0, count: WorkerMetrics.durationBounds.count + 1)
        var durationSum: Int64 = 0
    }

    var routes: [RouteCounters] = []
    /// The gateway's own endpoints.
    var endpoints: [RouteCounters] = []
    /// Requests of consumers by their names and by status.
    var consumers: [String: [Int: UInt64]] = [:]
    /// Requests that a rule on trial would have refused, by name of the route and by reason.
    var trialDenials: [String: [Reason: UInt64]] = [:]
    /// Messages to MCP servers about tools, resources and prompts.
    var messages: [MessageLabels: UInt64] = [:]
    var upstreams: [UpstreamReport] = []
    /// Requests that were not served.
    var reasons: [Reason: UInt64] = [:]
    /// Refusals by limits, by index of the `Limit`.
    var limited = [UInt64](repeating: 0, count: Limit.allCases.count)
    var bufferBytes = 0
    var connectionsAccepted: UInt64 = 0
    var connectionsRefused: UInt64 = 0
    var connectionsOpen = 0
    var http2Connections: UInt64 = 0
    var tlsHandshakes: UInt64 = 0
    var tlsResumptions: UInt64 = 0
    var tlsHandshakeFailures: UInt64 = 0
    var requestsInFlight = 0
    var tunnelsOpened: UInt64 = 0
    var tunnelsOpen = 0
    var eventStreamsOpen = 0
    var upstreamConnectionsOpened: UInt64 = 0
    var upstreamRetries: UInt64 = 0
    var upstreamErrors: [UInt64] = Array(repeating: 0, count: UpstreamFailure.allCases.count)
    var tokenCacheHits: UInt64 = 0
    var tokenCacheMisses: UInt64 = 0
    var tokenCacheEvictions: UInt64 = 0
    var tokenCacheEntries = 0
    var injectionHits: UInt64 = 0
    var injectionMisses: UInt64 = 0
    var webgateEvictions: UInt64 = 0
    var chunksInUse = 0
    var logLinesDropped: UInt64 = 0

    init(routeNames: [String]) {
        routes = routeNames.map { RouteCounters(name: $0) }
    }

    private static func add(_ others: [RouteCounters], to counters: inout [RouteCounters]) {
        for other in others {
            guard let place = counters.firstIndex(where: { $0.name == other.name && $0.route == other.route })
            else {
                counters.append(other)
                continue
            }
            for i in other.statuses.indices { counters[place].statuses[i] &+= other.statuses[i] }
            for i in other.durations.indices { counters[place].durations[i] &+= other.durations[i] }
            counters[place].durationSum &+= other.durationSum
        }
    }

    /// Adds another worker's counters. Both must have the same routes; others are appended.
    mutating func add(_ other: WorkerMetrics) {
        WorkerMetrics.add(other.routes, to: &routes)
        WorkerMetrics.add(other.endpoints, to: &endpoints)
        consumers.merge(other.consumers) { $0.merging($1, uniquingKeysWith: &+) }
        trialDenials.merge(other.trialDenials) { $0.merging($1, uniquingKeysWith: &+) }
        messages.merge(other.messages, uniquingKeysWith: &+)
        for upstream in other.upstreams {
            guard let place = upstreams.firstIndex(where: { $0.name == upstream.name }) else {
                upstreams.append(upstream)
                continue
            }
            upstreams[place].add(upstream)
        }
        reasons.merge(other.reasons, uniquingKeysWith: &+)
        for i in other.limited.indices { limited[i] &+= other.limited[i] }
        bufferBytes += other.bufferBytes
        for i in other.upstreamErrors.indices { upstreamErrors[i] &+= other.upstreamErrors[i] }
        connectionsAccepted &+= other.connectionsAccepted
        connectionsRefused &+= other.connectionsRefused
        http2Connections &+= other.http2Connections
        tlsHandshakes &+= other.tlsHandshakes
        tlsResumptions &+= other.tlsResumptions
        tlsHandshakeFailures &+= other.tlsHandshakeFailures
        connectionsOpen += other.connectionsOpen
        requestsInFlight += other.requestsInFlight
        tunnelsOpened &+= other.tunnelsOpened
        tunnelsOpen += other.tunnelsOpen
        eventStreamsOpen += other.eventStreamsOpen
        upstreamConnectionsOpened &+= other.upstreamConnectionsOpened
        upstreamRetries &+= other.upstreamRetries
        tokenCacheHits &+= other.tokenCacheHits
        tokenCacheMisses &+= other.tokenCacheMisses
        tokenCacheEvictions &+= other.tokenCacheEvictions
        tokenCacheEntries += other.tokenCacheEntries
        injectionHits &+= other.injectionHits
        injectionMisses &+= other.injectionMisses
        webgateEvictions &+= other.webgateEvictions
        chunksInUse += other.chunksInUse
        logLinesDropped &+= other.logLinesDropped
    }
}
