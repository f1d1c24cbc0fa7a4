import Model

/// What the `Origin` of a request amounts to (CORS-01, CORS-06).
package enum OriginVerdict: Equatable, Sendable {
    /// No `Origin`: nothing for CORS to decide (AMB-29).
    case notCrossSite
    /// The origin is one of the gateway's own or an allowed one: the reply carries the CORS fields.
    case allowed
    /// A preflight from such an origin: the gateway answers it, before authentication.
    case preflight
    /// The request is refused and not forwarded (CORS-01).
    case refused
    /// Two `Origin` fields, or a preflight that asks for two methods: 400 (CORS-08).
    case malformed

    /// Whether a page of the origin may read the answer.
    package var isAllowed: Bool { self == .allowed || self == .preflight }

    /// The denial that the verdict is; nil where the request goes on.
    package var denial: Reason? {
        switch self {
        case .notCrossSite, .allowed, .preflight: nil
        case .refused: .corsDenied
        case .malformed: .corsMalformed
        }
    }
}
