import Configuration
import Gateway

extension Assembly {
    /// The limiters of each route of the policy.
    ///
    /// - Parameter origins: the entry of the configuration that each of them comes from. The routes that one entry was
    ///   split into share its limits.
    func rateLimits(_ origins: [Int]) -> [[RateLimiter]] {
        let limits = origins.map { rateLimits(of: configuration.routes[$0]) }
        lasting.rateLimiters.keep(only: Set(limits.joined()))
        return limits.map { $0.map(lasting.rateLimiters.limiter) }
    }

    private func rateLimits(of route: RouteEntry) -> [RateLimit] {
        route.rateLimits.enumerated().compactMap { place, limit in
            switch limit {
            case .named(let name):
                configuration.rateLimits.first { $0.name == name }.map { RateLimit($0, name: "limit \(name)") }
            case .own(let entry): RateLimit(entry, name: "route \(route.name) \(place)")
            }
        }
    }
}

extension RateLimit {
    /// - Parameter name: what tells the limit from others that say the same.
    fileprivate init(_ entry: RateLimitEntry, name: String) {
        self.init(
            name: name, requests: entry.requests, perMilliseconds: entry.per.milliseconds, burst: entry.burst,
            key: Key(rawValue: entry.key.rawValue) ?? .route)
    }
}
