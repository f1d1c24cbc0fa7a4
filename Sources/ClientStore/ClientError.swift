/// An error of the client (OMS-05): the part of the client, a stable code and a message.
public struct ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The part of the client that has failed.
    public enum Domain: String, Sendable {
        case profile, store, transport, server, session
    }

    /// What went wrong.
    public enum Code: String, Sendable, CaseIterable {
        case invalidProfile = "invalid_profile"
        case missingProperty = "missing_property"
        case unsupportedScheme = "unsupported_scheme"
        case invalidURL = "invalid_url"
        case notAConfiguration = "not_a_configuration"

        case storeFailed = "store_failed"
        case storeUnreadable = "store_unreadable"
        case invalidEntry = "invalid_entry"
        case unknownKey = "unknown_key"
        case cannotDecrypt = "cannot_decrypt"
        case unsupportedAlgorithm = "unsupported_algorithm"

        case unreachable
        case tlsFailed = "tls_failed"
        case malformedResponse = "malformed_response"
        case invalidRequest = "invalid_request"

        case invalidCredentials = "invalid_credentials"
        case loginAttemptsExceeded = "login_attempts_exceeded"
        case deviceWiped = "device_wipe"
        case refused
        /// Users of the service domain log in at an identity provider, not with a password.
        case useProvider = "use_identity_provider"
        case unknownApplication = "unknown_application"
        case unavailable
        case notJSON = "not_json"

        case notLoggedIn = "not_logged_in"
        case loginRequired = "login_required"
        case notChallenged = "not_challenged"
        case tokenRefused = "token_refused"
        case untrustedHost = "untrusted_host"
        case wrongBackend = "wrong_backend"
        case expired
        case offlineNotAllowed = "offline_not_allowed"
        case offlineUnknown = "offline_unknown"
        case missingAnswer = "missing_answer"
        case invalidArgument = "invalid_argument"
        case cancelled

        /// The part of the client that this code belongs to.
        public var domain: Domain {
            switch self {
            case .invalidProfile, .missingProperty, .unsupportedScheme, .invalidURL, .notAConfiguration: .profile
            case .storeFailed, .storeUnreadable, .invalidEntry, .unknownKey, .cannotDecrypt, .unsupportedAlgorithm:
                .store
            case .unreachable, .tlsFailed, .malformedResponse, .invalidRequest: .transport
            case .invalidCredentials, .loginAttemptsExceeded, .deviceWiped, .refused, .useProvider,
                .unknownApplication, .unavailable, .notJSON:
                .server
            case .notLoggedIn, .loginRequired, .notChallenged, .tokenRefused, .untrustedHost, .wrongBackend, .expired,
                .offlineNotAllowed, .offlineUnknown, .missingAnswer, .invalidArgument, .cancelled:
                .session
            }
        }
    }

    public let code: Code
    /// A message for people, without secrets.
    public let description: String

    public var domain: Domain { code.domain }

    package static var cancelled: ClientError { ClientError(.cancelled, "the request was cancelled") }

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
