import Outbound

/// Opaque access tokens, resolved by their store.
package protocol OpaqueTokens: Sendable {
    /// The principal of a token; nil if the text is not in the format of these tokens.
    /// - Parameter now: seconds since 1970.
    func resolve(_ token: Span<UInt8>, now: Int64) -> Effect<Result<Principal, OpaqueTokenRefusal>>?

    /// The current principal of an earlier caller, without looking up the token again; nil if it no longer exists.
    func renew(_ principal: Principal) -> Principal?
}

/// Why an opaque token is refused.
package enum OpaqueTokenRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    /// The token is valid, but its user was removed or disabled.
    case unknownSubject
    /// The store does not answer.
    case unavailable
}
