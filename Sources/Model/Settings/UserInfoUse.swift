/// Whether the user info endpoint of a provider is used in addition to the ID token.
package enum UserInfoUse: String, Sendable, CaseIterable {
    case always, never
    /// If the ID token lacks a required claim.
    case whenNeeded
}
