import Model

/// The reasons that this target declares.
extension Reason {
    // Refused by policy
    package static var tlsRequired: Reason { Reason("tls_required", 403) }
    package static var missingCredential: Reason { Reason("missing_credential", 401) }
    package static var malformedCredential: Reason { Reason("malformed_credential", 401) }
    package static var tokenTooLarge: Reason { Reason("token_too_large", 400) }
    package static var invalidToken: Reason { Reason("invalid_token", 401, token: .invalidToken) }
    package static var storeUnavailable: Reason { Reason("store_unavailable", 503, retryAfter: 1) }
    package static var unknownSubject: Reason { Reason("unknown_subject", 401, token: .invalidToken) }
    package static var wrongPassword: Reason { Reason("wrong_password", 401) }
    package static var loginThrottled: Reason { Reason("login_throttled", 429, retryAfter: 30) }
    package static var loginRequired: Reason { Reason("login_required", 401, token: .weakLogin) }
    package static var missingApplicationKey: Reason { Reason("missing_application_key", 401) }
    package static var wrongWebgate: Reason { Reason("wrong_webgate", 401, token: .invalidToken) }
    package static var crossSiteRequest: Reason { Reason("cross_site_request", 403) }
    package static var applicationMismatch: Reason { Reason("application_mismatch", 403) }
    package static var insufficientScope: Reason { Reason("insufficient_scope", 403, token: .insufficientScope) }
    package static var identityProviderUnavailable: Reason {
        Reason("identity_provider_unavailable", 503, retryAfter: 1)
    }

    // Exchange of outside tokens
    package static var samlUnavailable: Reason { Reason("saml_unavailable", 501) }

    // Passwords that other servers verify
    package static var loginForbidden: Reason { Reason("login_forbidden", 403) }
    package static var loginServerUnavailable: Reason { Reason("login_server_unavailable", 503, retryAfter: 1) }
    package static var loginServerInvalidAnswer: Reason { Reason("login_server_invalid_answer", 502, retryAfter: 1) }
    package static var loginServerMisconfigured: Reason { Reason("login_server_misconfigured", 502) }
}
