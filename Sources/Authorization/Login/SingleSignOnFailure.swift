import Endpoints
import LoginPages
import Model

/// Reasons why a browser gets no token. The login form reports wrong passwords.
package enum SingleSignOnFailure: PageFailure, CaseIterable {
    /// `clientID` is missing or empty. Names are case-sensitive (SSO-12).
    case missingClient
    /// `clientID`, `redirect_uri`, `state`, `prompt` or `provider` is repeated (SSO-12).
    case repeatedParameter
    /// `state` is too long or has control characters.
    case malformedParameter
    /// The client is unknown, or has OAuth Consumer or single sign-on off (SSO-06).
    case notEnabled
    /// The `redirect_uri` is not on the white list (SSO-03).
    case redirectNotAllowed
    /// Another page has sent the request without its user's action.
    case notNavigated
    /// The login has expired, or was begun by another browser.
    case foreignRequest
    /// The user does not belong to the client's realm (SSO-10).
    case wrongRealm
    /// The session store or the issuer of the client's tokens does not answer.
    case unavailable

    package var reason: Reason {
        switch self {
        case .missingClient: .ssoClientMissing
        case .repeatedParameter: .ssoRepeatedParameter
        case .malformedParameter: .ssoMalformedParameter
        case .notEnabled: .ssoNotEnabled
        case .redirectNotAllowed: .ssoRedirectNotAllowed
        case .notNavigated: .ssoNotNavigated
        case .foreignRequest: .ssoRequestForeign
        case .wrongRealm: .ssoWrongRealm
        case .unavailable: .ssoUnavailable
        }
    }

    package var way: Page.Link { self == .unavailable ? .again : .start }

    package var text: PageText {
        switch self {
        case .missingClient: .missingClient
        case .repeatedParameter: .repeatedParameter
        case .malformedParameter: .malformedParameter
        case .notEnabled: .singleSignOnOff
        case .redirectNotAllowed: .redirectNotAllowed
        case .notNavigated, .foreignRequest: .startOver
        case .wrongRealm: .wrongRealm
        case .unavailable: .unavailable
        }
    }
}
