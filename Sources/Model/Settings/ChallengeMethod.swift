/// How users are asked to log in.
package enum ChallengeMethod: String, Sendable, CaseIterable {
    case form = "FORM"
    case basic = "BASIC"
    case oamAuth = "OAM-AUTH"
}
