/// All texts of the pages, collected for translation.
package enum PageText {
    /// Language of the texts (BCP 47).
    static let language = "en"

    static let signIn = "Sign in"
    static let userName = "User name"
    static let password = "Password"
    package static let wrongPassword = "The user name or the password is not right."
    package static let tooManyAttempts = "Too many attempts. Wait a few minutes, then try again."
    package static let forbidden = "You may not sign in here. Ask the administrator."
    package static let unavailable = "This is not possible at the moment. Try again soon."

    static let oneMoreStep = "One more step"
    static func signingIn(as user: String) -> String { "You are signing in as \(user)." }
    static let question = "Answer"
    static let code = "Code"
    static let codeHint = "The six digits that your device shows."
    static let next = "Continue"
    static let wrongAnswer = "That is not right. Try again."
    package static let startAgain = "That was not right. Sign in once more."
    package static let noSecondStep =
        "This needs a second step beside the password, and none is set up for you. Ask the administrator."

    static let chooseWay = "Choose how you want to sign in."
    static let ownForm = "User name and password"
    package static let otherWays = "Sign in another way"

    static let providerDenied = "You were not signed in there. Try once more, or ask the administrator."
    static let providerFailed = "Signing in did not work. Try once more."
    package static let tryAgain = "Try again"

    static let signedOut = "Signed out"
    static let signedOutDetail = "You are signed out. You can close this window."
    package static let signOut = "Sign out"
    static let signOutQuestion = "Do you want to sign out?"

    static let signOutThere = "Sign out there too"
    static let signedOutHere = "You are signed out here. Where you have signed in, you may still be."

    package static let error = "This did not work"
    static let unknownService = "There is no such service to sign in to."
    static let levelUnreachable = "What you asked for needs a stronger sign-in than this page offers."
    static let tooWeak =
        "What you asked for needs a stronger sign-in, and the one that you have used is not. Sign in in another way."
    static let tooOld =
        "What you asked for needs a new sign-in, and you were not asked for one. Sign out there, then try again."
    static let unknownApplication = "There is no such application to sign in to, or it is not set up for this."
    static let foreignRedirect = "The application may not send you back to the address that it asked for."
    static let foreignForm = "The form did not come from this site, or cookies are switched off. Try once more."
    static let expiredForm = "This page was open for too long. Try once more."

    package static let singleSignOnOff = "There is no single sign-on for this application."
    package static let missingClient =
        "The address lacks the parameter clientID. Names are written with capitals as they are here."
    package static let repeatedParameter =
        "The address has one of clientID, redirect_uri, state, prompt and provider more than once."
    package static let malformedParameter = "The parameter state is too long, or has line breaks."
    package static let redirectNotAllowed = "No token may be sent to the address in redirect_uri."
    package static let startOver = "This does not go on from here. Open the application once more."
    package static let wrongRealm = "Your account is not for this application."
    package static let otherAccount = "Use another account"
    package static let token = "Token"
    package static let captured = "The response of the identity provider"
    package static let capturedHint =
        "Keep this secret: it can be used to sign in as you until it expires. It was not verified, and you are not signed in."
    package static let nothingCaptured = "There is no SAMLResponse in what was sent."
    package static let goOn = "Continue to the application"
    package static let goBackHint = "If nothing happens, continue here."
    package static let goOnHint = "You are signed in. If nothing happens, continue here."

    package static func token(for name: String) -> String { "Your token for \(name)" }
    package static func lifetime(seconds: Int64) -> String {
        "It ends in \(seconds) seconds. Keep it secret: with it, others can act for you until then."
    }
    static func signIn(to name: String) -> String { "Sign in to \(name)" }

    package static let unknownClient = "There is no such application, or it is not set up for this."
    package static let foreignRedirectURI = "The application may not send you to the address that it asked for."
    package static let foreignLogout = "The application asked for a logout in a way that is not allowed."

    /// Title and sentence for an error status.
    static func error(of status: Int) -> (title: String, detail: String) {
        switch status {
        case 401: ("Sign in first", "You are not signed in, or not any more.")
        case 403: ("No access", "You may not open this page.")
        case 404: ("Page not found", "There is no page at this address.")
        case 408: ("Too slow", "The request took too long. Try again.")
        case 413, 414, 431: ("Too large", "What was sent is too large.")
        case 429: ("Too many requests", "Wait a moment, then try again.")
        case 500...: ("Not available", "The service does not answer at the moment. Try again soon.")
        default: (error, "The request could not be answered.")
        }
    }
}
