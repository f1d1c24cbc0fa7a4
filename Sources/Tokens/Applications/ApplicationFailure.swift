import HTTP
import Identity
import Model

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
        case .missingCredential: Definition(unauthorized, .missingCredential)
        case .invalidToken: Definition(unauthorized, .invalidToken)
        case .wrongPassword: Definition(unauthorized, .wrongPassword)
        case .loginThrottled: Definition("too many attempts", .loginThrottled)
        case .missingKey: Definition(unauthorized, .missingApplicationKey)
        case .mismatch: Definition("token or API key are not for this resource", .applicationMismatch)
        case .insufficientScope: Definition("the token is for reading only", .insufficientScope)
        case .writePermissionRequired:
            Definition("the caller may not do this to the object", .writePermissionRequired)
        case .signUpDisabled: Definition("users cannot be made here", .signUpDisabled)
        case .noSuchObject: Definition("no such resource", .noSuchObject)
        case .tokenInUse: Definition("the session token is in use", .tokenInUse)
        case .nameTaken: Definition("the name is taken", .nameTaken)
        case .unsupportedMediaType: Definition("use application/json", .unsupportedMediaType)
        case .storeUnavailable: Definition("try again later", .storeUnavailable)
        case .usersUnavailable: Definition("users cannot be changed now", .usersUnavailable)
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
