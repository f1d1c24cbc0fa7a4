import Bytes
import Outbound

/// Access tokens that say nothing by themselves: whoever keeps them is asked whom they stand for.
package protocol OpaqueTokens: Sendable {
    /// Whom a token stands for; nil where it does not look like one of these.
    /// - Parameter now: seconds since 1970.
    func resolve(_ token: Span<UInt8>, now: Int64) -> Effect<Result<Principal, OpaqueTokenRefusal>>?

    /// Who a caller of before is now, without asking for the token again; nil where nobody any more.
    func renew(_ principal: Principal) -> Principal?
}

/// Why an opaque token is worth nothing.
package enum OpaqueTokenRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    /// The token is good, but its user is gone or disabled.
    case unknownSubject
    /// Nobody could say.
    case unavailable
}
