extension Reason {
    static let mobile: [Row] = [
        ("oic_unknown_service", 404, "No service domain has this service."),
        ("oic_unknown_application", 404, "The domain has no such application."),
        ("oic_wrong_content_type", 415, "The body is not `application/json`."),
        ("oic_malformed_body", 400, "The body cannot be read, or has a member twice."),
        ("oic_malformed_query", 400, "The query cannot be read, or has a parameter twice."),
        ("oic_credential_in_query", 400, "A credential stands in the query, where it would be logged."),
        ("oic_unknown_version", 400, "`X-IDAAS-REST-VERSION` is not `v1`."),
        ("oic_malformed_attribute", 400, "An attribute has the wrong type."),
        ("oic_conflicting_attribute", 400, "An attribute differs between body and head."),
        ("oic_missing_attribute", 400, "An attribute is missing."),
        ("oic_unsupported_token_type", 400, "The call does not create tokens of this type."),
        ("oic_device_profile_too_long", 400, "The device profile exceeds 8 KiB."),
        ("oic_client_proof_missing", 401, "No client handle was sent."),
        ("oic_client_proof_invalid", 401, "The client handle is not the application's."),
        ("oic_wrong_password", 401, "The user name or the password is wrong."),
        ("login_forbidden", 403, "The server that verifies the password does not admit the user."),
        ("login_server_unavailable", 503, "The server that verifies passwords cannot be reached."),
        ("login_server_invalid_answer", 502, "The server that verifies passwords gives no usable answer."),
        ("login_server_misconfigured", 502, "The server that verifies passwords rejects the gateway."),
        ("login_server_not_asked", 503, #"The login is offline (`"offline": "offline"`), and no verifier matches."#),
        ("login_attempts_exceeded", 403, "The user is locked out for this application."),
        ("oic_user_token_invalid", 401, "The user token is unknown, has expired, or belongs to another client."),
        ("oic_level_too_low", 401, "The session has a lower level than the context requires; 403 at a webgate."),
        ("oic_scheme_wrong", 401, "The user logged in by a way that the webgate's scheme does not offer."),
        ("oic_context_invalid", 400, "The `request-ctx` has expired, or is not one of this gateway."),
        ("oic_resource_mismatch", 400, "The `request-ctx` is about another resource."),
        ("oic_resource_foreign", 400, "The resource is at none of `baseUrl`, `additionalBaseUrls` and the routes."),
        ("device_denied", 403, "A rule of `denyDevices` matches the device."),
        ("device_wipe", 403, "The device is marked to be wiped."),
        ("use_sso_agent", 403, "The application logs in by its single sign-on agent."),
        ("not_in_circle_of_trust", 403, "The agent asks for an application that takes no part."),
        ("use_identity_provider", 403, "The domain's users log in at an identity provider; a password was sent."),
        ("oic_code_invalid", 400, "The one-time code was used, is over a minute old, or is another application's."),
        ("oic_wrong_answer", 401, "The answer to the second step was wrong or late, or one too many."),
        ("second_step_missing", 403, "The user has no question or secret for the second step."),
    ]

    static let browser: [Row] = [
        ("login_unknown_service", 404, "No scheme has a login form for this service domain."),
        (
            "login_without_provider", 404,
            "An application sent a browser to log in at a service domain whose users log in with a password."
        ),
        ("login_unknown_provider", 404, "The service domain has no identity provider of this name."),
        ("login_level_unreachable", 403, "No login of the service domain has the level that the route requires."),
        (
            "login_too_weak", 403,
            "The identity provider did not confirm one of the levels (`acr`) that the route requires."
        ),
        (
            "login_too_old", 403,
            "The identity provider did not confirm a login (`auth_time`) as new as the route requires."
        ),
        ("login_unknown_application", 404, "The service domain has no such application, or it logs in by its agent."),
        ("login_request_malformed", 400, "A parameter of an application's login is missing, malformed or repeated."),
        ("login_redirect_foreign", 400, "The application may not have browsers sent to this address."),
        ("login_form_foreign", 403, "The form belongs to another browser or purpose, or cookies are off."),
        ("login_form_expired", 403, "The form was open for more than ten minutes."),
        ("login_session_oversized", 403, "The user's roles do not fit into a cookie of 4096 bytes. Map fewer roles."),
        (
            "login_host_foreign", 421,
            "A login began under a host of neither `baseUrl` nor `additionalBaseUrls`, and cannot go on at `baseUrl`."
        ),
        ("sso_client_missing", 400, "`clientID` is missing or empty; names are case-sensitive."),
        ("sso_repeated_parameter", 400, "A parameter is repeated."),
        ("sso_malformed_parameter", 400, "`state` exceeds 1024 bytes, or has control characters."),
        ("sso_not_enabled", 400, "No client with single sign-on has this `clientID`."),
        ("sso_redirect_not_allowed", 400, "The white list does not have the `redirect_uri`."),
        ("sso_not_navigated", 403, "A page sent the request; it was no navigation of the user."),
        ("sso_request_foreign", 403, "The login began in another browser, or more than an hour ago."),
        ("sso_wrong_realm", 403, "The user is not in the client's realm."),
        ("sso_capture_empty", 400, "The page that shows a `SAMLResponse` received none."),
        ("sso_unavailable", 503, "The token store, or the issuer of the client, does not answer."),
    ]

    /// Those without a status are sent to the client's redirect URI.
    static let authorization: [Row] = [
        ("authorization_client_unknown", 400, "No client with `redirectUris` has this `client_id`."),
        ("authorization_redirect_foreign", 400, "`redirect_uri` is missing, or none of the client's `redirectUris`."),
        ("authorization_malformed", 0, "A parameter is missing, malformed, too long or not supported."),
        ("authorization_repeated_parameter", 0, "A parameter is repeated."),
        ("authorization_type_unsupported", 0, "`response_type` is not `code`."),
        ("authorization_challenge_missing", 0, "`code_challenge` with the method `S256` is missing."),
        ("authorization_request_unsupported", 0, "`request`, `request_uri` and `registration` are not supported."),
        ("authorization_scope_invalid", 0, "The scope is malformed, or has no scope that is configured."),
        ("authorization_login_required", 0, "`prompt=none`, and the user has to log in."),
        ("authorization_consent_required", 0, "`prompt=none`, and the user has to consent."),
        ("authorization_denied", 0, "The user has denied access."),
        ("authorization_unavailable", 0, "The token store does not answer."),
        ("authorization_not_pushed", 0, "The client has `requirePushedRequests`, and the request was not pushed."),
        ("authorization_reference_unknown", 400, "The `request_uri` is unknown, expired, used or another client's."),
        ("device_user_code_unknown", 400, "No device waits with this code."),
        (
            "logout_request_invalid", 400,
            "An application's logout has an invalid `id_token_hint` or `client_id`, or a foreign address."
        ),
    ]

    static let provider: [Row] = [
        ("provider_denied", 403, "The identity provider or its user denied the login."),
        ("provider_callback_malformed", 400, "No code and no error, or a form posted over a minute ago."),
        ("provider_answer_foreign", 400, "The answer comes from another provider than the one that was asked."),
        ("provider_code_refused", 400, "The provider rejects the code: used, too old, or of another login."),
        ("provider_nonce_wrong", 400, "The ID token was made for another login."),
        ("provider_token_invalid", 502, "The ID token fails verification: signature, issuer, audience or dates."),
        ("provider_assertion_invalid", 400, "The SAML answer fails verification; `detail` of the event has the cause."),
        ("provider_invalid_answer", 502, "A document of the provider, or a claim, is missing or invalid."),
        ("provider_misconfigured", 502, "The provider rejects the gateway. Check its client credentials."),
        ("provider_unavailable", 503, "The provider, its keys or the token store do not answer."),
        ("provider_username_missing", 403, "The provider names no user."),
        ("provider_username_unusable", 403, "The user name cannot be carried in a header field."),
        ("provider_token_of_client", 403, "The token belongs to an application, not to a user."),
        ("provider_user_unknown", 403, "The realm has no such user."),
        ("provider_user_ambiguous", 403, "Several accounts match the user."),
        ("provider_user_disabled", 403, "The account is disabled."),
        ("provider_email_unverified", 403, "The name is an e-mail address that the provider has not verified."),
        ("provider_logout_malformed", 400, "The provider posted no logout token."),
    ]
}
