import Endpoints
import Identity
import Model
import Outbound

/// Refusals of the endpoints of users and of revocation; the token endpoint has `TokenFailure`.
package enum ApplicationFailure: EndpointFailure, CaseIterable {
    case missingCredential
    /// The bearer token is unknown or has expired.
    case invalidToken
    case wrongPassword
    /// Too many passwords were wrong; this one was not checked.
    case loginThrottled
    case missingKey
    /// The API key or the token belongs to another application.
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

    private var definition: (detail: String, reason: Reason) {
        let unauthorized = "invalid or missing credentials"
        return switch self {
        case .missingCredential: (unauthorized, .missingCredential)
        case .invalidToken: (unauthorized, .invalidToken)
        case .wrongPassword: (unauthorized, .wrongPassword)
        case .loginThrottled: ("too many attempts", .loginThrottled)
        case .missingKey: (unauthorized, .missingApplicationKey)
        case .mismatch: ("token or API key are not for this resource", .applicationMismatch)
        case .insufficientScope: ("the token is for reading only", .insufficientScope)
        case .writePermissionRequired:
            ("the caller may not do this to the object", .writePermissionRequired)
        case .signUpDisabled: ("users cannot be made here", .signUpDisabled)
        case .noSuchObject: ("no such resource", .noSuchObject)
        case .tokenInUse: ("the session token is in use", .tokenInUse)
        case .nameTaken: ("the name is taken", .nameTaken)
        case .unsupportedMediaType: ("use application/json", .unsupportedMediaType)
        case .storeUnavailable: ("try again later", .storeUnavailable)
        case .usersUnavailable: ("users cannot be changed now", .usersUnavailable)
        }
    }

    package var detail: String { definition.detail }
    package var reason: Reason { definition.reason }

    package var fields: [(name: String, value: String)] {
        switch self {
        case .wrongPassword: [(name: "WWW-Authenticate", value: #"Basic realm="portcullis""#)]
        case .missingCredential, .missingKey: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)]
        // RFC 6750 section 3.1.
        case .invalidToken, .insufficientScope:
            [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="\#(reason)""#)]
        default: []
        }
    }
}

extension Effect where Value == EndpointResponse {
    static func refuse(_ failure: ApplicationFailure) -> Effect { .done(failure.response) }
}
