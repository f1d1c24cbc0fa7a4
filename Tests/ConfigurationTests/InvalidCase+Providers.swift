/// Mistakes in identity providers and with those who use them (SSO-07, RP-01, RP-02).
extension InvalidCase {
    private static func provider(_ members: String) -> [String: String] {
        ["identityProviders.json": "[{\n\(members)\n}]"]
    }

    private static let good = #""name": "idp", "issuer": "https://idp", "clientId": "c""#

    private static let saml =
        #""name": "idp", "kind": "saml", "entityId": "https://idp", "certificateSubjectNames": ["CN=idp"]"#
    private static let goodSAML = saml + #", "singleSignOnUrl": "https://idp/sso""#

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
            "provider-mixed-kinds", provider(good + #", "kind": "local", "tokenEndpoint": "https://idp/token""#),
            #"identityProviders.json:2: error: /identityProviders/0/clientId: a provider of kind "local" has no use for it (expected "kind": "oidc" or "oauth2")"#,
            #"identityProviders.json:2: error: /identityProviders/0/issuer: a provider of kind "local" has no use for it (expected "kind": "oidc")"#,
            #"identityProviders.json:2: error: /identityProviders/0/tokenEndpoint: a provider of kind "local" has no use for it (expected "kind": "oidc" or "oauth2")"#
        ),
        InvalidCase(
            "provider-endpoint-in-clear", provider(good + #", "tokenEndpoint": "http://idp/token""#),
            #"identityProviders.json:2: error: /identityProviders/0/tokenEndpoint: not encrypted (expected an https URL, or "allowHttp": true, found "http://idp/token")"#
        ),
        InvalidCase(
            "provider-discovery-address",
            provider(#""name": "idp", "issuer": "https://idp/x/.well-known/openid-configuration", "clientId": "c""#),
            #"identityProviders.json:2: error: /identityProviders/0/issuer: this is the address of a discovery document (expected the value of "issuer" in that document, found "https://idp/x/.well-known/openid-configuration"; did you mean "https://idp/x"?)"#
        ),
        InvalidCase(
            "provider-kind", provider(good + #", "kind": "zzz""#),
            #"identityProviders.json:2: error: /identityProviders/0/kind: invalid value (expected one of "local", "oidc", "oauth2", "saml", found "zzz")"#
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
            "provider-revocation-nowhere",
            provider(
                #""name": "p", "authorizationEndpoint": "https://p/a", "tokenEndpoint": "https://p/t", "userInfoEndpoint": "https://p/u", "clientId": "c", "revokeAtLogout": true"#
            ),
            #"identityProviders.json:1: error: /identityProviders/0: "revokeAtLogout" has nothing to call (expected "revocationEndpoint" beside it)"#
        ),
        InvalidCase(
            "provider-certificate-missing", provider(good + #", "clientAuthentication": "tls_client_auth""#),
            #"identityProviders.json:1: error: /identityProviders/0: there is no certificate to show (expected "tls" with "certFile" and "keyFile")"#
        ),
        InvalidCase(
            "provider-certificate-not-named",
            provider(good + #", "clientAuthentication": "tls_client_auth", "tls": { "minVersion": "1.3" }"#),
            #"identityProviders.json:2: error: /identityProviders/0/tls: there is no certificate to show (expected "tls" with "certFile" and "keyFile")"#
        ),
        InvalidCase(
            "provider-shared-secret-tokens", provider(good + #", "algorithms": ["HS256"]"#),
            #"identityProviders.json:2: error: /identityProviders/0/algorithms/0: "HS256" proves nothing about an outside issuer (expected an asymmetric algorithm)"#
        ),
        InvalidCase(
            "provider-scopes", provider(good + #", "scopes": ["email"]"#),
            #"identityProviders.json:2: error: /identityProviders/0/scopes: the provider needs it to identify the user (expected "openid" among the scopes)"#
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
            "saml-empty", provider(#""name": "idp", "kind": "saml""#),
            #"identityProviders.json:1: error: /identityProviders/0: there is nothing to check the provider's signatures with (expected "certificateSubjectNames", "certificateFile" or "metadataFile")"#,
            #"identityProviders.json:1: error: /identityProviders/0/entityId: required member "entityId" is missing (expected what the provider calls itself, or "metadataFile")"#,
            #"identityProviders.json:1: error: /identityProviders/0/singleSignOnUrl: required member "singleSignOnUrl" is missing (expected where browsers are sent, or "metadataFile")"#
        ),
        InvalidCase(
            "saml-in-clear", provider(saml + #", "singleSignOnUrl": "http://idp/sso""#),
            #"identityProviders.json:2: error: /identityProviders/0/singleSignOnUrl: not encrypted (expected an https URL, or "allowHttp": true, found "http://idp/sso")"#
        ),
        InvalidCase(
            "saml-foreign-members", provider(goodSAML + #", "clientId": "c", "scopes": [], "issuer": "https://idp""#),
            #"identityProviders.json:2: error: /identityProviders/0/clientId: a provider of kind "saml" has no use for it (expected "kind": "oidc" or "oauth2")"#,
            #"identityProviders.json:2: error: /identityProviders/0/issuer: a provider of kind "saml" has no use for it (expected "kind": "oidc")"#,
            #"identityProviders.json:2: error: /identityProviders/0/scopes: a provider of kind "saml" has no use for it (expected "kind": "oidc" or "oauth2")"#
        ),
        InvalidCase(
            "saml-members-of-others", provider(good + #", "entityId": "x", "allowSha1": true"#),
            #"identityProviders.json:2: error: /identityProviders/0/allowSha1: a provider of kind "oidc" has no use for it (expected "kind": "saml")"#,
            #"identityProviders.json:2: error: /identityProviders/0/entityId: a provider of kind "oidc" has no use for it (expected "kind": "saml")"#
        ),
        InvalidCase(
            "saml-half-a-key", provider(goodSAML + #", "signingKeyFile": "none.key""#),
            #"identityProviders.json:1: error: /identityProviders/0/signingCertificateFile: required member "signingCertificateFile" is missing (expected the other half of "signingKeyFile")"#,
            #"identityProviders.json:2: error: /identityProviders/0/signingKeyFile: the file "none.key" does not exist (expected a PEM file with a private key)"#
        ),
        InvalidCase(
            "saml-values",
            provider(
                goodSAML
                    + #", "signingAlgorithm": "PS256", "nameIdFormat": "per sistent", "authnContexts": ["urn:a", "urn:a"], "metadataFile": "none.xml""#
            ),
            #"identityProviders.json:2: error: /identityProviders/0/authnContexts/1: "urn:a" is listed twice"#,
            #"identityProviders.json:2: error: /identityProviders/0/metadataFile: the file "DIR/none.xml" cannot be read: No such file or directory (expected a readable file)"#,
            #"identityProviders.json:2: error: /identityProviders/0/nameIdFormat: invalid value (expected a URI of at most 1024 visible ASCII characters, found "per sistent")"#,
            #"identityProviders.json:2: error: /identityProviders/0/signingAlgorithm: invalid value (expected one of "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", found "PS256"; did you mean "RS256"?)"#
        ),
        InvalidCase(
            "saml-transient", provider(goodSAML + #", "nameIdFormat": "transient""#),
            #"identityProviders.json:1: error: /identityProviders/0: a transient name changes with every login (expected "usernameAttribute" beside it)"#
        ),
        InvalidCase(
            "saml-token",
            domain(party + #", "exposeProviderToken": true"#).merging(provider(goodSAML)) { $1 },
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/exposeProviderToken: a provider of kind "saml" issues no token (expected no "exposeProviderToken")"#
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
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/exposeProviderToken: the domain uses no identity provider (expected "type": "relyingParty" beside it)"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: the domain uses no identity provider (expected "type": "relyingParty" beside it)"#
        ),
        InvalidCase(
            "party-second-step", domain(party + #", "otp": true"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/otp: the provider decides about further factors of a login (expected no "otp")"#
        ),
        InvalidCase(
            "party-inline",
            domain(#""type": "relyingParty", "provider": { "name": "idp", "issuer": "https://b", "clientId": "c" }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider/name: duplicate identity provider "idp" (expected a unique name)"#
        ),
        InvalidCase(
            "party-shared-scheme", domain(party, #", "urlScheme": "HTTPS""#),
            #"serviceDomains.json:3: error: /serviceDomains/Domain/applications/App/urlScheme: the scheme "HTTPS" is not specific to an application (expected a scheme of the application, or "redirectUris")"#
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
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: the gateway has only one login form (expected one provider of kind "local")"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider/3: "idp" is listed twice"#
        ),
        InvalidCase(
            "party-none", domain(#""type": "relyingParty", "provider": []"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/provider: the list is empty (expected an identity provider)"#
        ),
    ]
}
