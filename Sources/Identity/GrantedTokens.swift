import Outbound

/// Access tokens that issuer modules obtained for clients (OAUTH-09). They are opaque to the gateway, which identifies
/// them by the record of their issue.
package protocol GrantedTokens: Sendable {
    /// The claims that a token was granted for. `.unknown` if it was not granted here or matches more than one holder.
    /// - Parameter now: seconds since 1970.
    func claims(of token: [UInt8], now: Int64) -> Effect<Result<AccessTokenClaims, OpaqueTokenRefusal>>
}
