import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var preflight: Reason { .served("preflight") }
    package static var whoAmI: Reason { .served("who_am_i") }
    package static var revoked: Reason { .served("revoked") }
    package static var keySet: Reason { .served("key_set") }
    package static var metadata: Reason { .served("metadata") }
    package static var tokenIssued: Reason { .served("token_issued") }
    package static var tokenActive: Reason { .served("token_active") }
    package static var tokenInactive: Reason { .served("token_inactive") }
    package static var tokenEnded: Reason { .served("token_ended") }
    package static var tokenUnknown: Reason { .served("token_unknown") }
    package static var userInfoServed: Reason { .served("user_info_served") }
    package static var authorizationPushed: Reason { .served("authorization_pushed") }
    package static var deviceCodesIssued: Reason { .served("device_codes_issued") }
    package static var clientRegistered: Reason { .served("client_registered") }
    package static var registrationRead: Reason { .served("registration_read") }
    package static var registrationEnded: Reason { .served("registration_ended") }

    // Refused for limits or load
    package static var clientThrottled: Reason { Reason("client_throttled", 429, retryAfter: 30) }

    // Token endpoint
    package static var tokenWrongContentType: Reason { Reason("token_wrong_content_type", 400) }
    package static var tokenMalformedForm: Reason { Reason("token_malformed_form", 400) }
    package static var tokenRepeatedParameter: Reason { Reason("token_repeated_parameter", 400) }
    package static var tokenCredentialInQuery: Reason { Reason("token_credential_in_query", 400) }
    package static var repeatedAuthorization: Reason { Reason("repeated_authorization", 400) }
    package static var tokenTwoCredentials: Reason { Reason("token_two_credentials", 400) }
    package static var tokenConflictingClientID: Reason { Reason("token_conflicting_client_id", 400) }
    package static var tokenConflictingApplication: Reason { Reason("token_conflicting_application", 400) }
    package static var tokenMissingGrantType: Reason { Reason("token_missing_grant_type", 400) }
    package static var tokenMissingParameter: Reason { Reason("token_missing_parameter", 400) }
    package static var tokenInvalidParameter: Reason { Reason("token_invalid_parameter", 400) }
    package static var invalidClient: Reason { Reason("invalid_client", 401) }
    package static var unauthorizedClient: Reason { Reason("unauthorized_client", 400) }
    package static var unsupportedGrantType: Reason { Reason("unsupported_grant_type", 400) }
    package static var invalidScope: Reason { Reason("invalid_scope", 400) }
    package static var invalidGrant: Reason { Reason("invalid_grant", 400) }
    package static var clientAssertionInvalid: Reason { Reason("client_assertion_invalid", 401) }
    package static var clientAssertionReplayed: Reason { Reason("client_assertion_replayed", 401) }
    package static var clientAssertionTypeUnknown: Reason { Reason("client_assertion_type_unknown", 400) }
    package static var refreshTokenInvalid: Reason { Reason("refresh_token_invalid", 400) }
    package static var refreshTokenReused: Reason { Reason("refresh_token_reused", 400) }
    package static var tokenOfAnotherClient: Reason { Reason("token_of_another_client", 400) }
    package static var introspectionNotAllowed: Reason { Reason("introspection_not_allowed", 403) }
    package static var exchangeNotAllowed: Reason { Reason("exchange_not_allowed", 400) }
    package static var tokenTypeUnsupported: Reason { Reason("token_type_unsupported", 400) }
    package static var subjectTokenInvalid: Reason { Reason("subject_token_invalid", 400) }
    package static var actorTokenInvalid: Reason { Reason("actor_token_invalid", 400) }
    package static var tokenProofInvalid: Reason { Reason("token_proof_invalid", 400) }
    package static var tokenProofNonceRequired: Reason { Reason("token_proof_nonce_required", 400) }
    package static var tokenProofRequired: Reason { Reason("token_proof_required", 400) }
    package static var invalidTarget: Reason { Reason("invalid_target", 400) }
    package static var tokenStoreUnavailable: Reason { Reason("token_store_unavailable", 503, retryAfter: 1) }
    package static var tokenIssuerUnavailable: Reason { Reason("token_issuer_unavailable", 503, retryAfter: 1) }
    package static var grantNotAllowed: Reason { Reason("grant_not_allowed", 400) }
    package static var clientOriginForeign: Reason { Reason("client_origin_foreign", 400) }
    package static var codeInvalid: Reason { Reason("code_invalid", 400) }
    package static var codeReused: Reason { Reason("code_reused", 400) }
    package static var codeVerifierWrong: Reason { Reason("code_verifier_wrong", 400) }
    package static var deviceCodeInvalid: Reason { Reason("device_code_invalid", 400) }
    package static var devicePending: Reason { Reason("device_pending", 400) }
    package static var devicePolledTooSoon: Reason { Reason("device_polled_too_soon", 400) }
    package static var deviceAccessDenied: Reason { Reason("device_access_denied", 400) }
    package static var deviceCodeExpired: Reason { Reason("device_code_expired", 400) }
    package static var registrationInvalid: Reason { Reason("registration_invalid", 400) }
    package static var registrationRedirectInvalid: Reason { Reason("registration_redirect_invalid", 400) }
    package static var registrationTokenInvalid: Reason { Reason("registration_token_invalid", 401) }
    package static var registrationsFull: Reason { Reason("registrations_full", 503) }
    package static var clientDocumentForeign: Reason { Reason("client_document_foreign", 400) }
    package static var clientDocumentInvalid: Reason { Reason("client_document_invalid", 400) }
    package static var clientDocumentUnavailable: Reason { Reason("client_document_unavailable", 503, retryAfter: 1) }

    // Exchange of outside tokens
    package static var assertionClientNotAllowed: Reason { Reason("assertion_client_not_allowed", 400) }
    package static var assertionKeysUnavailable: Reason { Reason("assertion_keys_unavailable", 503, retryAfter: 1) }
    package static var assertionMalformed: Reason { Reason("assertion_malformed", 400) }
    package static var assertionEncrypted: Reason { Reason("assertion_encrypted", 400) }
    package static var assertionCriticalHeader: Reason { Reason("assertion_critical_header", 400) }
    package static var assertionIssuerUnknown: Reason { Reason("assertion_issuer_unknown", 400) }
    package static var assertionIssuerInvalid: Reason { Reason("assertion_issuer_invalid", 400) }
    package static var assertionIssuerDisabled: Reason { Reason("assertion_issuer_disabled", 400) }
    package static var assertionAlgorithmUnsupported: Reason { Reason("assertion_algorithm_unsupported", 400) }
    package static var assertionKeyUnknown: Reason { Reason("assertion_key_unknown", 400) }
    package static var assertionSignatureInvalid: Reason { Reason("assertion_signature_invalid", 400) }
    package static var assertionKeysUnusable: Reason { Reason("assertion_keys_unusable", 400) }
    package static var assertionExpiryMissing: Reason { Reason("assertion_expiry_missing", 400) }
    package static var assertionExpired: Reason { Reason("assertion_expired", 400) }
    package static var assertionNotYetValid: Reason { Reason("assertion_not_yet_valid", 400) }
    package static var assertionIssuedInFuture: Reason { Reason("assertion_issued_in_future", 400) }
    package static var assertionAudienceWrong: Reason { Reason("assertion_audience_wrong", 400) }
    package static var assertionTypeWrong: Reason { Reason("assertion_type_wrong", 400) }
    package static var assertionClientWrong: Reason { Reason("assertion_client_wrong", 400) }
    package static var assertionProofRequired: Reason { Reason("assertion_proof_required", 400) }
    package static var assertionFilterNotSatisfied: Reason { Reason("assertion_filter_not_satisfied", 400) }
    package static var assertionUsernameMissing: Reason { Reason("assertion_username_missing", 400) }
    package static var assertionUsernameUnusable: Reason { Reason("assertion_username_unusable", 400) }
    package static var assertionOfClient: Reason { Reason("assertion_of_client", 400) }
    package static var assertionUserUnknown: Reason { Reason("assertion_user_unknown", 400) }
    package static var assertionUserAmbiguous: Reason { Reason("assertion_user_ambiguous", 400) }
    package static var assertionUserDisabled: Reason { Reason("assertion_user_disabled", 400) }
    package static var assertionUsedBefore: Reason { Reason("assertion_used_before", 400) }
    package static var assertionRevoked: Reason { Reason("assertion_revoked", 400) }
    package static var ssoBackendMissing: Reason { Reason("sso_backend_missing", 400) }
    package static var ssoBackendUnknown: Reason { Reason("sso_backend_unknown", 401) }
    package static var ssoBasicNotEnabled: Reason { Reason("sso_basic_not_enabled", 403) }
    package static var ssoBackendNotAllowed: Reason { Reason("sso_backend_not_allowed", 403) }
    package static var ssoTwoCredentials: Reason { Reason("sso_two_credentials", 400) }
    package static var samlPackageMalformed: Reason { Reason("saml_package_malformed", 400) }
    package static var samlTooLarge: Reason { Reason("saml_too_large", 400) }
    package static var samlMalformed: Reason { Reason("saml_malformed", 400) }
    package static var samlDeclarationForbidden: Reason { Reason("saml_declaration_forbidden", 400) }
    package static var samlResponseNotAssertion: Reason { Reason("saml_response_not_assertion", 400) }
    package static var samlEncrypted: Reason { Reason("saml_encrypted", 400) }
    package static var samlNotOneAssertion: Reason { Reason("saml_not_one_assertion", 400) }
    package static var samlStatusNotSuccess: Reason { Reason("saml_status_not_success", 400) }
    package static var samlUnsigned: Reason { Reason("saml_unsigned", 400) }
    package static var samlSignatureMalformed: Reason { Reason("saml_signature_malformed", 400) }
    package static var samlReferenceWrong: Reason { Reason("saml_reference_wrong", 400) }
    package static var samlAlgorithmUnsupported: Reason { Reason("saml_algorithm_unsupported", 400) }
    package static var samlKeyUnknown: Reason { Reason("saml_key_unknown", 400) }
    package static var samlSignatureInvalid: Reason { Reason("saml_signature_invalid", 400) }
    package static var samlExpired: Reason { Reason("saml_expired", 400) }
    package static var samlNotYetValid: Reason { Reason("saml_not_yet_valid", 400) }
    package static var samlExpiryMissing: Reason { Reason("saml_expiry_missing", 400) }
    package static var samlAudienceMissing: Reason { Reason("saml_audience_missing", 400) }
    package static var samlAudienceWrong: Reason { Reason("saml_audience_wrong", 400) }
    package static var samlNotConfirmed: Reason { Reason("saml_not_confirmed", 400) }
    package static var samlRecipientWrong: Reason { Reason("saml_recipient_wrong", 400) }
    package static var samlConditionUnknown: Reason { Reason("saml_condition_unknown", 400) }
}
