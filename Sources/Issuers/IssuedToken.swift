/// A token for an upstream. Immutable, so that caches and workers share it.
package final class IssuedToken: Sendable {
    /// The token in ASCII, fit for a header field.
    package let value: [UInt8]
    /// Seconds since 1970 when it was obtained.
    package let issuedAt: Int64
    /// Seconds since 1970 when it ends; `Int64.max` for never.
    package let expiresAt: Int64

    package init(value: [UInt8], issuedAt: Int64, expiresAt: Int64) {
        self.value = value
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Whether it is a header value that nothing can be smuggled through: visible ASCII, and at least one character.
    package var isFitForHeaders: Bool {
        !value.isEmpty && value.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// When a token is no longer handed out, and when a new one is fetched in advance.
package struct TokenTiming: Sendable {
    /// A token is not used in its last seconds, because the request it goes with takes time (CACHE-05).
    package var skewSeconds: Int64

    package init(skewSeconds: Int64 = 30) {
        precondition(skewSeconds >= 0)
        self.skewSeconds = skewSeconds
    }

    /// The token may be handed out before this instant.
    package func usableUntil(_ token: IssuedToken) -> Int64 { token.expiresAt &- skewSeconds }

    /// From this instant on a new one is fetched while the old one is still used: the last fifth of the usable time.
    package func refreshAt(_ token: IssuedToken) -> Int64 {
        let end = usableUntil(token)
        return end - max(0, end - token.issuedAt) / 5
    }
}
