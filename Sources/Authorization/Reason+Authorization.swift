import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var consentAsked: Reason { .served("consent_asked") }
    package static var codeIssued: Reason { .served("code_issued") }
    package static var authorizationMoved: Reason { .served("authorization_moved") }
    package static var deviceCodeForm: Reason { .served("device_code_form") }
    package static var deviceDecided: Reason { .served("device_decided") }

    // Login pages and single sign-on
    package static var ssoClientMissing: Reason { Reason("sso_client_missing", 400) }
    package static var ssoRepeatedParameter: Reason { Reason("sso_repeated_parameter", 400) }
    package static var ssoMalformedParameter: Reason { Reason("sso_malformed_parameter", 400) }
    package static var ssoNotEnabled: Reason { Reason("sso_not_enabled", 400) }
    package static var ssoRedirectNotAllowed: Reason { Reason("sso_redirect_not_allowed", 400) }
    package static var ssoNotNavigated: Reason { Reason("sso_not_navigated", 403) }
    package static var ssoRequestForeign: Reason { Reason("sso_request_foreign", 403) }
    package static var ssoWrongRealm: Reason { Reason("sso_wrong_realm", 403) }
    package static var ssoUnavailable: Reason { Reason("sso_unavailable", 503, retryAfter: 1) }

    // Authorization endpoint
    package static var authorizationClientUnknown: Reason { Reason("authorization_client_unknown", 400) }
    package static var authorizationRedirectForeign: Reason { Reason("authorization_redirect_foreign", 400) }
    package static var authorizationMalformed: Reason { Reason("authorization_malformed", 0) }
    package static var authorizationRepeatedParameter: Reason { Reason("authorization_repeated_parameter", 0) }
    package static var authorizationTypeUnsupported: Reason { Reason("authorization_type_unsupported", 0) }
    package static var authorizationChallengeMissing: Reason { Reason("authorization_challenge_missing", 0) }
    package static var authorizationRequestUnsupported: Reason { Reason("authorization_request_unsupported", 0) }
    package static var authorizationScopeInvalid: Reason { Reason("authorization_scope_invalid", 0) }
    package static var authorizationTargetInvalid: Reason { Reason("authorization_target_invalid", 0) }
    package static var authorizationLoginRequired: Reason { Reason("authorization_login_required", 0) }
    package static var authorizationConsentRequired: Reason { Reason("authorization_consent_required", 0) }
    package static var authorizationDenied: Reason { Reason("authorization_denied", 0) }
    package static var authorizationUnavailable: Reason { Reason("authorization_unavailable", 0) }
    package static var authorizationNotPushed: Reason { Reason("authorization_not_pushed", 0) }
    package static var authorizationReferenceUnknown: Reason { Reason("authorization_reference_unknown", 400) }
    package static var deviceUserCodeUnknown: Reason { Reason("device_user_code_unknown", 400) }
    package static var logoutRequestInvalid: Reason { Reason("logout_request_invalid", 400) }
    package static var secondStepAsked: Reason { .served("second_step_asked") }
}
