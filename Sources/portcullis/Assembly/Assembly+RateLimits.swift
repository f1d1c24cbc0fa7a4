import Configuration
import Gateway
import Model

extension Assembly {
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
        limits.enumerated().compactMap { number, limit in
            switch limit {
            case .named(let name):
                configuration.rateLimits.first { $0.name == name }.map { RateLimit($0, name: "limit \(name)") }
            case .own(let entry): RateLimit(entry, name: "\(place) \(number)")
            }
        }
    }
}

extension RateLimit {
    /// - Parameter name: what tells the limit from others that say the same.
    fileprivate init(_ entry: RateLimitEntry, name: String) {
        self.init(
            name: name, requests: entry.requests, perMilliseconds: entry.per.milliseconds, burst: entry.burst,
            key: entry.key)
    }
}
