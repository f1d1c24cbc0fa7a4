/// Mistakes in identity providers and with those who use them (SSO-07, RP-01, RP-02).
extension InvalidCase {
    private static func provider(_ members: String) -> [String: String] {
        ["identityProviders.json": "[{\n\(members)\n}]"]
    }

    private static let good = #""name": "idp", "issuer": "https://idp", "clientId": "c""#

    private static func domain(_ authentication: String, _ app: String = "") -> [String: String] {
        provider(good).merging([
            "serviceDomains.json":
                "{ \"Domain\": {\n\"authentication\": { \(authentication) },\n\"applications\": { \"App\": { \"backend\": \"inventory/1.0\"\(app) } } } }"
        ]) { $1 }
    }

    private static let party = #""type": "relyingParty", "provider": "idp""#

    static let providerCases: [InvalidCase] = [
        InvalidCase(
            "provider-empty", provider(#""name": "idp""#),
            #"identityProviders.json:1: error: /identityProviders/0/authorizationEndpoint: required member "authorizationEndpoint" is missing (expected an https URL)"#,
            #"identityProviders.json:1: error: /identityProviders/0/clientId: required member "clientId" is missing (expected the gateway's client id there)"#,
            #"identityProviders.json:1: error: /identityProviders/0/tokenEndpoint: required member "tokenEndpoint" is missing (expected an https URL)"#,
            #"identityProviders.json:1: error: /identityProviders/0/userInfoEndpoint: required member "userInfoEndpoint" is missing (expected an https URL)"#
        ),
        InvalidCase(
            "provider-twice",
            ["identityProviders.json": "[{ \(good) },\n{ \(good), \"usernamePrefix\": \"x\" }]"],
            #"identityProviders.json:2: error: /identityProviders/1: duplicate identity provider "idp" (expected a unique name)"#
        ),
        InvalidCase(
            "provider-in-clear", provider(#""name": "idp", "issuer": "http://idp", "clientId": "c""#),
            #"identityProviders.json:2: error: /identityProviders/0/issuer: not encrypted (expected an https URL, or "allowHttp": true, found "http://idp")"#
        ),
        InvalidCase(
            "provider-mixed-kinds", provider(good + #", "tokenEndpoint": "https://idp/token""#),
            #"identityProviders.json:2: error: /identityProviders/0/tokenEndpoint: a provider of kind "oidc" has no use for it (expected "kind": "oauth2")"#
        ),
        InvalidCase(
            "provider-kind", provider(good + #", "kind": "zzz""#),
            #"identityProviders.json:2: error: /identityProviders/0/kind: invalid value (expected one of "local", "oidc", "oauth2", found "zzz")"#
        ),
        InvalidCase(
            "provider-secret-missing", provider(good + #", "clientAuthentication": "client_secret_post""#),
            #"identityProviders.json:1: error: /identityProviders/0/clientSecret: required member "clientSecret" is missing (expected what "client_secret_post" needs)"#
        ),
        InvalidCase(
            "provider-key-unused", provider(good + #", "clientSecret": "s", "clientKeyFile": "k.pem""#),
            #"identityProviders.json:2: error: /identityProviders/0/clientKeyFile: client_secret_basic has no use for it (expected no "clientKeyFile")"#
        ),
        InvalidCase(
            "provider-shared-secret-tokens", provider(good + #", "algorithms": ["HS256"]"#),
            #"identityProviders.json:2: error: /identityProviders/0/algorithms/0: "HS256" proves nothing about an outside issuer (expected an asymmetric algorithm)"#
        ),
        InvalidCase(
            "provider-scopes", provider(good + #", "scopes": ["email"]"#),
            #"identityProviders.json:2: error: /identityProviders/0/scopes: without it the provider says nothing of the user (expected "openid" among the scopes)"#
        ),
        InvalidCase(
            "provider-own-parameter", provider(good + #", "parameters": { "state": "x" }"#),
            #"identityProviders.json:2: error: /identityProviders/0/parameters/state: the gateway sends "state" itself (expected a parameter of the provider's own)"#
        ),
        InvalidCase(
            "provider-email-rule", provider(good + #", "verifiedEmail": "yes""#),
            #"identityProviders.json:2: error: /identityProviders/0/verifiedEmail: invalid value (expected one of "required", "notDenied", "ignored", found "yes")"#
        ),
        InvalidCase(
            "party-unknown", domain(#""type": "relyingParty", "provider": "ipd""#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: unknown identity provider "ipd" (expected the name of an identity provider; did you mean "idp"?)"#
        ),
        InvalidCase(
            "party-missing", domain(#""type": "relyingParty""#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: required member "provider" is missing (expected the name of an identity provider, or one itself)"#
        ),
        InvalidCase(
            "party-without-type", domain(#""provider": "idp", "exposeProviderToken": true"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/exposeProviderToken: nobody is sent to an identity provider here (expected "type": "relyingParty" beside it)"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: nobody is sent to an identity provider here (expected "type": "relyingParty" beside it)"#
        ),
        InvalidCase(
            "party-second-step", domain(party + #", "otp": true"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/otp: what a login takes is the provider's business (expected no "otp")"#
        ),
        InvalidCase(
            "party-inline",
            domain(#""type": "relyingParty", "provider": { "name": "idp", "issuer": "https://b", "clientId": "c" }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider/name: duplicate identity provider "idp" (expected a unique name)"#
        ),
        InvalidCase(
            "party-shared-scheme", domain(party, #", "urlScheme": "HTTPS""#),
            #"serviceDomains.json:3: error: /serviceDomains/Domain/applications/App/urlScheme: "HTTPS" is nobody's own scheme (expected a scheme of the application, or "redirectUris")"#
        ),
        InvalidCase(
            "party-redirects", domain(party, #", "redirectUris": ["javascript://x", "https://a/b#c"]"#),
            #"serviceDomains.json:3: error: /serviceDomains/Domain/applications/App/redirectUris/0: invalid value (expected a URI such as "https://app.example.com/back" or "demoapp://back", found "javascript://x")"#,
            #"serviceDomains.json:3: error: /serviceDomains/Domain/applications/App/redirectUris/1: invalid value (expected a URI such as "https://app.example.com/back" or "demoapp://back", found "https://a/b#c")"#
        ),
        InvalidCase(
            "party-local",
            [
                "identityProviders.json": #"[{ "name": "form", "kind": "local" }]"#,
                "serviceDomains.json":
                    "{ \"Domain\": {\n\"authentication\": { \"type\": \"relyingParty\", \"provider\": \"form\" },\n\"applications\": { \"App\": { \"backend\": \"inventory/1.0\" } } } }",
            ],
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: "form" is this gateway's own form (expected a provider of another kind, alone or beside it)"#
        ),
        InvalidCase(
            "party-list",
            [
                "identityProviders.json":
                    "[{ \(good) },\n{ \"name\": \"form\", \"kind\": \"local\" },\n{ \"name\": \"more\", \"kind\": \"local\" }]",
                "serviceDomains.json":
                    "{ \"Domain\": {\n\"authentication\": { \"type\": \"relyingParty\", \"provider\": [\"idp\", \"form\", \"more\", \"idp\"] },\n\"applications\": { \"App\": { \"backend\": \"inventory/1.0\" } } } }",
            ],
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: the gateway has one form (expected one provider of kind "local")"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider/3: "idp" is listed twice"#
        ),
        InvalidCase(
            "party-none", domain(#""type": "relyingParty", "provider": []"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: the list is empty (expected an identity provider)"#
        ),
    ]
}
