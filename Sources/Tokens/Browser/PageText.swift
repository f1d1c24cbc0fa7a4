/// All that pages say to people, in one place so that it can be translated.
enum PageText {
    /// Language of the texts (BCP 47).
    static let language = "en"

    static let signIn = "Sign in"
    static let userName = "User name"
    static let password = "Password"
    static let wrongPassword = "The user name or the password is not right."
    static let tooManyAttempts = "Too many attempts. Wait a few minutes, then try again."
    static let unavailable = "Signing in is not possible at the moment. Try again in a moment."
    static let expired = "This page was open for too long. Sign in once more."

    static let signedOut = "Signed out"
    static let signedOutDetail = "You are signed out. You can close this window."
    static let signOut = "Sign out"
    static let signOutQuestion = "Do you want to sign out?"

    static let error = "This did not work"
    static let unknownDomain = "There is no such service to sign in to."
    static let notFromHere = "The form did not come from this site, or cookies are switched off."

    static func signIn(to name: String) -> String { "Sign in to \(name)" }
}
