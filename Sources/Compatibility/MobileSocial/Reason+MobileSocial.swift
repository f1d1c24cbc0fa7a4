import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var profile: Reason { .served("profile") }
    package static var profileUnchanged: Reason { .served("profile_unchanged") }
    package static var deviceRegistered: Reason { .served("device_registered") }
    package static var userTokenIssued: Reason { .served("user_token_issued") }
    package static var userTokenIssuedOffline: Reason { .served("user_token_issued_offline") }
    package static var clientTokenIssued: Reason { .served("client_token_issued") }
    package static var webgateTokenIssued: Reason { .served("webgate_token_issued") }
    package static var tokenValid: Reason { .served("token_valid") }
    package static var loginCodeIssued: Reason { .served("login_code_issued") }

    // Mobile & Social
    package static var oicUnknownApplication: Reason { Reason("oic_unknown_application", 404) }
    package static var oicWrongContentType: Reason { Reason("oic_wrong_content_type", 415) }
    package static var oicMalformedBody: Reason { Reason("oic_malformed_body", 400) }
    package static var oicMalformedQuery: Reason { Reason("oic_malformed_query", 400) }
    package static var oicCredentialInQuery: Reason { Reason("oic_credential_in_query", 400) }
    package static var oicUnknownVersion: Reason { Reason("oic_unknown_version", 400) }
    package static var oicMalformedAttribute: Reason { Reason("oic_malformed_attribute", 400) }
    package static var oicConflictingAttribute: Reason { Reason("oic_conflicting_attribute", 400) }
    package static var oicMissingAttribute: Reason { Reason("oic_missing_attribute", 400) }
    package static var oicUnsupportedTokenType: Reason { Reason("oic_unsupported_token_type", 400) }
    package static var oicDeviceProfileTooLong: Reason { Reason("oic_device_profile_too_long", 400) }
    package static var oicClientProofMissing: Reason { Reason("oic_client_proof_missing", 401) }
    package static var oicClientProofInvalid: Reason { Reason("oic_client_proof_invalid", 401) }
    package static var oicWrongPassword: Reason { Reason("oic_wrong_password", 401) }
    package static var loginServerNotAsked: Reason { Reason("login_server_not_asked", 503, retryAfter: 60) }
    package static var loginAttemptsExceeded: Reason { Reason("login_attempts_exceeded", 403) }
    package static var oicUserTokenInvalid: Reason { Reason("oic_user_token_invalid", 401) }
    package static var oicLevelTooLow: Reason { Reason("oic_level_too_low", 401) }
    package static var oicSchemeWrong: Reason { Reason("oic_scheme_wrong", 401) }
    package static var oicContextInvalid: Reason { Reason("oic_context_invalid", 400) }
    package static var oicResourceMismatch: Reason { Reason("oic_resource_mismatch", 400) }
    package static var oicResourceForeign: Reason { Reason("oic_resource_foreign", 400) }
    package static var deviceDenied: Reason { Reason("device_denied", 403) }
    package static var deviceWipe: Reason { Reason("device_wipe", 403) }
    package static var useSSOAgent: Reason { Reason("use_sso_agent", 403) }
    package static var notInCircleOfTrust: Reason { Reason("not_in_circle_of_trust", 403) }
    package static var useIdentityProvider: Reason { Reason("use_identity_provider", 403) }
    package static var oicCodeInvalid: Reason { Reason("oic_code_invalid", 400) }
    package static var oicWrongAnswer: Reason { Reason("oic_wrong_answer", 401) }
    package static var secondStepMissing: Reason { Reason("second_step_missing", 403) }
}
