extension InvalidCase {
    private static func backend(_ more: String) -> [String: String] {
        ["backends.json": "[{ \"name\": \"a\", \"version\": \"1\", \"mobileBackendId\": \"m\",\n\(more) }]"]
    }

    private static func dpop(_ section: String) -> [String: String] {
        ["gateway.json": ConfigurationDirectory.gateway("\"dpop\": \(section)")]
    }

    private static let client = #""clientId": "c", "clientSecret": "s""#

    /// Tokens that are bound to keys (RFC 9449, RFC 8705).
    static let proofCases: [InvalidCase] = [
        InvalidCase(
            "proof-value", routes(route("/a", #""proof": "always""#)),
            #"routes.json:2: error: /routes/0/proof: invalid value (expected "optional" or "required", found "always")"#
        ),
        InvalidCase(
            "public-with-proof", routes(route("/a", "\"public\": true,\n\"proof\": \"required\"")),
            #"routes.json:3: error: /routes/0/proof: a public route has no proof (expected either "public" or "proof")"#
        ),
        InvalidCase(
            "proof-lifetime", dpop(#"{"proofLifetime": "301s"}"#),
            #"gateway.json:5: error: /dpop/proofLifetime: out of range (expected a duration from "1s" to "300s", found "301s")"#
        ),
        InvalidCase(
            "proof-lifetime-short", dpop(#"{"proofLifetime": "999ms"}"#),
            #"gateway.json:5: error: /dpop/proofLifetime: out of range (expected a duration from "1s" to "300s", found "999ms")"#
        ),
        InvalidCase(
            "bound-without-client", backend(#""dpopBoundAccessTokens": true"#),
            #"backends.json:2: error: /backends/0/dpopBoundAccessTokens: "dpopBoundAccessTokens" needs "clientId" (expected "clientId")"#
        ),
        InvalidCase(
            "bound-with-sso",
            backend(client + #", "enableSso": true, "tlsClientCertificateBoundAccessTokens": true"#),
            #"backends.json:2: error: /backends/0/enableSso: single sign-on gives browsers tokens that are not bound (expected no "enableSso", or tokens that are not bound)"#,
            #"backends.json:2: error: /backends/0/enableSso: logins are not set up: the backend has no identity provider (expected "identityProvider" beside it, or one of kind "local" in identityProviders.json)"#
        ),
    ]
}
