/// A text of the gateway's pages. The name of a case is its key in the files of texts (`config/texts`).
package enum PageText: String, Sendable, CaseIterable {
    // Logins
    case signIn, signInTo, userName, password, showPassword, shownPasswordHint, wrongPassword, tooManyAttempts
    case tooManyAttemptsSeconds, tooManyAttemptsMinutes, forbidden, unavailable

    // The second step
    case oneMoreStep, signingIn, question, code, codeHint, next, wrongAnswer, startAgain, noSecondStep

    // The choice, and logins at providers
    case chooseWay, ownForm, otherWays, otherAccount, providerDenied, providerFailed, tryAgain

    // A login under another host
    case wrongHost, wrongHostDetail, goToHost

    // Ways on
    case startPage, cancel, signInAgain

    // Logouts
    case signOut, signOutQuestion, signedOut, signedOutDetail, signOutThere, signedOutHere

    // Why a login is refused
    case failed, unknownService, withoutProvider, levelUnreachable, tooWeak, tooOld, unknownApplication, foreignRedirect
    case foreignForm, expiredForm

    // Single sign-on
    case singleSignOnOff, missingClient, repeatedParameter, malformedParameter, redirectNotAllowed, startOver
    case wrongRealm, token, tokenFor, tokenLifetime, captured, capturedHint, nothingCaptured, goOn, goBackHint
    case goOnHint

    // Authorization requests
    case unknownClient, foreignRedirectURI, clientDocument, foreignRequest, foreignLogout, consentTitle, signedInAs
    case rights, rightToKnow, rightProfile, rightEmail, rightToAct, rightToUse, answerGoesTo, answerStaysHere
    case unverified, unverifiedFrom, approve, deny

    // Devices
    case connectDevice, deviceCode, deviceCodeHint, wrongDeviceCode, deviceShows, deviceWarning, deviceConnected
    case deviceConnectedDetail, deviceDenied, deviceDeniedDetail

    // Errors on routes
    case signInFirst, signInFirstDetail, noAccess, noAccessDetail, pageNotFound, pageNotFoundDetail, tooSlow
    case tooSlowDetail, tooLarge, tooLargeDetail, tooManyRequests, tooManyRequestsDetail, notAvailable
    case notAvailableDetail, failedDetail, requestID

    // Links to pages of the operator
    case help, privacy, legalNotice
}
