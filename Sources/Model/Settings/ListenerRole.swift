/// What requests to a listener are answered by.
package enum ListenerRole: Sendable {
    /// Routes and the gateway's own endpoints.
    case proxy
    /// Health, readiness and metrics alone, without a token.
    case metrics
    /// The same and the administration.
    case admin
}
