/// A limit of requests per time, counted for a route as a whole, for each principal or for each address.
///
/// Equal limits share one limiter: routes that name the same limit, and configurations before and after a reload.
package struct RateLimit: Hashable, Sendable {
    /// The place of the declaration.
    package var name: String
    package var requests: Int
    /// At most a year.
    package var perMilliseconds: Int64
    /// How many requests may come at once; at least 1.
    package var burst: Int
    package var key: RateLimitKey

    package init(name: String = "", requests: Int, perMilliseconds: Int64 = 1000, burst: Int, key: RateLimitKey) {
        self.name = name
        self.requests = max(1, requests)
        self.perMilliseconds = min(max(1, perMilliseconds), 366 * 86_400_000)
        self.burst = max(1, burst)
        self.key = key
    }
}
