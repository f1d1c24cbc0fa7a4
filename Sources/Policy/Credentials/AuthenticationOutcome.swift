import Identity

/// Who is calling, as far as the request tells.
package enum AuthenticationOutcome: Sendable {
    /// A verified credential's holder.
    case principal(Principal)
    /// No credential was sent, or none is looked at here.
    case none
    /// A credential was sent and is worth nothing: 401.
    case rejected(DenialReason)
    /// The request is refused as such, with the status of the reason (ISS-08).
    case malformed(DenialReason)
    /// A password is to be checked, which is slow and belongs on the blocking pool.
    case checkPassword(PasswordCheck)
}
