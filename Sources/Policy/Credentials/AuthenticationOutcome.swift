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

extension AuthenticationOutcome {
    /// Of a credential whose password was right a short while ago.
    init(_ recall: LoginThrottle.Recall, _ principal: Principal) {
        switch recall {
        case .admitted: self = .principal(principal)
        case .refused: self = .rejected(.loginThrottled)
        case .waits(let effect): self = .resolve(effect.map { $0 ? .success(principal) : .failure(.loginThrottled) })
        }
    }
}
