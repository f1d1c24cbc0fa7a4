import Endpoints
import Model

/// Why a client is not registered (RFC 7591 section 3.2.2), or gets nothing of its registration.
enum RegistrationFailure: EndpointFailure {
    case metadata(String)
    case redirect(String)
    /// The initial access token, or that of the registration, is missing or wrong.
    case token
    case full

    var reason: Reason {
        switch self {
        case .metadata: .registrationInvalid
        case .redirect: .registrationRedirectInvalid
        case .token: .registrationTokenInvalid
        case .full: .registrationsFull
        }
    }

    var detail: String {
        switch self {
        case .metadata(let text), .redirect(let text): text
        case .token: "the access token is missing or invalid"
        case .full: "no more clients can register"
        }
    }

    private var error: String {
        switch self {
        case .metadata: "invalid_client_metadata"
        case .redirect: "invalid_redirect_uri"
        // RFC 6750 section 3.1.
        case .token: "invalid_token"
        case .full: "temporarily_unavailable"
        }
    }

    var fields: [(name: String, value: String)] {
        reason == .registrationTokenInvalid
            ? [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis", error="invalid_token""#)] : []
    }

    var shape: EndpointResponse { .tokenError(error, detail, reason) }
}
