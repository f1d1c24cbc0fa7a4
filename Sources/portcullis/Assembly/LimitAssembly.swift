import Configuration
import Gateway
import Model
import Reactor

/// The limits of clients and the limiters of request rates.
struct LimitAssembly: AssemblyPart {
    let context: AssemblyContext

    /// The limits of clients, with the connections of each worker.
    func ofClients() -> GatewayLimits {
        var limits = configuration.limits
        let count = limits.maximumConnections > 0 ? limits.maximumConnections : ProcessLimits.raiseOpenFiles() * 2 / 5
        limits.maximumConnectionsPerWorker = max(16, count / max(1, configuration.workerCount))
        return limits
    }

    /// The limiters of each route of the policy, of the gateway's own endpoints, and of each consumer.
    ///
    /// - Parameter origins: the entry of the configuration that each of them comes from. The routes that one entry was
    ///   split into share its limits.
    func rateLimits(_ origins: [Int]) -> RequestLimiters {
        let limits = origins.map { index in
            let route = configuration.routes[index]
            return rateLimits(route.rateLimits, of: "route \(route.name)")
        }
        let endpoints = rateLimits(configuration.tokenService.rateLimits, of: "endpoints")
        let consumers = configuration.consumers.map { consumer in
            let place = "consumer \(consumer.name)"
            return (
                consumer.name,
                rateLimits(consumer.rateLimits, of: place).map { limit in
                    var own = limit
                    own.name = "\(place) \(limit.name)"
                    // It counts this consumer alone.
                    own.key = .route
                    return own
                }
            )
        }
        let limiters = retained.rateLimiters
        limiters.keep(only: Set(limits.joined() + endpoints + consumers.map(\.1).joined()))
        return RequestLimiters(
            routes: limits.map { $0.map(limiters.limiter) }, endpoints: endpoints.map(limiters.limiter),
            consumers: Dictionary(
                consumers.map { ($0, $1.map(limiters.limiter)) }, uniquingKeysWith: { first, _ in first }))
    }

    private func rateLimits(_ limits: [RateLimitReference], of place: String) -> [RateLimit] {
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

extension Consumer {
    /// What to warn of if the consumer is about to be without a key, or is so since its keys expired.
    /// - Parameter now: seconds since 1970.
    func warning(now: Int64) -> String? {
        guard enabled, let last = keys.map({ $0.expiresAt ?? .max }).max(), last < now + 7 * 86_400 else { return nil }
        if last <= now { return "the last key of \"\(name)\" has expired" }
        return "the last key of \"\(name)\" expires within \((last - now + 3599) / 3600) hours"
    }
}
