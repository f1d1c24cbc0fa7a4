import Gateway
import Identity

/// What outlives configurations: each finds here what the one before has left.
struct Lasting: Sendable {
    let revocations = RevocationList()
    let tls = LastingTLS()
    /// The limiters, whose buckets go on.
    let rateLimiters = RateLimiters()
    /// What those who guess passwords have used up.
    let throttle = LoginThrottle()
}
