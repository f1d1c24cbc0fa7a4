/// What a `request-ctx` vouches for: a request that was challenged, and until when its answer may come (CHAL-03).
package struct RequestContext: Equatable, Sendable {
    package var webgate: String
    package var level: Int
    package var method: String
    /// Target of the request as the challenge shows it.
    package var target: String
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(webgate: String, level: Int, method: String, target: String, expiresAt: Int64) {
        self.webgate = webgate
        self.level = level
        self.method = method
        self.target = target
        self.expiresAt = expiresAt
    }
}

/// Reads the contexts that challenges of this installation carry.
package protocol RequestContextReader: Sendable {
    /// What a `request-ctx` vouches for; nil where it was changed, has expired or is not ours.
    /// - Parameter now: seconds since 1970.
    func open(_ context: Span<UInt8>, now: Int64) -> RequestContext?
}
