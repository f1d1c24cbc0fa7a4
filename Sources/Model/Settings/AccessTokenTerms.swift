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
    /// The claims that ID tokens and user information have by scope, besides the usual ones.
    package var scopeClaims: [ScopeClaim] = []

    package init() {}

    /// All scopes that clients may have.
    package var knownScopes: [String] { scopes + ["openid", "profile", "email"] + scopeClaims.map(\.scope) }
}

/// A claim of ID tokens and user information that comes with a scope.
package struct ScopeClaim: Sendable {
    package let scope: String
    package let name: String
    /// A single claim or `${roles}` keeps its kind; anything else is a text.
    package let value: FieldTemplate

    package init(scope: String, name: String, value: FieldTemplate) {
        self.scope = scope
        self.name = name
        self.value = value
    }
}
