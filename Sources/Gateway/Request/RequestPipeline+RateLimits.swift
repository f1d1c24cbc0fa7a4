import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Request rates of routes and the gateway's own endpoints.
extension RequestPipeline {
    /// Checks limits by route and address. Endpoints, which have no route, are limited by address. False if the request
    /// was refused.
    func passesRateLimits(_ exchange: Exchange, _ route: Route?) -> Bool {
        guard let route else { return passesEndpointLimits(exchange) }
        return passes(exchange, exchange.snapshot.rateLimits.of(route)) { limiter, now in
            switch limiter.limit.key {
            case .route: limiter.admit(now: now)
            case .address: exchange.address.map { limiter.admit($0, now: now) } ?? limiter.admit(now: now)
            case .principal: 0
            }
        }
    }

    /// Checks limits by principal, after authentication, and those of the consumer. On public routes, without a caller, the
    /// address is used.
    func passesPrincipalLimits(_ exchange: Exchange, _ route: Route) -> Bool {
        passes(exchange, exchange.snapshot.rateLimits.of(exchange.principal)) { $0.admit(now: $1) }
            && passes(exchange, exchange.snapshot.rateLimits.of(route)) { limiter, now in
                guard limiter.limit.key == .principal else { return 0 }
                if let principal = exchange.principal { return limiter.admit(principal, now: now) }
                return exchange.address.map { limiter.admit($0, now: now) } ?? limiter.admit(now: now)
            }
    }

    private func passesEndpointLimits(_ exchange: Exchange) -> Bool {
        passes(exchange, exchange.snapshot.rateLimits.endpoints) { limiter, now in
            guard limiter.limit.key != .route, let address = exchange.address else { return limiter.admit(now: now) }
            return limiter.admit(address, now: now)
        }
    }

    private func passes(
        _ exchange: Exchange, _ limiters: [RateLimiter], _ admit: (RateLimiter, Int64) -> Int64
    ) -> Bool {
        var wait: Int64 = 0
        for limiter in limiters { wait = max(wait, admit(limiter, poller.now)) }
        guard wait > 0 else { return true }
        limited(.requestRate)
        responder.reply(
            exchange, .rateLimited, "too many requests",
            retryAfter: Int((wait + 999) / 1000))
        return false
    }
}
