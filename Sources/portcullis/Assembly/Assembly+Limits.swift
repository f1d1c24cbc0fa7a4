import Configuration
import Gateway
import Model
import Reactor

extension Assembly {
    /// The limits of clients, with the connections of each worker.
    func limits() -> GatewayLimits {
        var limits = configuration.limits
        let count = limits.maximumConnections > 0 ? limits.maximumConnections : ProcessLimits.raiseOpenFiles() * 2 / 5
        limits.maximumConnectionsPerWorker = max(16, count / max(1, configuration.workerCount))
        return limits
    }

    /// The limiters of each route of the policy, and those of the gateway's own endpoints.
    ///
    /// - Parameter origins: the entry of the configuration that each of them comes from. The routes that one entry was
    ///   split into share its limits.
    func rateLimits(_ origins: [Int]) -> (routes: [[RateLimiter]], endpoints: [RateLimiter]) {
        let limits = origins.map { index in
            let route = configuration.routes[index]
            return rateLimits(route.rateLimits, of: "route \(route.name)")
        }
        let endpoints = rateLimits(configuration.tokenService.rateLimits, of: "endpoints")
        lasting.rateLimiters.keep(only: Set(limits.joined() + endpoints))
        return (
            limits.map { $0.map(lasting.rateLimiters.limiter) }, endpoints.map(lasting.rateLimiters.limiter)
        )
    }

    private func rateLimits(_ limits: [RouteRateLimit], of place: String) -> [RateLimit] {
        limits.enumerated().compactMap { number, reference in
            let (limit, name) =
                switch reference {
                case .named(let name): (configuration.rateLimits.first { $0.name == name }, "limit \(name)")
                case .own(let limit): (limit, "\(place) \(number)")
                }
            guard var limit else { return nil }
            limit.name = name
            return limit
        }
    }
}

extension GatewayConfiguration {
    /// Number of event loops.
    var workerCount: Int { workers > 0 ? workers : WorkerThread.processorCount }
}
