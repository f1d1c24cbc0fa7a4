import Endpoints
import HTTP
import Model

/// Why a form is refused or not shown.
package enum BrowserLoginFailure: PageFailure, CaseIterable {
    /// No scheme has a login form for this service domain.
    case unknownService
    /// Users of the service domain log in with a password (RP-01).
    case withoutProvider
    /// The service domain has no identity provider of this name.
    case unknownProvider
    /// The return target requires a level that no login at the domain reaches (CHAL-06).
    case levelUnreachable
    /// The login has none of the levels (`acr`) that the page requires, though they were asked for.
    case tooWeak
    /// The login is older than the page allows, or its time is not known, though a newer one was asked for.
    case tooOld
    /// The application does not belong to the domain or logs in by the agent.
    case unknownApplication
    /// A parameter is missing, malformed or repeated.
    case malformedRequest
    /// The application must not redirect browsers there (RP-02).
    case foreignRedirect
    /// The form was not issued here, or to another browser, or for another purpose, or cookies are disabled.
    case foreignForm
    /// The form was open for too long.
    case expiredForm
    /// The session exceeds the size of a cookie: the user has too many roles from a provider.
    case oversizedSession
    case methodNotAllowed

    package var reason: Reason {
        switch self {
        case .unknownService: .loginUnknownService
        case .withoutProvider: .loginWithoutProvider
        case .unknownProvider: .loginUnknownProvider
        case .levelUnreachable: .loginLevelUnreachable
        case .tooWeak: .loginTooWeak
        case .tooOld: .loginTooOld
        case .unknownApplication: .loginUnknownApplication
        case .malformedRequest: .loginRequestMalformed
        case .foreignRedirect: .loginRedirectForeign
        case .foreignForm: .loginFormForeign
        case .expiredForm: .loginFormExpired
        case .oversizedSession: .loginSessionOversized
        case .methodNotAllowed: .methodNotAllowed
        }
    }

    /// Text shown to the user.
    package var text: PageText {
        switch self {
        case .unknownService, .unknownProvider: .unknownService
        case .withoutProvider: .withoutProvider
        case .levelUnreachable: .levelUnreachable
        case .tooWeak: .tooWeak
        case .tooOld: .tooOld
        case .unknownApplication, .malformedRequest: .unknownApplication
        case .foreignRedirect: .foreignRedirect
        case .foreignForm, .methodNotAllowed: .foreignForm
        case .expiredForm: .expiredForm
        case .oversizedSession: .forbidden
        }
    }

    package var way: Page.Link {
        switch self {
        case .foreignForm, .expiredForm, .methodNotAllowed: .again
        default: .start
        }
    }

    package var fields: [(name: String, value: String)] {
        self == .methodNotAllowed ? [(name: "Allow", value: "GET, HEAD, POST")] : []
    }

    /// The page of `methodNotAllowed`.
    package static func page(allow methods: String) -> EndpointResponse {
        var response = BrowserLoginFailure.methodNotAllowed.shape
        response.headers.append((name: "Allow", value: methods))
        return response
    }
}
