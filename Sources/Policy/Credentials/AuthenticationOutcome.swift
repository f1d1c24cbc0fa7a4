import Identity
import Model
import Outbound

/// Who is calling, as far as the request tells.
package enum AuthenticationOutcome: Sendable {
    /// A verified credential's holder.
    case principal(Principal)
    /// No credential was sent, or none is looked at here.
    case none
    /// A credential was sent and is worth nothing: 401.
    case rejected(Reason)
    /// The request is refused as such, with the status of the reason (ISS-08).
    case malformed(Reason)
    /// Needs a slow hash or a call to another server.
    case resolve(Effect<Result<Principal, Reason>>)
}
