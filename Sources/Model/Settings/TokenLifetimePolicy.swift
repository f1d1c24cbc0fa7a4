/// How long an exchanged token lives (JWT-17, JWT-18, POL-02, POL-03).
package enum TokenLifetimePolicy: String, Sendable, CaseIterable {
    /// As many seconds as configured.
    case fromTimeoutSeconds = "FromTimeoutSecs"
    /// As long as the outside token still does.
    case fromExternalToken = "FromExternalToken"
    /// The shorter one of the two.
    case fromExternalTokenLimited = "FromExternalTokenLimitedByTimeoutSecs"
}
