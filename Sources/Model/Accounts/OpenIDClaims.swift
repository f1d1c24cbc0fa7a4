/// The claims of ID tokens and user information that the gateway writes (OpenID Connect Core sections 2 and 5.1).
package enum OpenIDClaims {
    package static let names = [
        "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "amr", "sid", "at_hash", "preferred_username",
        "name", "given_name", "family_name", "email",
    ]
}
