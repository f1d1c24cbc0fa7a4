/// The key of a rate limit.
package enum RateLimitKey: String, Sendable, CaseIterable {
    /// All requests of the route, or of all routes that name the limit.
    case route
    /// Each caller; each address without a caller.
    case principal
    case address
}
