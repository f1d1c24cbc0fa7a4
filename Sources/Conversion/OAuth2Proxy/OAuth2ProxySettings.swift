/// Settings of oauth2-proxy that no part of the conversion translates.
enum OAuth2ProxySettings {
    enum Fate {
        case unneeded(String)
        /// Not needed with this value, or an empty one; else the second text calls for attention.
        case unneededIf(String, String, String)
        case attention(String)
    }

    static let others: [String: Fate] = {
        var fates: [String: Fate] = [:]
        for (names, fate) in groups { for name in names { fates[name] = fate } }
        return fates
    }()

    /// Settings that let only some users of a provider in, and that need calls of its own interface.
    static let ofProviders = [
        "github_org", "github_team", "github_repo", "github_users", "github_token", "gitlab_groups", "gitlab_projects",
        "google_group", "google_groups", "google_admin_email", "google_service_account_json",
        "google_use_application_default_credentials", "google_target_principal", "google_use_organization_id",
        "google_admin_api_user_scope", "bitbucket_team", "bitbucket_repository", "keycloak_groups", "azure_tenant",
        "azure_graph_group_field", "entra_id_allowed_tenants",
    ]

    static let durations: Set = ["cookie_expire", "cookie_refresh", "upstream_timeout"]
    static let lists: Set = [
        "upstreams", "skip_auth_regex", "skip_auth_routes", "email_domains", "allowed_groups", "allowed_roles",
        "extra_jwt_issuers", "trusted_proxy_ips", "provider_ca_files", "oidc_enabled_signing_algs",
    ]

    static func isKnown(_ name: String) -> Bool { others[name] != nil || ofProviders.contains(name) }

    private static let log = "the gateway writes an access log and events as JSON; see `log`"
    private static let page = "browsers are sent to the provider at once, and errors have a page of the gateway"
    private static let cookie = "the gateway's cookies are HttpOnly, for one host, and Secure with an https baseUrl"
    private static let flow = "every login uses PKCE with S256, a sealed state and a nonce"

    private static let dependent = "it is not translated, since the setting that it belongs to is not"

    private static let groups: [([String], Fate)] = [
        (
            [
                "scope", "prompt", "acr_values", "resource", "oidc_enabled_signing_algs", "oidc_email_claim",
                "oidc_issuer_url", "oidc_groups_claim", "provider", "provider_display_name", "provider_ca_files",
                "client_id", "client_secret", "client_secret_file", "cookie_expire", "cookie_refresh",
                "pass_basic_auth",
                "pass_user_headers", "prefer_email_to_user", "user_id_claim", "tls_cert_file", "tls_key_file",
                "tls_min_version", "http_address", "https_address", "force_https", "redirect_url", "reverse_proxy",
                "trusted_proxy_ips", "metrics_address", "upstreams", "pass_host_header", "upstream_timeout",
                "proxy_websockets", "skip_auth_regex", "skip_auth_routes", "skip_jwt_bearer_tokens",
                "extra_jwt_issuers", "email_domains", "authenticated_emails_file", "allowed_groups", "allowed_roles",
                "session_store_type", "ping_path",
            ], .attention(dependent)
        ),
        (
            [
                "redis_connection_url", "redis_username", "redis_password", "redis_ca_path", "redis_use_sentinel",
                "redis_use_cluster", "redis_insecure_skip_tls_verify", "redis_sentinel_password",
                "redis_sentinel_master_name", "redis_sentinel_connection_urls", "redis_cluster_connection_urls",
                "redis_connection_idle_timeout",
            ], .unneeded("it belongs to the session store redis")
        ),
        (
            [
                "auth_logging", "auth_logging_format", "request_logging", "request_logging_format", "standard_logging",
                "standard_logging_format", "errors_to_info_log", "exclude_logging_paths", "logging_local_time",
                "silence_ping_logging", "request_id_header", "logging_filename", "logging_max_size", "logging_max_age",
                "logging_max_backups", "logging_compress",
            ], .unneeded(log)
        ),
        (
            [
                "custom_templates_dir", "custom_sign_in_logo", "banner", "footer", "display_htpasswd_form",
                "show_debug_on_error", "skip_provider_button",
            ], .unneeded(page)
        ),
        (["api_routes"], .unneeded("requests that do not ask for HTML get 401 on every path")),
        (["force_json_errors"], .unneeded("requests that do not ask for HTML get JSON on every path")),
        (
            [
                "cookie_csrf_per_request", "cookie_csrf_per_request_limit", "cookie_csrf_expire",
                "cookie_csrf_samesite",
                "code_challenge_method", "force_code_challenge_method", "encode_state", "auth_request_response_mode",
            ], .unneeded(flow)
        ),
        (
            ["cookie_secret", "cookie_secret_file"],
            .unneeded("the gateway makes the key in `challenge.keyFile`; all browsers log in again once")
        ),
        (["cookie_name", "session_cookie_minimal"], .unneeded(cookie)),
        (["cookie_httponly"], .unneededIf("true", cookie, "cookies stay HttpOnly")),
        (
            ["cookie_secure"],
            .unneededIf(
                "true", cookie, "cookies are Secure where baseUrl is https; the setting itself has no equivalent"
            )
        ),
        (["cookie_path"], .unneededIf("/", cookie, "cookies are for all paths; routes decide where they count")),
        (["cookie_samesite"], .unneededIf("lax", cookie, "the attribute SameSite is always Lax")),
        (
            ["cookie_domains"],
            .attention(
                "cookies are for one host, so that browsers log in at each; name further hosts in additionalBaseUrls")
        ),
        (
            ["whitelist_domains"],
            .attention("a login leads back to the page of the gateway that began it, and to no other host")
        ),
        (
            ["trusted_ips"],
            .attention(
                "no address goes without a login; a route with \"public\" and \"addresses\" admits addresses to a path")
        ),
        (
            ["skip_auth_preflight"],
            .unneededIf(
                "false", "preflights need a login",
                "preflights are answered by the gateway for the origins of `cors`; name them there, others need a login"
            )
        ),
        (
            ["htpasswd_file"],
            .attention(
                "bcrypt hashes are not accepted; add these users by `portcullis users add`, and \"basic\" to authenticators of the routes"
            )
        ),
        (
            ["htpasswd_user_groups"],
            .attention("give the roles to the users by `portcullis users assign-role`")
        ),
        (
            ["ssl_insecure_skip_verify"],
            .unneededIf(
                "false", "certificates are always verified",
                "certificates of the provider are verified; name its authority in caFile of the provider")
        ),
        (
            ["ssl_upstream_insecure_skip_verify"],
            .unneededIf(
                "false", "certificates are always verified",
                "certificates of upstreams are verified; name their authority in tls.caFile of the upstream")
        ),
        (
            ["insecure_oidc_allow_unverified_email"],
            .unneededIf(
                "false", "addresses that the provider calls unverified are refused",
                "addresses that the provider calls unverified are refused")
        ),
        (
            ["insecure_oidc_skip_issuer_verification", "insecure_oidc_skip_nonce"],
            .unneededIf("false", flow, "issuer and nonce of the ID token are always verified")
        ),
        (
            ["skip_oidc_discovery"],
            .unneededIf(
                "false", "endpoints are found by discovery",
                "the gateway needs the discovery document of the issuer, or its place in discoveryUri")
        ),
        (
            ["login_url", "redeem_url", "profile_url", "oidc_jwks_url", "validate_url"],
            .unneeded("endpoints are found by discovery, for the provider and its keys")
        ),
        (["skip_claims_from_profile_url"], .unneeded("the user info is asked where the ID token lacks a claim")),
        (["approval_prompt"], .unneeded("OpenID Connect has `prompt` in its place")),
        (
            ["oidc_audience_claims", "oidc_extra_audiences", "oidc_public_key_files", "use_system_trust_store"],
            .attention(
                "ID tokens must be for the client id, in `aud`, and be signed by a key that the issuer publishes")
        ),
        (
            ["pass_access_token"],
            .unneededIf(
                "false", "the upstream gets no token",
                "not converted: \"tokens\": true of the login and \"injection\": {\"from\": \"login\"} forward the token"
            )
        ),
        (
            ["pass_authorization_header"],
            .unneededIf(
                "false", "the upstream gets no token",
                "the ID token is not forwarded; \"preset\": \"pomerium-jwt\" of requestHeaders signs who calls")
        ),
        (
            ["basic_auth_password"],
            .attention(
                "the upstream gets no Authorization field; it has to trust X-Forwarded-User, or a signed identity")
        ),
        (
            ["set_xauthrequest", "set_authorization_header", "set_basic_auth"],
            .unneededIf(
                "false", "there are no such fields in answers",
                "answers have no fields for nginx; a listener with forwardAuth decides for another proxy")
        ),
        (
            ["skip_auth_strip_headers"],
            .unneededIf("true", "fields of identity are always removed", "fields of identity are always removed")
        ),
        (
            ["signature_key"],
            .attention("requests have no GAP-Signature; \"preset\": \"pomerium-jwt\" of requestHeaders signs who calls")
        ),
        (
            ["proxy_prefix"],
            .attention("the paths of oauth2-proxy are gone: a logout is /oam/server/logout, a login begins by itself")
        ),
        (
            ["ready_path", "ping_user_agent"],
            .attention("a listener with \"role\": \"metrics\" has /readyz and /healthz")
        ),
        (["gcp_healthchecks"], .attention("let the health check ask /ping, or /healthz of a listener for metrics")),
        (["real_client_ip_header"], .attention("clients' addresses are those of X-Forwarded-For of trustedProxies")),
        (["relative_redirect_url"], .unneeded("the redirect URI is that of baseUrl, or of additionalBaseUrls")),
        (["allow_query_semicolons"], .unneeded("queries are forwarded as they are")),
        (["flush_interval", "disable_keep_alives"], .unneeded("responses are forwarded as they come")),
        (
            ["bearer_token_login_fallback"],
            .unneeded("a bad token is refused with 401, and leads to no login")
        ),
        (
            ["backend_logout_url"],
            .attention("a logout goes on to the provider's end_session_endpoint, to no other URL")
        ),
        (
            ["jwt_key", "jwt_key_file", "pubjwk_url"],
            .attention("the gateway shows who it is by clientKeyFile of the provider, with keys of its own")
        ),
        (
            ["entra_id_federated_token_auth"],
            .attention(
                "federated credentials are not read from a file; use clientSecret or clientKeyFile of the provider")
        ),
        (
            ["metrics_secure_address", "metrics_tls_cert_file", "metrics_tls_key_file"],
            .attention("write a listener with \"role\": \"metrics\" and \"tls\"")
        ),
        (
            ["tls_cipher_suites"],
            .attention("the built-in suites are used; `ciphers` and `cipherSuites` of tls name others")
        ),
    ]
}
