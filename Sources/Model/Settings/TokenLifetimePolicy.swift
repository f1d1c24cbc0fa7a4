/// Lifetime of an exchanged token (JWT-17, JWT-18, POL-02, POL-03).
package enum TokenLifetimePolicy: String, Sendable, CaseIterable {
    /// The configured lifetime.
    case fromTimeoutSeconds = "FromTimeoutSecs"
    /// The remaining lifetime of the outside token.
    case fromExternalToken = "FromExternalToken"
    /// The shorter of the two.
    case fromExternalTokenLimited = "FromExternalTokenLimitedByTimeoutSecs"
}
