import Bytes

/// Why a request is refused. The raw value is the stable code that stands in the access log, the metrics and
/// `portcullis explain`; what the client sees of it is `publicCode`.
package enum DenialReason: String, Error, Sendable, CaseIterable {
    /// No route and no endpoint has this host and path (GW-01).
    case noRoute = "no_route"
    /// The most specific pattern for the path does not have the method.
    case methodNotAllowed = "method_not_allowed"
    /// The path has a second reading: encoded slash, dot segment or NUL (ROLE-05).
    case ambiguousPath = "ambiguous_path"
    /// The `Origin` is not one of those allowed (CORS-01).
    case corsDenied = "cors_denied"
    /// More than one `Origin`, or more than one requested method (CORS-08).
    case corsMalformed = "cors_malformed"
    /// The endpoint takes credentials, and the request came in the clear (GW-13).
    case tlsRequired = "tls_required"
    /// The client showed no certificate, and the route asks for one.
    case certificateRequired = "client_certificate_required"
    /// The client's certificate is not one of those that the route lets in.
    case certificateNotAllowed = "client_certificate_not_allowed"
    /// More than one `Authorization` field (ISS-08).
    case duplicateCredential = "duplicate_credential"

    /// No credential was sent.
    case missingCredential = "missing_credential"
    /// The scheme of `Authorization` is none that is known here.
    case unsupportedScheme = "unsupported_scheme"
    /// The credential does not have the form of its scheme.
    case malformedCredential = "malformed_credential"
    /// What was sent as a token is none.
    case malformedToken = "malformed_token"
    /// The token is encrypted, or signed in a way that is not accepted for its issuer and key.
    case unsupportedAlgorithm = "unsupported_algorithm"
    /// The issuer has no key that the token could be signed with.
    case unknownKey = "unknown_key"
    case badSignature = "bad_signature"
    /// The token is sound, but not an access token for here: a claim is missing or its lifetime too long.
    case invalidToken = "invalid_token"
    case tokenExpired = "token_expired"
    case tokenNotYetValid = "token_not_yet_valid"
    /// The token stands on the deny list.
    case tokenRevoked = "token_revoked"
    /// Nobody knows whether the token is revoked: the store has not answered for too long.
    case storeUnavailable = "store_unavailable"
    /// No trusted issuer has the `iss` of the token.
    case unknownIssuer = "unknown_issuer"
    case wrongAudience = "wrong_audience"
    /// The token was made for another purpose than access, such as an ID token or a logout token (RFC 8725 section 3.11).
    case wrongTokenType = "wrong_token_type"
    /// The token is bound to a key of the client, and came as a plain bearer token (RFC 7800).
    case proofRequired = "proof_required"
    /// The token is valid, but its subject may not be a principal here (mapping rules, deleted user).
    case unknownSubject = "unknown_subject"
    /// Basic without `Oracle-Mobile-Backend-ID` (BASIC-03).
    case missingBackend = "missing_backend"
    /// No backend has the id that was sent, or the one the token was made for (BASIC-03).
    case unknownBackend = "unknown_backend"
    /// `httpBasic` is off for the backend (MBE-03).
    case basicDisabled = "basic_disabled"
    /// `oauthConsumer` is off for the backend of the token (MBE-02).
    case oauthDisabled = "oauth_disabled"
    /// User and password do not belong together.
    case wrongPassword = "wrong_password"
    /// Too many passwords were wrong already: this one was not looked at.
    case loginThrottled = "login_throttled"
    /// The route takes users alone, and this is a client or the anonymous key (ROLE-02).
    case loginRequired = "login_required"
    /// The route takes social logins alone (AMB-30).
    case socialLoginRequired = "social_login_required"
    /// The backend takes Facebook logins alone, and this is another one (FB-04).
    case socialLoginOnly = "social_login_only"
    /// A route of an application was asked without `X-Apiomat-Apikey` (AOM-16).
    case missingApplicationKey = "missing_application_key"
    /// The token is bound to another Webgate than that of the route (DEC-06).
    case wrongWebgate = "wrong_webgate"
    /// The session of the token has lain idle for too long (OMS-09).
    case sessionIdle = "session_idle"
    /// What came as the session cookie is none, or of somebody of another realm (SCH-02).
    case invalidSession = "session_invalid"
    /// The login by browser was too long ago (OMS-08).
    case sessionExpired = "session_expired"
    /// A change by cookie, or a login, that does not come from a page of the gateway's own.
    case crossSiteRequest = "cross_site_request"
    /// The credential was obtained at a lower level than the route asks for (CHAL-06).
    case stepUpRequired = "step_up_required"

    /// The keys of the token's issuer cannot be had, so that nobody can say what the token is worth (JWT-35).
    case keysUnavailable = "keys_unavailable"

    /// `Oracle-Mobile-Backend-ID` names another backend than the credential (ISS-06).
    case backendMismatch = "backend_mismatch"
    /// The route is not one of the credential's backend (ISS-07).
    case backendNotAllowed = "backend_not_allowed"
    /// The token is of another application than the route, or of none, or the key is another application's (AOM-16).
    case applicationMismatch = "application_mismatch"
    /// The token is for reading alone (AOM-08).
    case insufficientScope = "insufficient_scope"
    /// A role is missing, or one is held that is excluded (ROLE-01).
    case roleRequired = "role_required"

    /// The provider that could say whose token it is does not answer (FB-03).
    case providerUnavailable = "identity_provider_unavailable"
    /// The server that knows what the token is worth does not answer as it should (RFC 7662).
    case introspectionUnavailable = "introspection_unavailable"
    /// The session was made by a login that the scheme of the route does not offer (CACHE-11).
    case wrongScheme = "wrong_scheme"

    /// The HTTP status: 401 for credentials, 403 for rights (GW-10), 503 for what others fail to do.
    package var status: Int {
        switch self {
        case .noRoute: 404
        case .methodNotAllowed: 405
        case .ambiguousPath, .corsMalformed, .duplicateCredential: 400
        case .corsDenied, .tlsRequired, .certificateRequired, .certificateNotAllowed, .backendMismatch,
            .backendNotAllowed, .applicationMismatch, .insufficientScope, .roleRequired, .crossSiteRequest:
            403
        case .providerUnavailable, .storeUnavailable: 503
        case .missingCredential, .unsupportedScheme, .malformedCredential, .malformedToken, .unsupportedAlgorithm,
            .unknownKey, .badSignature, .invalidToken, .tokenExpired, .tokenNotYetValid, .tokenRevoked, .unknownIssuer,
            .wrongAudience, .wrongTokenType, .proofRequired, .unknownSubject, .missingBackend, .unknownBackend,
            .basicDisabled, .oauthDisabled,
            .wrongPassword, .loginRequired, .socialLoginRequired, .socialLoginOnly, .missingApplicationKey,
            .stepUpRequired, .wrongWebgate, .sessionIdle, .invalidSession, .sessionExpired, .wrongScheme:
            401
        case .loginThrottled: 429
        case .introspectionUnavailable, .keysUnavailable: 503
        }
    }

    /// Seconds for a `Retry-After`; nil where waiting does not help.
    package var retryAfterSeconds: Int? {
        switch self {
        case .loginThrottled: 30
        case .storeUnavailable, .introspectionUnavailable, .providerUnavailable: 1
        case .keysUnavailable: 5
        default: nil
        }
    }

    /// One sentence for operators: what happened. Never sent to clients.
    package var summary: StaticString {
        switch self {
        case .noRoute: "no route has this host and path"
        case .methodNotAllowed: "the route does not have this method"
        case .ambiguousPath: "the path can be read in more than one way"
        case .corsDenied: "the origin is not allowed"
        case .corsMalformed: "more than one Origin or Access-Control-Request-Method"
        case .tlsRequired: "credentials came in the clear to an endpoint that takes them over TLS alone"
        case .certificateRequired: "the route takes clients with a certificate only, and none was shown"
        case .certificateNotAllowed: "the client's certificate is none of those that the route lets in"
        case .duplicateCredential: "more than one Authorization field"
        case .missingCredential: "no credential was sent"
        case .unsupportedScheme: "the Authorization scheme is not supported"
        case .malformedCredential: "the credential does not have the form of its scheme"
        case .malformedToken: "what was sent as a token is none"
        case .unsupportedAlgorithm: "the token is protected in a way that is not accepted"
        case .unknownKey: "no key of the issuer fits the token"
        case .badSignature: "the signature of the token is wrong"
        case .invalidToken: "the token is not an access token for this gateway"
        case .tokenExpired: "the token has expired"
        case .tokenNotYetValid: "the token is not valid yet"
        case .tokenRevoked: "the token was revoked"
        case .storeUnavailable: "the store does not say which tokens are revoked"
        case .unknownIssuer: "the issuer of the token is not trusted"
        case .wrongAudience: "the token is for another audience"
        case .wrongTokenType: "the token was made for another purpose than access"
        case .proofRequired: "the token is bound to a key and came without a proof of possession"
        case .unknownSubject: "the subject of the token is not accepted"
        case .missingBackend: "Basic was sent without Oracle-Mobile-Backend-ID"
        case .unknownBackend: "no backend has this id"
        case .basicDisabled: "HTTP Basic is off for the backend"
        case .oauthDisabled: "OAuth Consumer is off for the backend"
        case .wrongPassword: "user and password do not belong together"
        case .keysUnavailable: "the keys of the token's issuer cannot be had"
        case .loginThrottled: "too many wrong passwords for the user or from the address"
        case .loginRequired: "the route takes logged-in users only"
        case .socialLoginRequired: "the route takes social logins only"
        case .socialLoginOnly: "the backend takes Facebook logins only"
        case .missingApplicationKey: "the route of an application was asked without X-Apiomat-Apikey"
        case .wrongWebgate: "the token is bound to another Webgate than the route's"
        case .wrongScheme: "the session was made by a login that the route's authentication scheme does not offer"
        case .sessionIdle: "the session of the token has lain idle for too long"
        case .invalidSession: "the session cookie is none of ours, or of another realm"
        case .sessionExpired: "the login by browser was too long ago"
        case .crossSiteRequest: "a change by cookie, or a login, does not come from a page of the gateway's own"
        case .stepUpRequired: "the credential was obtained at too low a level"
        case .backendMismatch: "Oracle-Mobile-Backend-ID differs from the backend of the credential"
        case .backendNotAllowed: "the route does not belong to the backend of the credential"
        case .applicationMismatch: "token or API key are not those of the route's application"
        case .insufficientScope: "the token is for reading only"
        case .providerUnavailable: "the identity provider could not be asked"
        case .roleRequired: "the caller does not have the roles that the route asks for"
        case .introspectionUnavailable: "the server that knows the token does not answer as it should"
        }
    }

    /// The `error` of a `Bearer` challenge (RFC 6750 section 3.1, RFC 9470 section 3); nil where no bearer token was
    /// sent, which then must not be hinted at.
    package var bearerError: StaticString? {
        switch self {
        case .malformedToken, .unsupportedAlgorithm, .unknownKey, .badSignature, .invalidToken, .tokenExpired,
            .tokenNotYetValid, .tokenRevoked, .unknownIssuer, .wrongAudience, .wrongTokenType, .proofRequired,
            .unknownSubject, .oauthDisabled, .wrongWebgate, .sessionIdle:
            "invalid_token"
        case .stepUpRequired, .loginRequired, .socialLoginRequired, .wrongScheme: "insufficient_user_authentication"
        default: nil
        }
    }
}
