/// The texts of the consent page, collected for translation.
package enum ConsentText {
    static func title(of name: String) -> String { "\(name) asks for access" }
    static func signedIn(as user: String) -> String { "You are signed in as \(user)." }
    static let rights = "If you agree, the application may:"
    static let rightToKnow = "Know who you are"
    static func answerGoes(to place: String) -> String { "Then you go on to \(place)." }
    static let answerStaysHere = "Then you go on to a program on this device."
    static let approve = "Allow"
    static let deny = "Do not allow"

    /// What a scope of OpenID Connect allows; nil for another one.
    package static func right(_ scope: String) -> String? {
        switch scope {
        case "openid": rightToKnow
        case "profile": "See your name"
        case "email": "See your e-mail address"
        default: nil
        }
    }
}
