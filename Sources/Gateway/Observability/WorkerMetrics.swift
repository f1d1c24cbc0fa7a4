/// The counters of one worker: plain numbers that only its thread touches. `/metrics` asks every worker for a copy.
package struct WorkerMetrics: Sendable {
    /// Upper bounds of the duration histogram in microseconds; a last bucket takes the rest.
    static let durationBounds: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 10_000_000,
    ]
    /// How many different reasons there can be.
    static let statusSlots = 600

    /// Requests of one route (the last entry stands for requests without one).
    struct RouteCounters: Sendable {
        var name: String
        /// By status code.
        var statuses = [UInt64](repeating: 0, count: WorkerMetrics.statusSlots)
        var durations = [UInt64](repeating: 0, count: WorkerMetrics.durationBounds.count + 1)
        var durationSum: Int64 = 0
    }

    var routes: [RouteCounters] = []
    /// Decisions other than "allowed", by the reason's place in `reasonNames`.
    var reasons: [UInt64]
    var connectionsAccepted: UInt64 = 0
    var connectionsRefused: UInt64 = 0
    var connectionsOpen = 0
    var requestsInFlight = 0
    var upstreamConnectionsOpened: UInt64 = 0
    var upstreamRetries: UInt64 = 0
    var upstreamErrors: [UInt64] = Array(repeating: 0, count: UpstreamFailure.allCases.count)
    var tokenCacheHits: UInt64 = 0
    var tokenCacheMisses: UInt64 = 0
    var tokenCacheEvictions: UInt64 = 0
    var tokenCacheEntries = 0
    var injectionHits: UInt64 = 0
    var injectionMisses: UInt64 = 0
    var chunksInUse = 0
    var logLinesDropped: UInt64 = 0

    init(routeNames: [String], reasonCount: Int) {
        reasons = Array(repeating: 0, count: reasonCount)
        use(routeNames: routeNames)
    }

    /// Makes room for the routes of a new configuration; counters of routes that keep their name go on.
    mutating func use(routeNames: [String]) {
        var known: [String: RouteCounters] = [:]
        for route in routes { known[route.name] = route }
        routes = (routeNames + [""]).map { known[$0] ?? RouteCounters(name: $0) }
    }

    /// Counts a finished request. `route` nil stands for none.
    mutating func count(route: Int?, status: Int, microseconds: Int64) {
        let index = route ?? routes.count - 1
        if status < WorkerMetrics.statusSlots { routes[index].statuses[status] &+= 1 }
        var bucket = 0
        while bucket < WorkerMetrics.durationBounds.count, microseconds > WorkerMetrics.durationBounds[bucket] {
            bucket &+= 1
        }
        routes[index].durations[bucket] &+= 1
        routes[index].durationSum &+= microseconds
    }

    /// Adds another worker's counters to these. Both must know the same routes; others are appended.
    mutating func add(_ other: WorkerMetrics) {
        for route in other.routes {
            guard let place = routes.firstIndex(where: { $0.name == route.name }) else {
                routes.append(route)
                continue
            }
            for i in route.statuses.indices { routes[place].statuses[i] &+= route.statuses[i] }
            for i in route.durations.indices { routes[place].durations[i] &+= route.durations[i] }
            routes[place].durationSum &+= route.durationSum
        }
        for i in other.reasons.indices { reasons[i] &+= other.reasons[i] }
        for i in other.upstreamErrors.indices { upstreamErrors[i] &+= other.upstreamErrors[i] }
        connectionsAccepted &+= other.connectionsAccepted
        connectionsRefused &+= other.connectionsRefused
        connectionsOpen += other.connectionsOpen
        requestsInFlight += other.requestsInFlight
        upstreamConnectionsOpened &+= other.upstreamConnectionsOpened
        upstreamRetries &+= other.upstreamRetries
        tokenCacheHits &+= other.tokenCacheHits
        tokenCacheMisses &+= other.tokenCacheMisses
        tokenCacheEvictions &+= other.tokenCacheEvictions
        tokenCacheEntries += other.tokenCacheEntries
        injectionHits &+= other.injectionHits
        injectionMisses &+= other.injectionMisses
        chunksInUse += other.chunksInUse
        logLinesDropped &+= other.logLinesDropped
    }
}
