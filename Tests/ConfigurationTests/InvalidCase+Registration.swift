/// Mistakes in the registration of clients.
extension InvalidCase {
    private static func registration(
        _ members: String, backend: String = #""clientId": "c", "clientSecret": "s""#, providers: Bool = true
    ) -> [String: String] {
        var files = [
            "gateway.json": ConfigurationDirectory.gateway(#""tokenService": {"registration": {\#(members)}}"#)
        ]
        files["backends.json"] = #"[{"name": "a", "version": "1", "mobileBackendId": "m", \#(backend)}]"#
        if providers { files["identityProviders.json"] = #"[{"name": "local", "kind": "local"}]"# }
        return files
    }

    private static func failed(_ text: String) -> String { "gateway.json:5: error: /tokenService/registration\(text)" }

    static let registrationCases: [InvalidCase] = [
        InvalidCase(
            "registration-without-client", registration(#""open": true"#),
            failed(#"/client: required member "client" is missing (expected the id of a client)"#)),
        InvalidCase(
            "registration-former-name", registration(#""open": true, "client": "a/1", "backend": "a/1""#),
            failed(#"/backend: "backend" is no longer a setting (expected "client")"#)),
        InvalidCase(
            "registration-scope-unknown",
            registration(#""open": true, "client": "a/1", "scopes": ["openid", "emial"]"#),
            failed(
                #"/scopes: unknown scope "emial" (expected one of "scopes" of the token service; did you mean "email"?)"#
            )),
        InvalidCase(
            "registration-client-unknown", registration(#""open": true, "client": "b/1""#),
            failed(
                #"/client: unknown client "b/1" (expected the id of a client, or a backend as "name/version"; did you mean "a/1"?)"#
            )),
        InvalidCase(
            "registration-without-callers", registration(#""client": "a/1", "initialAccessTokens": []"#),
            failed(#": no client may register (expected "initialAccessTokens" with a secret, or "open": true)"#)),
        InvalidCase(
            "registration-short-token",
            registration(#""client": "a/1", "open": true, "initialAccessTokens": ["short"]"#),
            failed(
                "/initialAccessTokens/0: the token is too short (expected a secret of at least 32 bytes, found 5 bytes)"
            )),
        InvalidCase(
            "registration-redirects",
            registration(
                #""client": "a/1", "open": true, "redirectUris": ["http://a.example", "https://a.example/x", "javascript:", "myapp:"]"#
            ),
            failed(
                #"/redirectUris/0: codes must not go there in the clear (expected "loopback", an https origin, or a scheme of an application with its colon, found "http://a.example")"#
            ),
            failed(
                #"/redirectUris/1: invalid place for codes (expected "loopback", an https origin, or a scheme of an application with its colon, found "https://a.example/x")"#
            ),
            failed(
                #"/redirectUris/2: invalid place for codes (expected "loopback", an https origin, or a scheme of an application with its colon, found "javascript:")"#
            ),
            failed(
                #"/redirectUris/3: invalid place for codes (expected "loopback", an https origin, or a scheme of an application with its colon, found "myapp:")"#
            )),
        InvalidCase(
            "registration-scope-roles",
            registration(#""client": "a/1", "open": true, "scopeRoles": {"notes": ["Nobody"]}"#),
            failed(#"/scopeRoles: unknown scope "notes" (expected one of "scopes" of the token service)"#),
            failed(
                #"/scopeRoles/notes/0: unknown role "Nobody" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one)"#
            )),
        InvalidCase(
            "registration-too-many", registration(#""client": "a/1", "open": true, "maximumClients": 0"#),
            failed("/maximumClients: out of range (expected an integer from 1 to 100000, found 0)")),
        InvalidCase(
            "registration-without-provider", registration(#""client": "a/1", "open": true"#, providers: false),
            failed(
                #"/client: logins are not set up: the backend has no identity provider (expected "identityProvider" beside it, or one of kind "local" in identityProviders.json)"#
            )),
        InvalidCase(
            "registration-without-oauth",
            registration(
                #""client": "a/1", "open": true"#, backend: #""oauthConsumer": false"#),
            failed(#"/client: the client is revoked, or has no OAuth (expected a client that gets tokens)"#)),
        InvalidCase(
            "client-documents",
            [
                "gateway.json": ConfigurationDirectory.gateway(
                    #""tokenService": {"clientMetadataDocuments": {"allowedDomains": ["*", "a b"], "allowedAddresses": ["10.0.0.1/8"]}}"#
                )
            ],
            #"gateway.json:5: error: /tokenService/clientMetadataDocuments/allowedAddresses/0: invalid value (expected a CIDR block such as "10.0.0.0/8", with no bit set after the prefix, found "10.0.0.1/8"; did you mean "10.0.0.0/8"?)"#,
            #"gateway.json:5: error: /tokenService/clientMetadataDocuments/allowedDomains/1: invalid value (expected a host name such as "example.com" or "*.example.com", without port, or "*", found "a b")"#,
            #"gateway.json:5: error: /tokenService/registration: these clients belong to that of "registration" (expected "registration" beside "clientMetadataDocuments")"#
        ),
    ]
}
