import Synchronization

/// A token for an upstream. Immutable but for its end, so that caches and workers share it.
package final class IssuedToken: Sendable {
    /// The token in ASCII, fit for a header field.
    package let value: [UInt8]
    /// Seconds since 1970 when it was obtained.
    package let issuedAt: Int64
    /// Seconds since 1970 when it ends; `Int64.max` for never.
    package let expiresAt: Int64
    /// What its successor may be had for without the caller (RFC 6749 section 6); nil for nothing. Never leaves the
    /// issuer and the gateway.
    package let refresh: [UInt8]?
    /// Seconds since 1970 when `refresh` ends; nil where the issuer has not said.
    package let refreshExpiresAt: Int64?
    private let refusals = Atomic<Bool>(false)

    package init(
        value: [UInt8], issuedAt: Int64, expiresAt: Int64, refresh: [UInt8]? = nil, refreshExpiresAt: Int64? = nil
    ) {
        self.value = value
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.refresh = refresh
        self.refreshExpiresAt = refreshExpiresAt
    }

    /// Whether its upstream has refused it, so that no cache may hand it out any more. One atomic load.
    package var isRefused: Bool { refusals.load(ordering: .relaxed) }

    func refuse() { refusals.store(true, ordering: .relaxed) }

    /// The refresh token, where there is one that has not ended.
    package func usableRefresh(now: Int64) -> [UInt8]? {
        if let end = refreshExpiresAt, now >= end { return nil }
        return refresh
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
