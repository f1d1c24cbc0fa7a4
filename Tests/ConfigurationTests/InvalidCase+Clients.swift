/// Mistakes in clients of the authorization endpoint.
extension InvalidCase {
    private static let form = #"[{"name": "local", "kind": "local"}]"#

    private static func backend(_ more: String, providers: String? = form) -> [String: String] {
        var files = [
            "backends.json":
                "[{ \"name\": \"a\", \"version\": \"1\", \"mobileBackendId\": \"m\", \"anonymousKey\": \"k\" },\n"
                + "{ \"name\": \"b\", \"version\": \"1\", \"mobileBackendId\": \"n\", \(more) }]"
        ]
        files["identityProviders.json"] = providers
        return files
    }

    private static func client(_ more: String, providers: String? = form) -> [String: String] {
        backend(#""clientId": "c", "clientSecret": "s", \#(more)"#, providers: providers)
    }

    private static func clientAlone(_ more: String) -> [String: String] { client(more, providers: nil) }

    static let clientCases: [InvalidCase] = [
        InvalidCase(
            "backend-redirect-fragment",
            client(#""redirectUris": ["https://app.example.com/cb#x"]"#),
            #"backends.json:2: error: /backends/1/redirectUris/0: invalid redirect URI: it must not have a fragment (expected an https URL, a URI with a scheme of the application, or http://127.0.0.1/ or http://[::1]/, found "https://app.example.com/cb#x")"#
        ),
        InvalidCase(
            "backend-redirect-clear",
            client(#""redirectUris": ["http://app.example.com/cb"]"#),
            #"backends.json:2: error: /backends/1/redirectUris/0: invalid redirect URI: http is for 127.0.0.1, [::1] and localhost alone (expected an https URL, a URI with a scheme of the application, or http://127.0.0.1/ or http://[::1]/, found "http://app.example.com/cb")"#
        ),
        InvalidCase(
            "backend-redirect-user",
            client(#""redirectUris": ["https://joe@app.example.com/cb"]"#),
            #"backends.json:2: error: /backends/1/redirectUris/0: invalid redirect URI: it must not have a user or a password (expected an https URL, a URI with a scheme of the application, or http://127.0.0.1/ or http://[::1]/, found "https://***@app.example.com/cb")"#
        ),
        InvalidCase(
            "backend-redirect-scheme",
            client(#""redirectUris": ["myapp:/cb"]"#),
            #"backends.json:2: error: /backends/1/redirectUris/0: invalid redirect URI: its scheme is neither https nor one of the application, which has a dot (expected an https URL, a URI with a scheme of the application, or http://127.0.0.1/ or http://[::1]/, found "myapp:/cb")"#
        ),
        InvalidCase(
            "backend-redirect-not-set-up",
            clientAlone(#""redirectUris": ["https://app.example.com/cb"]"#),
            #"backends.json:2: error: /backends/1/redirectUris: logins are not set up: the backend has no identity provider (expected "identityProvider" beside it, or one of kind "local" in identityProviders.json)"#
        ),
        InvalidCase(
            "backend-redirect-without-client",
            backend(
                #""enableSso": true, "redirectUris": ["https://app.example.com/cb"]"#
            ),
            #"backends.json:2: error: /backends/1/redirectUris: "redirectUris" needs "clientId" (expected "clientId")"#
        ),
        InvalidCase(
            "backend-redirect-without-oauth",
            client(#""oauthConsumer": false, "redirectUris": ["https://app.example.com/cb"]"#),
            #"backends.json:2: error: /backends/1/redirectUris: "redirectUris" need "oauthConsumer" (expected "oauthConsumer": true)"#
        ),
        InvalidCase(
            "backend-consent-alone", client(#""consent": "none""#),
            #"backends.json:2: error: /backends/1/consent: "consent" needs "redirectUris" (expected "redirectUris")"#
        ),
        InvalidCase(
            "backend-pushed-alone", client(#""requirePushedRequests": true"#),
            #"backends.json:2: error: /backends/1/requirePushedRequests: "requirePushedRequests" needs "redirectUris" (expected "redirectUris")"#
        ),
        InvalidCase(
            "backend-after-logout-alone", client(#""postLogoutRedirectUris": []"#),
            #"backends.json:2: error: /backends/1/postLogoutRedirectUris: "postLogoutRedirectUris" needs "redirectUris" (expected "redirectUris")"#
        ),
        InvalidCase(
            "backend-after-logout-foreign",
            client(#""redirectUris": ["https://a.example/"], "postLogoutRedirectUris": ["javascript:x"]"#),
            #"backends.json:2: error: /backends/1/postLogoutRedirectUris/0: invalid redirect URI: its scheme is neither https nor one of the application, which has a dot (expected an https URL, a URI with a scheme of the application, or http://127.0.0.1/ or http://[::1]/, found "javascript:x")"#
        ),
        InvalidCase(
            "backend-public-with-secret", client(#""public": true"#),
            #"backends.json:2: error: /backends/1/clientSecret: a public client has no credential (expected no "clientSecret" and no "clientKeys", or no "public")"#
        ),
        InvalidCase(
            "backend-public-introspection",
            backend(#""clientId": "c", "public": true, "introspection": true"#),
            #"backends.json:2: error: /backends/1/introspection: only a client with a credential has this (expected no "public")"#
        ),
        InvalidCase(
            "backend-device-without-provider",
            clientAlone(#""deviceGrant": true"#),
            #"backends.json:2: error: /backends/1/deviceGrant: logins are not set up: the backend has no identity provider (expected "identityProvider" beside it, or one of kind "local" in identityProviders.json)"#
        ),
        InvalidCase(
            "backend-device-without-oauth",
            client(#""deviceGrant": true, "oauthConsumer": false"#),
            #"backends.json:2: error: /backends/1/deviceGrant: "deviceGrant" needs "oauthConsumer" (expected "oauthConsumer": true)"#
        ),
        InvalidCase(
            "backend-device-without-client",
            backend(#""deviceGrant": true"#),
            #"backends.json:2: error: /backends/1/deviceGrant: "deviceGrant" needs "clientId" (expected "clientId")"#
        ),
        InvalidCase(
            "backend-public-without-client",
            backend(#""public": true"#),
            #"backends.json:2: error: /backends/1/public: "public" needs "clientId" (expected "clientId")"#
        ),
    ]
}
