import Model

/// Lifetime settings of an issuer or the environment; nil members are unset.
package struct TokenLifetime: Sendable, Equatable {
    /// Default of `POST /mobile/platform/auth/token` (CON-01).
    package static let ofTokenEndpoint: Int64 = 28_800
    /// Default of `/mobile/platform/sso/exchange-token` (CON-01).
    package static let ofSSOEndpoint: Int64 = 21_600
    /// Upper bound of every lifetime: ten years, also the largest configurable value.
    package static let longest: Int64 = 315_360_000

    package var seconds: Int64?
    package var policy: TokenLifetimePolicy?

    package init(seconds: Int64? = nil, policy: TokenLifetimePolicy? = nil) {
        self.seconds = seconds
        self.policy = policy
    }

    /// Lifetime of the issued token in seconds. The issuer's setting has precedence over the environment's, then the
    /// endpoint's.
    /// - Parameters:
    ///   - remaining: remaining lifetime of the outside token, which has been verified.
    ///   - standard: the endpoint's default.
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
