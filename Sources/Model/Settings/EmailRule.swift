/// Requirement for an e-mail address as the name of a user.
package enum EmailRule: String, Sendable, CaseIterable {
    /// The provider must confirm that the address is the user's (`email_verified`).
    case verified = "required"
    /// The provider must not deny it.
    case notUnverified = "notDenied"
    /// No requirement.
    case any = "ignored"
}
