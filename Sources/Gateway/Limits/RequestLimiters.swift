import Identity
import Policy

/// The limiters of request rates.
package struct RequestLimiters: Sendable {
    /// By route index; empty if no route has any.
    private let routes: [[RateLimiter]]
    /// Of the gateway's own endpoints together.
    package let endpoints: [RateLimiter]
    /// By name of the consumer. Each counts the requests of one consumer.
    private let consumers: [String: [RateLimiter]]

    package init(
        routes: [[RateLimiter]] = [], endpoints: [RateLimiter] = [], consumers: [String: [RateLimiter]] = [:]
    ) {
        self.routes = routes.allSatisfy(\.isEmpty) ? [] : routes
        self.endpoints = endpoints
        self.consumers = consumers.filter { !$1.isEmpty }
    }

    package var isEmpty: Bool { routes.isEmpty && endpoints.isEmpty && consumers.isEmpty }

    package func of(_ route: Route) -> [RateLimiter] { routes.isEmpty ? [] : routes[route.index] }

    /// The limits of a consumer; empty for other callers.
    package func of(_ principal: Principal?) -> [RateLimiter] {
        guard !consumers.isEmpty, let name = principal?.consumerName else { return [] }
        return consumers[name] ?? []
    }
}
