/// What a listener serves.
package enum ListenerRole: Sendable {
    /// Routes and the gateway's own endpoints.
    case proxy
    /// Health, readiness and metrics only, without a token.
    case metrics
    /// The same and the administration.
    case admin
}
