import HTTP
import Identity

/// Why the endpoints of users and of revocation refuse; the token endpoint has `TokenFailure`.
package enum ApplicationFailure: Error, Sendable, CaseIterable {
    case missingCredential
    /// The bearer token is unknown or has ended.
    case invalidToken
    case wrongPassword
    /// Too many were wrong already; this one was not looked at.
    case loginThrottled
    case missingKey
    /// The API key, or the token, is another application's.
    case mismatch
    /// AOM-08, AOM-22.
    case insufficientScope
    /// Neither administrator, nor a writer, nor the user in question with the password (AOM-17, AOM-18).
    case writePermissionRequired
    case signUpDisabled
    case noSuchObject
    /// Another user has this manual token (AOM-18).
    case tokenInUse
    case nameTaken
    case unsupportedMediaType
    case storeUnavailable
    case usersUnavailable

    package typealias Definition = FailureDefinition

    package var definition: Definition {
        let unauthorized = "invalid or missing credentials"
        return switch self {
        case .missingCredential: Definition(401, unauthorized, "missing_credential")
        case .invalidToken: Definition(401, unauthorized, "invalid_token")
        case .wrongPassword: Definition(401, unauthorized, "wrong_password")
        case .loginThrottled: Definition(429, "too many attempts", "login_throttled")
        case .missingKey: Definition(401, unauthorized, "missing_application_key")
        case .mismatch: Definition(403, "token or API key are not for this resource", "application_mismatch")
        case .insufficientScope: Definition(403, "the token is for reading only", "insufficient_scope")
        case .writePermissionRequired:
            Definition(403, "the caller may not do this to the object", "write_permission_required")
        case .signUpDisabled: Definition(403, "users cannot be made here", "sign_up_disabled")
        case .noSuchObject: Definition(404, "no such resource", "no_such_object")
        case .tokenInUse: Definition(409, "the session token is in use", "token_in_use")
        case .nameTaken: Definition(409, "the name is taken", "name_taken")
        case .unsupportedMediaType: Definition(415, "use application/json", "unsupported_media_type")
        case .storeUnavailable: Definition(503, "try again later", "store_unavailable")
        case .usersUnavailable: Definition(503, "users cannot be changed now", "users_unavailable")
        }
    }

    var response: EndpointResponse { definition.response(headers) }

    private var headers: [(name: String, value: String)] {
        switch self {
        case .wrongPassword: [(name: "WWW-Authenticate", value: #"Basic realm="portcullis""#)]
        case .missingCredential, .missingKey: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)]
        // RFC 6750 section 3.1.
        case .invalidToken, .insufficientScope:
            [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="\#(definition.reason)""#)]
        case .loginThrottled: [(name: "Retry-After", value: "30")]
        case .storeUnavailable, .usersUnavailable: [(name: "Retry-After", value: "1")]
        default: []
        }
    }
}

extension Effect where Value == EndpointResponse {
    /// The answer of a refusal.
    static func refuse(_ failure: ApplicationFailure) -> Effect { .done(failure.response) }
}
