extension InvalidCase {
    /// Requirements on the login of a caller (RFC 9470).
    static let loginCases: [InvalidCase] = [
        InvalidCase(
            "acr-none", routes(route("/a", #""acr": []"#)),
            #"routes.json:2: error: /routes/0/acr: the list is empty (expected at least one level, or no "acr")"#
        ),
        InvalidCase(
            "acr-blank", routes(route("/a", #""acr": ["mfa", "a b"]"#)),
            #"routes.json:2: error: /routes/0/acr/1: invalid level (expected visible ASCII without blank, quote and backslash, found "a b")"#
        ),
        InvalidCase(
            "max-age-short", routes(route("/a", #""maxAge": "999ms""#)),
            #"routes.json:2: error: /routes/0/maxAge: out of range (expected a duration from "1s", found "999ms")"#
        ),
        InvalidCase(
            "public-with-acr", routes(route("/a", "\"public\": true,\n\"acr\": \"mfa\"")),
            #"routes.json:3: error: /routes/0/acr: a public route has no acr (expected either "public" or "acr")"#
        ),
        InvalidCase(
            "optional-with-max-age", routes(route("/a", "\"identity\": \"optional\",\n\"maxAge\": \"5m\"")),
            #"routes.json:3: error: /routes/0/maxAge: a route for callers without a credential cannot require "maxAge" (expected either "identity": "optional" or "maxAge")"#
        ),
        InvalidCase(
            "trusted-acr-from-amr",
            [
                "trustedIssuers.json":
                    #"[{"name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksFile": "keys.txt", "acrFromAmr": {"otp": ""}}]"#,
                "keys.txt": "{}",
            ],
            #"trustedIssuers.json:1: error: /trustedIssuers/0/acrFromAmr/otp: invalid value (expected a non-empty string without control characters, found "")"#
        ),
    ]
}
