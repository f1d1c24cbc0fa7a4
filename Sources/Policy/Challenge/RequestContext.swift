/// What a `request-ctx` vouches for: a request that was challenged, and until when its answer may come (CHAL-03).
package struct RequestContext: Equatable, Sendable {
    package var webgate: String
    package var level: Int
    package var method: String
    /// Target of the request as the challenge shows it.
    package var target: String
    /// Seconds since 1970.
    package var expiresAt: Int64
}
