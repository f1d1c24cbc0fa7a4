import Model

/// What an issuer, or the environment, says of lifetimes; nil where it says nothing.
package struct TokenLifetime: Sendable, Equatable {
    /// Of `POST /mobile/platform/auth/token` where nobody says anything (CON-01).
    package static let ofTokenEndpoint: Int64 = 28_800
    /// Of `/mobile/platform/sso/exchange-token` (CON-01).
    package static let ofSSOEndpoint: Int64 = 21_600
    /// No token lives longer: ten years, like the longest lifetime that can be configured.
    package static let longest: Int64 = 315_360_000

    package var seconds: Int64?
    package var policy: TokenLifetimePolicy?

    package init(seconds: Int64? = nil, policy: TokenLifetimePolicy? = nil) {
        self.seconds = seconds
        self.policy = policy
    }

    /// Seconds from now to the end of the issued token: the issuer's own word, else the environment's, else the
    /// endpoint's.
    /// - Parameters:
    ///   - remaining: seconds that the outside token still lives; it has been found to live.
    ///   - standard: of the endpoint.
    package func effective(_ environment: TokenLifetime, remaining: Int64, standard: Int64) -> Int64 {
        let seconds = seconds ?? environment.seconds ?? standard
        let lifetime =
            switch policy ?? environment.policy ?? .fromTimeoutSeconds {
            case .fromTimeoutSeconds: seconds
            case .fromExternalToken: remaining
            case .fromExternalTokenLimited: min(seconds, remaining)
            }
        return min(lifetime, TokenLifetime.longest)
    }
}
