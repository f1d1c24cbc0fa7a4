import Endpoints
import LoginPages
import Model

/// Why a client gets no code: the errors of RFC 6749 section 4.1.2.1 and OpenID Connect Core section 3.1.2.6, which are
/// sent to its redirect URI.
enum AuthorizationRefusal: Error, Sendable, CaseIterable {
    case missingParameter, repeatedParameter, malformedParameter
    /// `request`, `request_uri` and `registration`.
    case requestObject, requestURI, registration
    case unsupportedResponseType
    /// PKCE is required (RFC 9700 section 2.1.1).
    case missingChallenge
    case invalidScope
    /// A `resource` that is not known (RFC 8707 section 2).
    case invalidTarget
    /// With `prompt=none`.
    case loginRequired, consentRequired
    case denied
    case unavailable
    /// The client has to push its requests.
    case notPushed

    private typealias Definition = (error: String, description: String, reason: Reason)

    private var definition: Definition {
        switch self {
        case .missingParameter: ("invalid_request", "a parameter is missing", .authorizationMalformed)
        case .repeatedParameter: ("invalid_request", "a parameter is repeated", .authorizationRepeatedParameter)
        case .malformedParameter: ("invalid_request", "a parameter is malformed", .authorizationMalformed)
        case .requestObject: ("request_not_supported", "use parameters", .authorizationRequestUnsupported)
        case .requestURI: ("request_uri_not_supported", "use parameters", .authorizationRequestUnsupported)
        case .registration: ("registration_not_supported", "use parameters", .authorizationRequestUnsupported)
        case .unsupportedResponseType:
            ("unsupported_response_type", "use the response type code", .authorizationTypeUnsupported)
        case .missingChallenge:
            ("invalid_request", "a code_challenge with the method S256 is required", .authorizationChallengeMissing)
        case .invalidScope: ("invalid_scope", "the scope is invalid", .authorizationScopeInvalid)
        case .invalidTarget: ("invalid_target", "the resource is unknown", .authorizationTargetInvalid)
        case .loginRequired: ("login_required", "the user has to log in", .authorizationLoginRequired)
        case .consentRequired: ("consent_required", "the user has to consent", .authorizationConsentRequired)
        case .denied: ("access_denied", "the user has denied access", .authorizationDenied)
        case .notPushed: ("invalid_request", "push the request", .authorizationNotPushed)
        case .unavailable: ("temporarily_unavailable", "try again later", .authorizationUnavailable)
        }
    }

    var error: String { definition.error }
    var description: String { definition.description }
    var reason: Reason { definition.reason }
}

/// Why a browser is not sent back: the request names no client or address that could be trusted (RFC 6749 section
/// 4.1.2.1).
enum AuthorizationFailure: PageFailure, CaseIterable {
    case unknownClient
    case foreignRedirect
    /// A `request_uri` that stands for no request of the client.
    case unknownReference

    var reason: Reason {
        switch self {
        case .unknownClient: .authorizationClientUnknown
        case .foreignRedirect: .authorizationRedirectForeign
        case .unknownReference: .authorizationReferenceUnknown
        }
    }

    var text: PageText {
        switch self {
        case .unknownClient: .unknownClient
        case .foreignRedirect: .foreignRedirectURI
        case .unknownReference: .startOver
        }
    }
}
