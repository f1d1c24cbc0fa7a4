import Endpoints
import HTTP
import Identity
import Model

/// Why the token endpoint refuses a request: the error codes of RFC 6749 section 5.2, with distinct reasons for the
/// log. Clients get `error` and a description that does not reveal which part of a credential was wrong.
package enum TokenFailure: EndpointFailure, CaseIterable {
    case methodNotAllowed, bodyTooLarge
    case wrongContentType, malformedForm, repeatedParameter, credentialInQuery
    case repeatedAuthorization, twoCredentials, conflictingClientID
    case missingGrantType, missingParameter
    case invalidClient, unauthorizedClient
    case unsupportedGrantType, invalidScope, invalidGrant
    case invalidClientAssertion, replayedClientAssertion, unknownClientAssertionType
    case invalidRefreshToken, refreshTokenReused
    /// The code's redirect URI or challenge differs.
    case invalidCode, reusedCode, wrongCodeVerifier
    /// RFC 8628 section 3.5.
    case invalidDeviceCode, devicePending, devicePolledTooSoon, deviceDenied, expiredDeviceCode
    /// The client is public, or has no redirect URIs.
    case grantNotAllowed
    /// The request comes from a page that is none of the client's.
    case foreignOrigin
    case tokenOfAnotherClient, introspectionNotAllowed
    case exchangeNotAllowed, unsupportedTokenType, invalidSubjectToken, invalidActorToken, invalidTarget
    case invalidProof, proofNonceRequired, proofRequired
    case clientNotAllowed, keysUnavailable
    case storeUnavailable, issuerUnavailable
    /// The field with the id of the client is missing, repeated or unknown (AMB-11).
    case missingBackend, unknownBackend
    /// The client has HTTP Basic switched off (SAML-02), or is not in the issuer's `allowedMbes`.
    case basicNotEnabled, ssoBackendNotAllowed
    /// Both a bearer token and `clientID` (CON-16).
    case twoSignOns
    case samlUnavailable
    case conflictingApplication, invalidParameter, providerUnavailable
    case loginThrottled
    /// Too many wrong secrets for the client or from the address.
    case clientThrottled

    /// Maps a failed login: a wrong name and a wrong password are answered alike.
    package init(_ refusal: PasswordLogin.Refusal) {
        switch refusal {
        case .wrongPassword: self = .invalidGrant
        case .throttled: self = .loginThrottled
        }
    }

    package struct Definition: Sendable {
        /// `error` of the response.
        package let error: String
        /// `error_description` of the response.
        package let description: String
        /// Stable code for the log.
        package let reason: Reason

        init(_ error: String, _ description: String, _ reason: Reason) {
            self.error = error
            self.description = description
            self.reason = reason
        }
    }

    private static let missingID = "\(CallerFields.backendID) is missing"

    package var definition: Definition {
        let badRequest = "invalid_request"
        return switch self {
        // RFC 6749 section 3.2 and OAUTH-08.
        case .methodNotAllowed: Definition(badRequest, "use POST", .methodNotAllowed)
        case .bodyTooLarge: Definition(badRequest, "the body is too large", .bodyTooLarge)
        case .wrongContentType:
            Definition(badRequest, "use application/x-www-form-urlencoded", .tokenWrongContentType)
        case .malformedForm: Definition(badRequest, "the form can't be decoded", .tokenMalformedForm)
        case .repeatedParameter: Definition(badRequest, "a parameter is repeated", .tokenRepeatedParameter)
        // RFC 6749 section 2.3.1: credentials in the URI end up in logs.
        case .credentialInQuery:
            Definition(badRequest, "credentials belong into the body", .tokenCredentialInQuery)
        // ISS-08.
        case .repeatedAuthorization:
            Definition(badRequest, "more than one Authorization field", .repeatedAuthorization)
        // RFC 6749 section 2.3.
        case .twoCredentials:
            Definition(badRequest, "more than one client authentication", .tokenTwoCredentials)
        case .conflictingClientID:
            Definition(badRequest, "client_id differs from the Authorization field", .tokenConflictingClientID)
        case .missingGrantType: Definition(badRequest, "grant_type is missing", .tokenMissingGrantType)
        case .missingParameter: Definition(badRequest, "a parameter is missing", .tokenMissingParameter)
        // OAUTH-06.
        case .invalidClient: Definition("invalid_client", "client authentication failed", .invalidClient)
        case .unauthorizedClient:
            Definition("unauthorized_client", "OAuth is off for this client", .unauthorizedClient)
        case .unsupportedGrantType:
            Definition("unsupported_grant_type", "this grant is not supported", .unsupportedGrantType)
        case .invalidScope: Definition("invalid_scope", "the scope is unknown, malformed or too wide", .invalidScope)
        // RFC 6585 section 4.
        case .loginThrottled: Definition("temporarily_unavailable", "too many attempts", .loginThrottled)
        case .clientThrottled: Definition("temporarily_unavailable", "too many attempts", .clientThrottled)
        case .invalidGrant: Definition("invalid_grant", "invalid user name or password", .invalidGrant)
        // RFC 7521 section 4.2.1.
        case .invalidClientAssertion:
            Definition("invalid_client", "client authentication failed", .clientAssertionInvalid)
        case .replayedClientAssertion:
            Definition("invalid_client", "client authentication failed", .clientAssertionReplayed)
        case .unknownClientAssertionType:
            Definition(badRequest, "unknown client_assertion_type", .clientAssertionTypeUnknown)
        case .invalidRefreshToken:
            Definition("invalid_grant", "invalid refresh token", .refreshTokenInvalid)
        case .refreshTokenReused: Definition("invalid_grant", "invalid refresh token", .refreshTokenReused)
        case .invalidCode: Definition("invalid_grant", "invalid code", .codeInvalid)
        case .reusedCode: Definition("invalid_grant", "invalid code", .codeReused)
        case .wrongCodeVerifier: Definition("invalid_grant", "invalid code", .codeVerifierWrong)
        case .invalidDeviceCode: Definition("invalid_grant", "invalid device code", .deviceCodeInvalid)
        case .devicePending: Definition("authorization_pending", "the user has not decided yet", .devicePending)
        case .devicePolledTooSoon:
            Definition("slow_down", "wait five seconds longer between requests", .devicePolledTooSoon)
        case .deviceDenied: Definition("access_denied", "the user has denied access", .deviceAccessDenied)
        case .expiredDeviceCode: Definition("expired_token", "the device code has expired", .deviceCodeExpired)
        case .foreignOrigin:
            Definition("unauthorized_client", "this client is not used from this origin", .clientOriginForeign)
        case .grantNotAllowed:
            Definition("unauthorized_client", "this client may not use this grant", .grantNotAllowed)
        // RFC 7009 section 2.1.
        case .tokenOfAnotherClient:
            Definition("invalid_grant", "the token is another client's", .tokenOfAnotherClient)
        case .introspectionNotAllowed:
            Definition("unauthorized_client", "this client may not ask", .introspectionNotAllowed)
        case .exchangeNotAllowed:
            Definition("unauthorized_client", "no exchange for this client", .exchangeNotAllowed)
        // RFC 8693 section 2.2.2.
        case .unsupportedTokenType:
            Definition(badRequest, "this type of token is not supported", .tokenTypeUnsupported)
        case .invalidSubjectToken: Definition(badRequest, "invalid subject_token", .subjectTokenInvalid)
        case .invalidActorToken: Definition(badRequest, "invalid actor_token", .actorTokenInvalid)
        case .invalidTarget: Definition("invalid_target", "no token for this target", .invalidTarget)
        // RFC 9449 sections 5 and 8.
        case .invalidProof: Definition("invalid_dpop_proof", "invalid DPoP proof", .tokenProofInvalid)
        case .proofNonceRequired:
            Definition("use_dpop_nonce", "a nonce is required in the DPoP proof", .tokenProofNonceRequired)
        case .proofRequired:
            Definition(badRequest, "a DPoP proof or a client certificate is required", .tokenProofRequired)
        // JWT-23.
        case .clientNotAllowed:
            Definition("unauthorized_client", "no exchange for this client", .assertionClientNotAllowed)
        // JWT-35.
        case .keysUnavailable:
            Definition("temporarily_unavailable", "try again later", .assertionKeysUnavailable)
        // Says nothing about the client's credentials.
        case .storeUnavailable:
            Definition("temporarily_unavailable", "try again later", .tokenStoreUnavailable)
        // JTX-12.
        case .issuerUnavailable:
            Definition("temporarily_unavailable", "try again later", .tokenIssuerUnavailable)
        case .missingBackend:
            Definition(badRequest, TokenFailure.missingID, .ssoBackendMissing)
        case .unknownBackend: Definition("invalid_client", "no such backend", .ssoBackendUnknown)
        case .basicNotEnabled:
            Definition("unauthorized_client", "HTTP Basic is off for this backend", .ssoBasicNotEnabled)
        case .ssoBackendNotAllowed:
            Definition("unauthorized_client", "no exchange for this backend", .ssoBackendNotAllowed)
        case .twoSignOns:
            Definition(badRequest, "a bearer token and clientID at once", .ssoTwoCredentials)
        // DEC-09.
        case .samlUnavailable:
            Definition("server_error", "this gateway has no SAML", .samlUnavailable)
        // AOM-01.
        case .conflictingApplication:
            Definition(badRequest, "app differs from client_id", .tokenConflictingApplication)
        case .invalidParameter: Definition(badRequest, "a parameter is invalid", .tokenInvalidParameter)
        // FB-03.
        case .providerUnavailable:
            Definition("temporarily_unavailable", "try again later", .identityProviderUnavailable)
        }
    }

    package var reason: Reason { definition.reason }
    package var detail: String { definition.description }

    package var fields: [(name: String, value: String)] {
        switch self {
        case .methodNotAllowed: [(name: "Allow", value: "POST")]
        // RFC 9110 section 15.5.2 requires a challenge, although the bearer token was not at fault.
        case .unknownBackend: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)]
        case .invalidClient, .invalidClientAssertion, .replayedClientAssertion:
            [(name: "WWW-Authenticate", value: #"Basic realm="portcullis""#)]
        default: []
        }
    }

    package var shape: EndpointResponse { .tokenError(definition.error, detail, reason) }
}
