/// The challenge method of an authentication scheme.
package enum ChallengeMethod: String, Sendable, CaseIterable {
    case form = "FORM"
    case basic = "BASIC"
    case webgate = "OAM-AUTH"
}
