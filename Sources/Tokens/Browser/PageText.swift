/// All that pages say to people, in one place so that it can be translated.
enum PageText {
    /// Language of the texts (BCP 47).
    static let language = "en"

    static let signIn = "Sign in"
    static let userName = "User name"
    static let password = "Password"
    static let wrongPassword = "The user name or the password is not right."
    static let tooManyAttempts = "Too many attempts. Wait a few minutes, then try again."
    static let forbidden = "You may not sign in here. Ask whoever looks after it."
    static let unavailable = "This is not possible at the moment. Try again soon."

    static let oneMoreStep = "One more step"
    static let question = "Answer"
    static let code = "Code"
    static let codeHint = "The six digits that your device shows."
    static let next = "Continue"
    static let wrongAnswer = "That is not right. Try again."
    static let startAgain = "That was not right. Sign in once more."
    static let noSecondStep =
        "Nothing is set up for you that this takes beside the password. Ask whoever looks after it."

    static let signedOut = "Signed out"
    static let signedOutDetail = "You are signed out. You can close this window."
    static let signOut = "Sign out"
    static let signOutQuestion = "Do you want to sign out?"

    static let error = "This did not work"
    static let unknownService = "There is no such service to sign in to."
    static let levelUnreachable = "What you asked for wants a stronger proof of who you are than can be given here."
    static let foreignForm = "The form did not come from this site, or cookies are switched off. Try once more."
    static let expiredForm = "This page was open for too long. Try once more."

    static func signIn(to name: String) -> String { "Sign in to \(name)" }
}
