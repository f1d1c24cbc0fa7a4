import Model

/// Result of checking a request's `Origin` (CORS-01, CORS-06).
package enum OriginVerdict: Equatable, Sendable {
    /// No `Origin`: CORS does not apply (AMB-29).
    case notCrossSite
    /// The gateway's own or an allowed origin: the reply has the CORS fields.
    case allowed
    /// A preflight from such an origin: answered by the gateway, before authentication.
    case preflight
    /// The request is refused and not forwarded (CORS-01).
    case refused
    /// Two `Origin` fields, or a preflight with two methods: 400 (CORS-08).
    case malformed

    /// Whether pages of the origin may read the answer.
    package var isAllowed: Bool { self == .allowed || self == .preflight }

    /// The denial of the verdict; nil if the request continues.
    package var denial: Reason? {
        switch self {
        case .notCrossSite, .allowed, .preflight: nil
        case .refused: .corsDenied
        case .malformed: .corsMalformed
        }
    }
}
