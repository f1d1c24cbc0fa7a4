/// What a listener serves.
package enum ListenerRole: UInt8, Sendable {
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

    /// Stated for other modules, as that of `Reason`.
    package static func == (left: ListenerRole, right: ListenerRole) -> Bool { left.rawValue == right.rawValue }
    package static func != (left: ListenerRole, right: ListenerRole) -> Bool { left.rawValue != right.rawValue }

    /// Whether it is for operators and not for clients.
    package var isControl: Bool { self == .metrics || self == .admin }
}
