import Model
import Policy
import Reactor

/// Request rates of routes and the gateway's own endpoints: refuses requests beyond them.
final class RequestRates: LoopPart {
    private let responder: Responder

    init(_ context: LoopContext, _ responder: Responder) {
        self.responder = responder
        super.init(context)
    }

    /// Checks limits by route and address. Endpoints, which have no route, are limited by address. False if the request
    /// was refused.
    func admits(_ exchange: Exchange, _ route: Route?) -> Bool {
        guard let route else { return admitsToEndpoints(exchange) }
        return isWithin(exchange, exchange.snapshot.rateLimits.of(route)) { limiter, now in
            switch limiter.limit.key {
            case .route: limiter.admit(now: now)
            case .address: exchange.address.map { limiter.admit($0, now: now) } ?? limiter.admit(now: now)
            case .principal: 0
            }
        }
    }

    /// Checks limits by principal, after authentication, and those of the consumer. On public routes, without a caller, the
    /// address is used.
    func admitsCaller(_ exchange: Exchange, _ route: Route) -> Bool {
        isWithin(exchange, exchange.snapshot.rateLimits.of(exchange.principal)) { $0.admit(now: $1) }
            && isWithin(exchange, exchange.snapshot.rateLimits.of(route)) { limiter, now in
                guard limiter.limit.key == .principal else { return 0 }
                if let principal = exchange.principal { return limiter.admit(principal, now: now) }
                return exchange.address.map { limiter.admit($0, now: now) } ?? limiter.admit(now: now)
            }
    }

    private func admitsToEndpoints(_ exchange: Exchange) -> Bool {
        isWithin(exchange, exchange.snapshot.rateLimits.endpoints) { limiter, now in
            guard limiter.limit.key != .route, let address = exchange.address else { return limiter.admit(now: now) }
            return limiter.admit(address, now: now)
        }
    }

    private func isWithin(
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
