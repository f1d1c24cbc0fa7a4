import Model

/// The reasons that this target declares.
extension Reason {
    // Refused by policy
    package static var noRoute: Reason { Reason("no_route", 404) }
    package static var ambiguousPath: Reason { Reason("ambiguous_path", 400) }
    package static var corsDenied: Reason { Reason("cors_denied", 403) }
    package static var corsMalformed: Reason { Reason("cors_malformed", 400) }
    package static var clientCertificateRequired: Reason { Reason("client_certificate_required", 403) }
    package static var clientCertificateNotAllowed: Reason { Reason("client_certificate_not_allowed", 403) }
    package static var clientCertificateRevoked: Reason { Reason("client_certificate_revoked", 403) }
    package static var clientCertificateInvalid: Reason { Reason("client_certificate_invalid", 403) }
    package static var clientCertificateMalformed: Reason { Reason("client_certificate_malformed", 400) }
    package static var duplicateCredential: Reason { Reason("duplicate_credential", 400) }
    package static var keyBesideCredential: Reason { Reason("key_beside_credential", 400) }
    package static var apiKeyMissing: Reason { Reason("api_key_missing", 401) }
    package static var userCredentialMissing: Reason { Reason("user_credential_missing", 401) }
    package static var unsupportedScheme: Reason { Reason("unsupported_scheme", 401) }
    package static var malformedToken: Reason { Reason("malformed_token", 401, token: .invalidToken) }
    package static var unsupportedAlgorithm: Reason { Reason("unsupported_algorithm", 401, token: .invalidToken) }
    package static var unknownKey: Reason { Reason("unknown_key", 401, token: .invalidToken) }
    package static var badSignature: Reason { Reason("bad_signature", 401, token: .invalidToken) }
    package static var tokenUndecryptable: Reason { Reason("token_undecryptable", 401, token: .invalidToken) }
    package static var tokenUnsigned: Reason { Reason("token_unsigned", 401, token: .invalidToken) }
    package static var tokenUnencrypted: Reason { Reason("token_unencrypted", 401, token: .invalidToken) }
    package static var tokenChainUntrusted: Reason { Reason("token_chain_untrusted", 401, token: .invalidToken) }
    package static var tokenChainNameWrong: Reason { Reason("token_chain_name_wrong", 401, token: .invalidToken) }
    package static var tokenExpired: Reason { Reason("token_expired", 401, token: .invalidToken) }
    package static var tokenNotYetValid: Reason { Reason("token_not_yet_valid", 401, token: .invalidToken) }
    package static var tokenRevoked: Reason { Reason("token_revoked", 401, token: .invalidToken) }
    package static var assertionReplayed: Reason { Reason("assertion_replayed", 401) }
    package static var apiKeyUnknown: Reason { Reason("api_key_unknown", 401, token: .invalidToken) }
    package static var apiKeyExpired: Reason { Reason("api_key_expired", 401, token: .invalidToken) }
    package static var certificateUserUnknown: Reason { Reason("certificate_user_unknown", 401) }
    package static var certificateExpired: Reason { Reason("certificate_expired", 401) }
    package static var unknownIssuer: Reason { Reason("unknown_issuer", 401, token: .invalidToken) }
    package static var wrongAudience: Reason { Reason("wrong_audience", 401, token: .invalidToken) }
    package static var wrongTokenType: Reason { Reason("wrong_token_type", 401, token: .invalidToken) }
    package static var wrongTokenClient: Reason { Reason("wrong_token_client", 401, token: .invalidToken) }
    package static var proofRequired: Reason { Reason("proof_required", 401, token: .invalidToken) }
    package static var tokenUnbound: Reason { Reason("token_unbound", 401, token: .invalidToken) }
    package static var tokenCertificateWrong: Reason { Reason("token_certificate_wrong", 401, token: .invalidToken) }
    package static var dpopSchemeWrong: Reason { Reason("dpop_scheme_wrong", 401, token: .unprovenToken) }
    package static var dpopProofMissing: Reason { Reason("dpop_proof_missing", 401, token: .invalidProof) }
    package static var dpopProofRepeated: Reason { Reason("dpop_proof_repeated", 401, token: .invalidProof) }
    package static var dpopProofMalformed: Reason { Reason("dpop_proof_malformed", 401, token: .invalidProof) }
    package static var dpopSignatureInvalid: Reason { Reason("dpop_signature_invalid", 401, token: .invalidProof) }
    package static var dpopKeyWrong: Reason { Reason("dpop_key_wrong", 401, token: .invalidProof) }
    package static var dpopRequestWrong: Reason { Reason("dpop_request_wrong", 401, token: .invalidProof) }
    package static var dpopTokenWrong: Reason { Reason("dpop_token_wrong", 401, token: .invalidProof) }
    package static var dpopTimeWrong: Reason { Reason("dpop_time_wrong", 401, token: .invalidProof) }
    package static var dpopReplayed: Reason { Reason("dpop_replayed", 401, token: .invalidProof) }
    package static var dpopNonceRequired: Reason { Reason("dpop_nonce_required", 401, token: .nonceRequired) }
    package static var missingBackend: Reason { Reason("missing_backend", 401) }
    package static var unknownClient: Reason { Reason("unknown_client", 401) }
    package static var basicDisabled: Reason { Reason("basic_disabled", 401) }
    package static var oauthDisabled: Reason { Reason("oauth_disabled", 401, token: .invalidToken) }
    package static var socialLoginRequired: Reason { Reason("social_login_required", 401, token: .weakLogin) }
    package static var socialLoginOnly: Reason { Reason("social_login_only", 401) }
    package static var sessionIdle: Reason { Reason("session_idle", 401, token: .invalidToken) }
    package static var sessionInvalid: Reason { Reason("session_invalid", 401) }
    package static var sessionExpired: Reason { Reason("session_expired", 401) }
    package static var stepUpRequired: Reason { Reason("step_up_required", 401, token: .weakLogin) }
    package static var keysUnavailable: Reason { Reason("keys_unavailable", 503, retryAfter: 5) }
    package static var backendMismatch: Reason { Reason("backend_mismatch", 403) }
    package static var clientNotAllowed: Reason { Reason("client_not_allowed", 403) }
    package static var roleRequired: Reason { Reason("role_required", 403) }
    package static var introspectionUnavailable: Reason { Reason("introspection_unavailable", 503, retryAfter: 1) }
    package static var wrongScheme: Reason { Reason("wrong_scheme", 401, token: .weakLogin) }
    package static var issuerNotAllowed: Reason { Reason("issuer_not_allowed", 401, token: .invalidToken) }
    package static var scopeRequired: Reason { Reason("scope_required", 403, token: .insufficientScope) }
    package static var claimRequired: Reason { Reason("claim_required", 403) }
    package static var addressNotAllowed: Reason { Reason("address_not_allowed", 403) }
    package static var forwardAuthUntrusted: Reason { Reason("forward_auth_untrusted", 403) }
    package static var forwardAuthMalformed: Reason { Reason("forward_auth_malformed", 400) }
    package static var forwardAuthUnsupported: Reason { Reason("forward_auth_unsupported", 501) }
    package static var authenticationTooWeak: Reason { Reason("authentication_too_weak", 401, token: .weakLogin) }
    package static var authenticationTooOld: Reason { Reason("authentication_too_old", 401, token: .weakLogin) }
    package static var authenticatorNotListed: Reason { Reason("authenticator_not_listed", 401) }
    package static var policyDenied: Reason { Reason("policy_denied", 403) }
    package static var policyHidden: Reason { Reason("policy_hidden", 404) }
    package static var policyLoginRequired: Reason { Reason("policy_login_required", 401) }
    package static var policyInputInvalid: Reason { Reason("policy_input_invalid", 400) }
    package static var toolNotAllowed: Reason { Reason("tool_not_allowed", 403) }
    package static var messageInvalid: Reason { Reason("message_invalid", 400) }
    package static var messageFieldsDiffer: Reason { Reason("message_fields_differ", 400) }
    package static var policyUnavailable: Reason { Reason("policy_unavailable", 503, retryAfter: 1) }
}
