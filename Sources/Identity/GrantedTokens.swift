import Outbound

/// Access tokens that issuer modules have made for backends (OAUTH-09). The gateway cannot read them, and knows them by the
/// record of their issue.
package protocol GrantedTokens: Sendable {
    /// What a token was granted for: `.unknown` where it was not granted here, or names more than one holder.
    /// - Parameter now: seconds since 1970.
    func claims(of token: [UInt8], now: Int64) -> Effect<Result<AccessTokenClaims, OpaqueTokenRefusal>>
}
