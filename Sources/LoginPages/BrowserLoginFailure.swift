import Endpoints
import Model

/// Why a form is not taken, or not shown. What is wrong with what was typed into it is a `MobileSocialFailure`.
package enum BrowserLoginFailure: EndpointFailure, CaseIterable {
    /// No scheme has a form here that logs in to such a service domain.
    case unknownService
    /// The place that the browser is to go back to asks for a level that no login at the domain has (CHAL-06).
    case levelUnreachable
    /// The application is none of the domain's, or logs in by the agent, or no provider looks after the domain (RP-01).
    case unknownApplication
    /// A parameter is missing or malformed, or there twice.
    case malformedRequest
    /// The application may not have browsers sent back there (RP-02).
    case foreignRedirect
    /// The form was not handed out here, or to another browser, or for something else, or cookies are off.
    case foreignForm
    /// The form stayed open for too long.
    case expiredForm
    /// What is to be known of the user is more than browsers keep in a cookie: he has too many roles of a provider's.
    case oversizedSession
    case methodNotAllowed

    package var reason: Reason {
        switch self {
        case .unknownService: .loginUnknownService
        case .levelUnreachable: .loginLevelUnreachable
        case .unknownApplication: .loginUnknownApplication
        case .malformedRequest: .loginRequestMalformed
        case .foreignRedirect: .loginRedirectForeign
        case .foreignForm: .loginFormForeign
        case .expiredForm: .loginFormExpired
        case .oversizedSession: .loginSessionOversized
        case .methodNotAllowed: .methodNotAllowed
        }
    }

    /// What people are told.
    package var detail: String {
        switch self {
        case .unknownService: PageText.unknownService
        case .levelUnreachable: PageText.levelUnreachable
        case .unknownApplication, .malformedRequest: PageText.unknownApplication
        case .foreignRedirect: PageText.foreignRedirect
        case .foreignForm, .methodNotAllowed: PageText.foreignForm
        case .expiredForm: PageText.expiredForm
        case .oversizedSession: PageText.forbidden
        }
    }

    package var fields: [(name: String, value: String)] {
        self == .methodNotAllowed ? [(name: "Allow", value: "GET, HEAD, POST")] : []
    }

    package var shape: EndpointResponse { Page.failure(self) }

    /// The page of `methodNotAllowed`.
    package static func page(allow methods: String) -> EndpointResponse {
        var response = Page.failure(BrowserLoginFailure.methodNotAllowed)
        response.headers.append((name: "Allow", value: methods))
        return response
    }
}
