/// Mistakes in `clients.json`.
extension InvalidCase {
    private static func clients(_ entries: String..., backends: String? = nil) -> [String: String] {
        var files = ["clients.json": "[\(entries.joined(separator: ",\n"))]"]
        files["identityProviders.json"] = #"[{"name": "local", "kind": "local"}]"#
        files["backends.json"] = backends
        return files
    }

    private static func service(_ more: String) -> [String: String] {
        clients(#"{"clientId": "a", "clientSecret": "s", \#(more)}"#)
    }

    static let clientEntryCases: [InvalidCase] = [
        InvalidCase(
            "scope-claims",
            [
                "gateway.json": ConfigurationDirectory.gateway(
                    """
                    "tokenService": {"scopeClaims": {"openid": {"sub": "${user}", "azp": "a"},
                    "groups": {"address": "${client_ip}", "mail": "${claim.}"}}}
                    """)
            ],
            #"gateway.json:5: error: /tokenService/scopeClaims/openid/azp: this claim says what a token is for (expected another claim than "azp")"#,
            #"gateway.json:5: error: /tokenService/scopeClaims/openid/sub: this claim says what a token is for (expected another claim than "sub")"#,
            #"gateway.json:6: error: /tokenService/scopeClaims/groups/address: a claim has a value of the user (expected text, ${user}, ${roles}, ${claim.PATH}, ${env.NAME} or ${secret.KEY})"#,
            #"gateway.json:6: error: /tokenService/scopeClaims/groups/mail: "${claim.}" names no claim: it is empty (expected a claim)"#
        ),
        InvalidCase(
            "client-algorithm-without-key",
            clients(
                """
                {"clientId": "a", "clientSecret": "s", "redirectUris": ["https://a.example.com/"],
                "idTokenSignedResponseAlg": "RS256"}
                """),
            #"clients.json:2: error: /clients/0/idTokenSignedResponseAlg: no key of the token service signs with RS256 (expected RS256 among "idTokenAlgorithms" of "tokenService")"#
        ),
        InvalidCase(
            "client-no-id", clients(#"{"clientSecret": "s"}"#),
            #"clients.json:1: error: /clients/0/clientId: required member "clientId" is missing (expected a unique id)"#
        ),
        InvalidCase(
            "client-twice",
            clients(
                #"{"clientId": "a", "clientSecret": "s"}"#,
                #"{"clientId": "a", "public": true, "redirectUris": ["https://a.example.com/"]}"#),
            #"clients.json:2: error: /clients/1/clientId: duplicate client "a" (expected a unique id)"#),
        InvalidCase(
            "client-of-a-backend",
            clients(
                #"{"clientId": "c", "clientSecret": "s"}"#, #"{"clientId": "m", "clientSecret": "s"}"#,
                backends:
                    #"[{"name": "b", "version": "1", "mobileBackendId": "m", "clientId": "c", "clientSecret": "s"}]"#),
            #"clients.json:1: error: /clients/0/clientId: the backend b/1 has this id already (expected a unique id, found "c")"#,
            #"clients.json:2: error: /clients/1/clientId: the backend b/1 has this id already (expected a unique id, found "m")"#
        ),
        InvalidCase(
            "client-no-credential", clients(#"{"clientId": "a"}"#),
            #"clients.json:1: error: /clients/0: the client has no credential (expected "clientSecret" or "clientKeys", or "public": true)"#
        ),
        InvalidCase(
            "client-public-secret",
            service(#""public": true, "redirectUris": ["https://a.example.com/"]"#),
            #"clients.json:1: error: /clients/0/clientSecret: a public client has no credential (expected no "clientSecret" and no "clientKeys", or no "public")"#
        ),
        InvalidCase(
            "client-public-service", clients(#"{"clientId": "a", "public": true}"#),
            #"clients.json:1: error: /clients/0/public: a public client has only grants of logins by browser (expected "redirectUris", or "grantTypes" for logins by browser)"#
        ),
        InvalidCase(
            "client-grant-unknown", service(#""grantTypes": ["implicit"]"#),
            #"clients.json:1: error: /clients/0/grantTypes/0: invalid value (expected one of "authorization_code", "refresh_token", "client_credentials", "password", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:jwt-bearer", found "implicit")"#
        ),
        InvalidCase(
            "client-grant-without-redirect", service(#""grantTypes": ["authorization_code"]"#),
            #"clients.json:1: error: /clients/0/redirectUris: required member "redirectUris" is missing (expected "redirectUris" beside "grantTypes" with "authorization_code")"#
        ),
        InvalidCase(
            "client-redirect-without-grant",
            service(#""grantTypes": ["client_credentials"], "redirectUris": ["https://a.example.com/"]"#),
            #"clients.json:1: error: /clients/0/redirectUris: it is for "authorization_code" (expected this grant among "grantTypes")"#
        ),
        InvalidCase(
            "client-refresh-alone", service(#""grantTypes": ["refresh_token"]"#),
            #"clients.json:1: error: /clients/0/grantTypes: "refresh_token" is for clients whose users log in (expected "authorization_code" or another grant of users beside it)"#
        ),
        InvalidCase(
            "client-refresh-lifetime", service(#""refreshTokenLifetime": "1h""#),
            #"clients.json:1: error: /clients/0/refreshTokenLifetime: it is for "refresh_token" (expected this grant among "grantTypes")"#
        ),
        InvalidCase(
            "client-roles-of-users", service(#""grantTypes": ["password"], "roles": ["Manager"]"#),
            #"clients.json:1: error: /clients/0/roles: it is for "client_credentials" (expected this grant among "grantTypes")"#
        ),
        InvalidCase(
            "client-role-unknown", service(#""roles": ["Absent"]"#),
            #"clients.json:1: error: /clients/0/roles/0: unknown role "Absent" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one)"#
        ),
        InvalidCase(
            "client-scope-unknown", service(#""scopes": ["profil"]"#),
            #"clients.json:1: error: /clients/0/scopes: unknown scope "profil" (expected one of "scopes" of the token service; did you mean "profile"?)"#
        ),
        InvalidCase(
            "client-groups-claim",
            service(#""redirectUris": ["https://a.example.com/"], "groupsClaim": "sub""#),
            #"clients.json:1: error: /clients/0/groupsClaim: the claim has another meaning (expected a name such as "groups", found "sub")"#
        ),
        InvalidCase(
            "client-groups-of-a-service", service(#""groupsClaim": "groups""#),
            #"clients.json:1: error: /clients/0/groupsClaim: it is for clients whose users log in by browser (expected "authorization_code" among "grantTypes")"#
        ),
        InvalidCase(
            "client-lifetime", service(#""accessTokenLifetime": "5ms""#),
            #"clients.json:1: error: /clients/0/accessTokenLifetime: out of range (expected a duration from "1000ms" to "8784h", found "5ms")"#
        ),
        InvalidCase(
            "client-exchange-without-grant", service(#""grantTypes": ["client_credentials"], "tokenExchange": {}"#),
            #"clients.json:1: error: /clients/0/tokenExchange: it is for "urn:ietf:params:oauth:grant-type:token-exchange" (expected this grant among "grantTypes")"#
        ),
        InvalidCase(
            "client-backend-word", service(#""mobileBackendId": "m""#),
            #"clients.json:1: error: /clients/0/mobileBackendId: unknown member "mobileBackendId" (expected one of clientId, clientSecret, realm, name, clientKeys, introspection, tokenExchange, dpopBoundAccessTokens, tlsClientCertificateBoundAccessTokens, public, redirectUris, consent, requirePushedRequests, postLogoutRedirectUris, scopes, roles, audience, accessTokenLifetime, groupsClaim, allowedOrigins, idTokenSignedResponseAlg, grantTypes, identityAssertionIssuers, refreshTokenLifetime, refreshFamilyLifetime, refreshReuseInterval, identityProvider, revoked, tokensNotBefore)"#
        ),
        InvalidCase(
            "client-route-unknown",
            clients(#"{"clientId": "reports", "clientSecret": "s"}"#).merging([
                "routes.json": #"[{"path": "/a", "upstream": "inventory", "clients": ["report"]}]"#
            ]) { $1 },
            #"routes.json:1: error: /routes/0/clients/0: unknown client "report" (expected the id of a client, or a backend as "name/version"; did you mean "reports"?)"#
        ),
    ]
}
