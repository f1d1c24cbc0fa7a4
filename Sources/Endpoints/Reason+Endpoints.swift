import Model

/// The reasons that this target declares.
extension Reason {
    // Login pages and single sign-on
    package static var loginHostForeign: Reason { Reason("login_host_foreign", 421) }

    // Refused for limits or load
    package static var bodyTooLarge: Reason { Reason("body_too_large", 413) }

    // Administration
    package static var invalidRequest: Reason { Reason("invalid_request", 400) }
    package static var notFound: Reason { Reason("not_found", 404) }
    package static var preconditionFailed: Reason { Reason("precondition_failed", 412) }

    // Users of applications and user profiles
    package static var nameTaken: Reason { Reason("name_taken", 409) }
    package static var unsupportedMediaType: Reason { Reason("unsupported_media_type", 415) }
    package static var usersUnavailable: Reason { Reason("users_unavailable", 503, retryAfter: 1) }
}
