import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var loggedOut: Reason { .served("logged_out") }
    package static var loginForm: Reason { .served("login_form") }
    package static var loginChoice: Reason { .served("login_choice") }
    package static var browserLoggedIn: Reason { .served("browser_logged_in") }
    package static var logoutForm: Reason { .served("logout_form") }
    package static var loginAtProvider: Reason { .served("login_at_provider") }
    package static var providerAnswerTaken: Reason { .served("provider_answer_taken") }
    package static var providerLogout: Reason { .served("provider_logout") }
    package static var ssoLoginAsked: Reason { .served("sso_login_asked") }
    package static var errorPage: Reason { .served("error_page") }

    // Logout by an identity provider
    package static var oicUnknownService: Reason { Reason("oic_unknown_service", 404) }

    // Login pages and single sign-on
    package static var loginUnknownService: Reason { Reason("login_unknown_service", 404) }
    package static var loginWithoutProvider: Reason { Reason("login_without_provider", 404) }
    package static var loginUnknownProvider: Reason { Reason("login_unknown_provider", 404) }
    package static var loginLevelUnreachable: Reason { Reason("login_level_unreachable", 403) }
    package static var loginTooWeak: Reason { Reason("login_too_weak", 403) }
    package static var loginTooOld: Reason { Reason("login_too_old", 403) }
    package static var loginUnknownApplication: Reason { Reason("login_unknown_application", 404) }
    package static var loginRequestMalformed: Reason { Reason("login_request_malformed", 400) }
    package static var loginRedirectForeign: Reason { Reason("login_redirect_foreign", 400) }
    package static var loginFormForeign: Reason { Reason("login_form_foreign", 403) }
    package static var loginFormExpired: Reason { Reason("login_form_expired", 403) }
    package static var loginSessionOversized: Reason { Reason("login_session_oversized", 403) }

    // Identity providers
    package static var providerDenied: Reason { Reason("provider_denied", 403) }
    package static var providerCallbackMalformed: Reason { Reason("provider_callback_malformed", 400) }
    package static var providerAnswerForeign: Reason { Reason("provider_answer_foreign", 400) }
    package static var providerCodeRefused: Reason { Reason("provider_code_refused", 400) }
    package static var providerNonceWrong: Reason { Reason("provider_nonce_wrong", 400) }
    package static var providerTokenInvalid: Reason { Reason("provider_token_invalid", 502) }
    package static var providerAssertionInvalid: Reason { Reason("provider_assertion_invalid", 400) }
    package static var providerInvalidAnswer: Reason { Reason("provider_invalid_answer", 502) }
    package static var providerMisconfigured: Reason { Reason("provider_misconfigured", 502) }
    package static var providerUnavailable: Reason { Reason("provider_unavailable", 503, retryAfter: 5) }
    package static var providerUsernameMissing: Reason { Reason("provider_username_missing", 403) }
    package static var providerUsernameUnusable: Reason { Reason("provider_username_unusable", 403) }
    package static var providerTokenOfClient: Reason { Reason("provider_token_of_client", 403) }
    package static var providerUserUnknown: Reason { Reason("provider_user_unknown", 403) }
    package static var providerUserAmbiguous: Reason { Reason("provider_user_ambiguous", 403) }
    package static var providerUserDisabled: Reason { Reason("provider_user_disabled", 403) }
    package static var providerEmailUnverified: Reason { Reason("provider_email_unverified", 403) }
    package static var providerLogoutMalformed: Reason { Reason("provider_logout_malformed", 400) }
}
