/// A limit of a route, a consumer, or the gateway's own endpoints.
package enum RateLimitReference: Sendable {
    /// One of `rateLimits`, shared by all routes that name it.
    case named(String)
    case own(RateLimit)
}
