import Bytes
import Identity

/// Why the token endpoint gives no token: the error table of RFC 6749 section 5.2 with the reasons told apart for the
/// log. Clients see `error` and a description that says nothing about which part of a credential was wrong.
package enum TokenFailure: Error, Sendable, CaseIterable {
    case methodNotAllowed, bodyTooLarge
    case wrongContentType, malformedForm, repeatedParameter, credentialInQuery
    case repeatedAuthorization, twoCredentials, conflictingClientID
    case missingGrantType, missingParameter
    case invalidClient, unauthorizedClient
    case unsupportedGrantType, invalidScope, invalidGrant
    case invalidClientAssertion, replayedClientAssertion, unknownClientAssertionType
    case invalidRefreshToken, refreshTokenReused
    case tokenOfAnotherClient, introspectionNotAllowed
    case exchangeNotAllowed, unsupportedTokenType, invalidSubjectToken, invalidActorToken, invalidTarget
    case backendNotAllowed, keysUnavailable
    case storeUnavailable, issuerUnavailable
    /// `Oracle-Mobile-Backend-ID` is missing or repeated, or names nobody (AMB-11).
    case missingBackend, unknownBackend
    /// The backend has HTTP Basic off (SAML-02), or is none of the issuer's `allowedMbes`.
    case basicNotEnabled, ssoBackendNotAllowed
    /// A bearer token and `clientID` at once (CON-16).
    case twoSignOns
    case samlUnavailable
    case conflictingApplication, invalidParameter, providerUnavailable
    case loginThrottled
    /// Too many secrets of the client, or from the address, were wrong.
    case clientThrottled

    /// What a login that failed is answered with: both halves of a password credential fail alike.
    init(_ refusal: PasswordLogin.Refusal) {
        switch refusal {
        case .wrongPassword: self = .invalidGrant
        case .throttled: self = .loginThrottled
        }
    }

    package struct Definition: Sendable {
        package let status: Int
        /// `error` of the reply.
        package let error: String
        /// `error_description` of the reply.
        package let description: String
        /// Stable code for the log.
        package let reason: StaticString

        init(_ status: Int, _ error: String, _ description: String, _ reason: StaticString) {
            self.status = status
            self.error = error
            self.description = description
            self.reason = reason
        }
    }

    package var definition: Definition {
        let badRequest = "invalid_request"
        return switch self {
        // RFC 6749 section 3.2 and OAUTH-08.
        case .methodNotAllowed: Definition(405, badRequest, "use POST", "method_not_allowed")
        case .bodyTooLarge: Definition(413, badRequest, "the body is too large", "body_too_large")
        case .wrongContentType:
            Definition(400, badRequest, "use application/x-www-form-urlencoded", "token_wrong_content_type")
        case .malformedForm: Definition(400, badRequest, "the form can't be decoded", "token_malformed_form")
        case .repeatedParameter: Definition(400, badRequest, "a parameter is repeated", "token_repeated_parameter")
        // RFC 6749 section 2.3.1: credentials in the URI end up in logs.
        case .credentialInQuery:
            Definition(400, badRequest, "credentials belong into the body", "token_credential_in_query")
        // ISS-08.
        case .repeatedAuthorization:
            Definition(400, badRequest, "more than one Authorization field", "repeated_authorization")
        // RFC 6749 section 2.3.
        case .twoCredentials:
            Definition(400, badRequest, "more than one client authentication", "token_two_credentials")
        case .conflictingClientID:
            Definition(400, badRequest, "client_id differs from the Authorization field", "token_conflicting_client_id")
        case .missingGrantType: Definition(400, badRequest, "grant_type is missing", "token_missing_grant_type")
        case .missingParameter: Definition(400, badRequest, "a parameter is missing", "token_missing_parameter")
        // OAUTH-06.
        case .invalidClient: Definition(401, "invalid_client", "client authentication failed", "invalid_client")
        // MBE-02.
        case .unauthorizedClient:
            Definition(400, "unauthorized_client", "OAuth is off for this client", "unauthorized_client")
        case .unsupportedGrantType:
            Definition(400, "unsupported_grant_type", "this grant is not supported", "unsupported_grant_type")
        case .invalidScope: Definition(400, "invalid_scope", "the scope is malformed", "invalid_scope")
        // RFC 6585 section 4.
        case .loginThrottled: Definition(429, "temporarily_unavailable", "too many attempts", "login_throttled")
        case .clientThrottled: Definition(429, "temporarily_unavailable", "too many attempts", "client_throttled")
        case .invalidGrant: Definition(400, "invalid_grant", "invalid user name or password", "invalid_grant")
        // RFC 7521 section 4.2.1.
        case .invalidClientAssertion:
            Definition(401, "invalid_client", "client authentication failed", "client_assertion_invalid")
        case .replayedClientAssertion:
            Definition(401, "invalid_client", "client authentication failed", "client_assertion_replayed")
        case .unknownClientAssertionType:
            Definition(400, badRequest, "unknown client_assertion_type", "client_assertion_type_unknown")
        case .invalidRefreshToken:
            Definition(400, "invalid_grant", "invalid refresh token", "refresh_token_invalid")
        case .refreshTokenReused: Definition(400, "invalid_grant", "invalid refresh token", "refresh_token_reused")
        // RFC 7009 section 2.1.
        case .tokenOfAnotherClient:
            Definition(400, "invalid_grant", "the token is another client's", "token_of_another_client")
        case .introspectionNotAllowed:
            Definition(403, "unauthorized_client", "this client may not ask", "introspection_not_allowed")
        case .exchangeNotAllowed:
            Definition(400, "unauthorized_client", "no exchange for this client", "exchange_not_allowed")
        // RFC 8693 section 2.2.2.
        case .unsupportedTokenType:
            Definition(400, badRequest, "this type of token is not supported", "token_type_unsupported")
        case .invalidSubjectToken: Definition(400, badRequest, "invalid subject_token", "subject_token_invalid")
        case .invalidActorToken: Definition(400, badRequest, "invalid actor_token", "actor_token_invalid")
        case .invalidTarget: Definition(400, "invalid_target", "no token for this target", "invalid_target")
        // JWT-23.
        case .backendNotAllowed:
            Definition(400, "unauthorized_client", "no exchange for this client", "assertion_backend_not_allowed")
        // JWT-35.
        case .keysUnavailable:
            Definition(503, "temporarily_unavailable", "try again later", "assertion_keys_unavailable")
        // Nobody's credentials are bad for that.
        case .storeUnavailable:
            Definition(503, "temporarily_unavailable", "try again later", "token_store_unavailable")
        // JTX-12.
        case .issuerUnavailable:
            Definition(503, "temporarily_unavailable", "try again later", "token_issuer_unavailable")
        case .missingBackend:
            Definition(400, badRequest, "Oracle-Mobile-Backend-ID is missing", "sso_backend_missing")
        case .unknownBackend: Definition(401, "invalid_client", "no such backend", "sso_backend_unknown")
        case .basicNotEnabled:
            Definition(403, "unauthorized_client", "HTTP Basic is off for this backend", "sso_basic_not_enabled")
        case .ssoBackendNotAllowed:
            Definition(403, "unauthorized_client", "no exchange for this backend", "sso_backend_not_allowed")
        case .twoSignOns:
            Definition(400, badRequest, "a bearer token and clientID at once", "sso_two_credentials")
        // DEC-09.
        case .samlUnavailable:
            Definition(501, "server_error", "this gateway has no SAML", "saml_unavailable")
        // AOM-01.
        case .conflictingApplication:
            Definition(400, badRequest, "app differs from client_id", "token_conflicting_application")
        case .invalidParameter: Definition(400, badRequest, "a parameter is invalid", "token_invalid_parameter")
        // FB-03.
        case .providerUnavailable:
            Definition(503, "temporarily_unavailable", "try again later", "identity_provider_unavailable")
        }
    }

    /// The reply of a token endpoint.
    package var response: EndpointResponse {
        let definition = definition
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", definition.error)
        writer.member("error_description", definition.description)
        writer.endObject()
        var response = EndpointResponse.token(
            status: definition.status, body: writer.bytes, reason: definition.reason)
        switch self {
        case .methodNotAllowed: response.headers.append((name: "Allow", value: "POST"))
        case .loginThrottled, .clientThrottled:
            response.headers.append((name: "Retry-After", value: "30"))
        case .unknownBackend:
            // RFC 9110 section 15.5.2 wants a challenge; the bearer token was not what was wrong.
            response.headers.append((name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#))
        case .invalidClient, .invalidClientAssertion, .replayedClientAssertion:
            response.headers.append((name: "WWW-Authenticate", value: #"Basic realm="portcullis""#))
        case .keysUnavailable, .storeUnavailable, .issuerUnavailable, .providerUnavailable:
            response.headers.append((name: "Retry-After", value: "1"))
        default: break
        }
        return response
    }
}
