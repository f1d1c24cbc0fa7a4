import Endpoints
import LoginPages
import Model

/// Why a browser gets no token. What is wrong with what was typed is a matter of the login form.
package enum SingleSignOnFailure: EndpointFailure, CaseIterable {
    /// There is `client_id`, or an empty `clientID`: names are compared with case (SSO-12).
    case missingClient
    /// `clientID`, `redirect_uri`, `state`, `prompt` or `provider` comes more than once (SSO-12).
    case repeatedParameter
    /// `state` is too long, or no text.
    case malformedParameter
    /// No such client, or one whose backend has OAuth Consumer or single sign-on off (SSO-06).
    case notEnabled
    /// No entry of the white list has the `redirect_uri` (SSO-03).
    case redirectNotAllowed
    /// A page has sent the request behind its user's back.
    case notNavigated
    /// The login was begun too long ago, or elsewhere.
    case foreignRequest
    /// The user is none of the backend's realm (SSO-10).
    case wrongRealm
    /// The store of sessions, or whoever makes the backend's tokens, does not answer.
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

    /// What people are told.
    package var detail: String {
        switch self {
        case .missingClient: PageText.missingClient
        case .repeatedParameter: PageText.repeatedParameter
        case .malformedParameter: PageText.malformedParameter
        case .notEnabled: PageText.singleSignOnOff
        case .redirectNotAllowed: PageText.redirectNotAllowed
        case .notNavigated, .foreignRequest: PageText.startOver
        case .wrongRealm: PageText.wrongRealm
        case .unavailable: PageText.unavailable
        }
    }

    package var shape: EndpointResponse { Page.failure(self) }
}
