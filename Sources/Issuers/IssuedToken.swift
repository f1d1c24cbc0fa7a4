import Synchronization

/// A token for an upstream. Immutable except for its refusal, so that caches and workers can share it.
package final class IssuedToken: Sendable {
    /// The token in ASCII, as a header field value.
    package let value: [UInt8]
    /// Seconds since 1970 when it was obtained.
    package let issuedAt: Int64
    /// Seconds since 1970 when it expires; `Int64.max` for never.
    package let expiresAt: Int64
    /// Refresh token, with which a successor is obtained without the caller (RFC 6749 section 6); nil for none. Sent
    /// only to the issuer.
    package let refresh: [UInt8]?
    /// Seconds since 1970 when `refresh` expires; nil if not stated.
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

    /// Stands for a token where none is needed.
    package static let none = IssuedToken(value: [], issuedAt: 0, expiresAt: .max)

    /// Whether the upstream has refused it, so that caches must not return it. One atomic load.
    package var isRefused: Bool { refusals.load(ordering: .relaxed) }

    func refuse() { refusals.store(true, ordering: .relaxed) }

    /// The refresh token, unless absent or expired. After a refusal by the upstream a token is asked for anew.
    package func usableRefresh(now: Int64) -> [UInt8]? {
        if isRefused { return nil }
        if let end = refreshExpiresAt, now >= end { return nil }
        return refresh
    }

    /// Whether it is a safe header field value: visible ASCII, not empty.
    package var isFitForHeaders: Bool {
        !value.isEmpty && value.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// When a token is no longer used, and when it is refreshed ahead of that.
package struct TokenTiming: Sendable {
    /// A token is not used in its last seconds, because the request takes time (CACHE-05).
    package var skewSeconds: Int64

    package init(skewSeconds: Int64 = 30) {
        precondition(skewSeconds >= 0)
        self.skewSeconds = skewSeconds
    }

    /// The token may be used before this instant.
    package func usableUntil(_ token: IssuedToken) -> Int64 { token.expiresAt &- skewSeconds }

    /// From this instant a new token is fetched while the old one stays in use: the last fifth of the usable time.
    package func refreshAt(_ token: IssuedToken) -> Int64 {
        let end = usableUntil(token)
        return end - max(0, end - token.issuedAt) / 5
    }
}
