/// How long the access tokens of the token service live, and which scopes they may have.
package struct AccessTokenTerms: Sendable {
    /// Lifetime of a token without a user (OAUTH-02).
    package var clientSeconds: Int64 = 604_800
    /// Lifetime of a user's token (CON-09).
    package var userSeconds: Int64 = 604_800
    /// Whether a refresh ends the access token that came with the refresh token.
    package var revokesOnRefresh = false
    /// How far in the future `iat` and `nbf` may lie, because the clock of another gateway with the same signing key may be
    /// ahead. `exp` is exact.
    package var clockSkew = Duration.seconds(5)
    /// The scopes that may be granted. If empty, any scope is accepted and none is recorded.
    package var scopes: [String] = []
    /// What users read about a scope, by its name.
    package var scopeDescriptions: [String: String] = [:]

    package init() {}
}
