/// The texts of the consent page, collected for translation.
package enum ConsentText {
    static func title(of name: String) -> String { "\(name) asks for access" }
    static func signedIn(as user: String) -> String { "You are signed in as \(user)." }
    static let rights = "If you agree, the application may:"
    static let rightToKnow = "Know who you are"
    static func answerGoes(to place: String) -> String { "Then you go on to \(place)." }
    static let answerStaysHere = "Then you go on to a program on this device."
    static let unverified = "The application has registered itself. Its name has not been verified."
    static let deviceShows = "A device gets the access. It shows this code:"
    static let deviceWarning =
        "Allow this only if you have the device before you. The code may have been sent to you by another person."
    static let connectDevice = "Connect a device"
    static let deviceCode = "Code"
    static let deviceCodeHint = "The eight letters that your device shows."
    static let wrongDeviceCode = "No device waits with this code. Compare it, or ask the device for another one."
    package static let deviceConnected = "The device is connected"
    package static let deviceConnectedDetail = "You can close this window and go on at the device."
    package static let deviceDenied = "The device gets no access"
    package static let deviceDeniedDetail = "You can close this window."
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
