import Model

/// So many requests in so much time, counted for a route as a whole, for each principal or for each address.
///
/// Two limits that are equal are one: the limiter behind them goes on over a reload, and routes that name the same one
/// share it.
package struct RateLimit: Hashable, Sendable {
    package var name: String
    package var requests: Int
    /// At most a year.
    package var perMilliseconds: Int64
    /// How many requests may come at once; at least 1.
    package var burst: Int
    package var key: RateLimitKey

    package init(name: String, requests: Int, perMilliseconds: Int64 = 1000, burst: Int, key: RateLimitKey) {
        self.name = name
        self.requests = max(1, requests)
        self.perMilliseconds = min(max(1, perMilliseconds), 366 * 86_400_000)
        self.burst = max(1, burst)
        self.key = key
    }
}
