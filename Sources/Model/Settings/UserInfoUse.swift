/// Whether the user info endpoint of a provider is asked beside the ID token.
package enum UserInfoUse: String, Sendable, CaseIterable {
    case always, never
    /// Where the ID token lacks a claim that is looked for.
    case whenNeeded
}
