/// What a rate limit counts apart.
package enum RateLimitKey: String, Sendable, CaseIterable {
    /// All of the route, or of all routes that name the limit.
    case route
    /// Those of one caller; of one address where there is no caller.
    case principal
    case address
}
