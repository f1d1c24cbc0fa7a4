/// Why a form is not taken, or not shown. What is wrong with what was typed into it is a `MobileSocialFailure`.
package enum BrowserLoginFailure: Error, Sendable, CaseIterable {
    /// No scheme has a form here that logs in to such a service domain.
    case unknownService
    /// The place that the browser is to go back to asks for a level that no login at the domain has (CHAL-06).
    case levelUnreachable
    /// The form was not handed out here, or to another browser, or for something else, or cookies are off.
    case foreignForm
    /// The form stayed open for too long.
    case expiredForm
    case methodNotAllowed

    package var status: Int {
        switch self {
        case .unknownService: 404
        case .levelUnreachable, .foreignForm, .expiredForm: 403
        case .methodNotAllowed: 405
        }
    }

    /// Stable code for the log.
    package var reason: StaticString {
        switch self {
        case .unknownService: "login_unknown_service"
        case .levelUnreachable: "login_level_unreachable"
        case .foreignForm: "login_form_foreign"
        case .expiredForm: "login_form_expired"
        case .methodNotAllowed: "method_not_allowed"
        }
    }

    /// What people are told.
    var text: String {
        switch self {
        case .unknownService: PageText.unknownService
        case .levelUnreachable: PageText.levelUnreachable
        case .foreignForm, .methodNotAllowed: PageText.foreignForm
        case .expiredForm: PageText.expiredForm
        }
    }

    /// A page that says so.
    var page: EndpointResponse {
        Page.message(PageText.error, text, isError: true).response(
            status: status, reason: reason,
            fields: self == .methodNotAllowed ? [(name: "Allow", value: "GET, HEAD, POST")] : [])
    }
}
