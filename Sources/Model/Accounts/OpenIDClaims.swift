/// The claims of ID tokens and user information that the gateway writes (OpenID Connect Core sections 2 and 5.1).
package enum OpenIDClaims {
    package static let names = ofTokens + ["preferred_username"] + ofNames + profile + ["email", "email_verified"]

    /// Claims that say what a token is for, to this server or to others.
    package static let reserved =
        ofTokens + [
            "acr", "act", "azp", "c_hash", "client_id", "cnf", "events", "jti", "may_act", "nbf", "scope", "s_hash",
            "typ",
        ]

    /// Those that say what a token is, and for which login.
    package static let ofTokens = [
        "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "amr", "sid", "at_hash",
    ]

    /// Those of the scope `profile` that accounts have, too.
    package static let ofNames = ["name", "given_name", "family_name"]

    /// Those of the scope `profile` that identity providers alone have.
    package static let profile = [
        "middle_name", "nickname", "profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale",
        "updated_at",
    ]
}
