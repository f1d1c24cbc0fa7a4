/// What a listener serves.
package enum ListenerRole: Sendable {
    /// Routes and the gateway's own endpoints.
    case proxy
    /// Redirects to `https` only.
    case redirect
    /// Decisions for other proxies only.
    case forwardAuth
    /// Health, readiness and metrics only, without a token.
    case metrics
    /// The same and the administration.
    case admin

    /// Whether it is for operators and not for clients.
    package var isControl: Bool { self == .metrics || self == .admin }
}
