import Model

/// Mistakes in backends, users, roles and issuers.
extension InvalidCase {
    private static func backend(_ more: String) -> [String: String] {
        [
            "backends.json":
                "[{ \"name\": \"a\", \"version\": \"1\", \"mobileBackendId\": \"m\", \"anonymousKey\": \"k\" },\n{ \(more) }]"
        ]
    }

    private static func user(_ members: String) -> [String: String] {
        ["users.json": #"[{ "username": "joe", "email": "joe@example.com" }, { \#(members) }]"#]
    }

    private static func trusted(_ members: String) -> [String: String] {
        ["trustedIssuers.json": "[{\n\(members)\n}]", "keys.txt": "{}"]
    }

    static let identityCases: [InvalidCase] = [
        InvalidCase(
            "backend-twice", backend(#""name": "a", "version": "1", "mobileBackendId": "n""#),
            #"backends.json:2: error: /backends/1: duplicate backend "a/1" (expected a unique name and version)"#
        ),
        InvalidCase(
            "backend-id-twice", backend(#""name": "a", "version": "2", "mobileBackendId": "m""#),
            #"backends.json:2: error: /backends/1/mobileBackendId: backend a/1 has this "mobileBackendId" already (expected a unique value, found "m")"#
        ),
        InvalidCase(
            "backend-key-twice", backend(#""name": "b", "version": "1", "mobileBackendId": "n", "anonymousKey": "k""#),
            #"backends.json:2: error: /backends/1/anonymousKey: backend a/1 has this "anonymousKey" already (expected a unique value)"#
        ),
        InvalidCase(
            "backend-half-a-client", backend(#""name": "b", "version": "1", "mobileBackendId": "n", "clientId": "c""#),
            #"backends.json:2: error: /backends/1/clientId: the client has no credential (expected "clientSecret" or "clientKeys" beside it, or "public": true)"#
        ),
        InvalidCase(
            "backend-keys-without-client",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "clientKeys": { "keys": [] }"#),
            #"backends.json:2: error: /backends/1/clientKeys: "clientKeys" needs "clientId" (expected "clientId")"#
        ),
        InvalidCase(
            "backend-keys-number",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "clientId": "c", "clientKeys": 5"#),
            #"backends.json:2: error: /backends/1/clientKeys: wrong type (expected a JWK set, or the name of a file with one, found 5)"#
        ),
        InvalidCase(
            "backend-refresh-without-client",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "refreshTokens": true"#),
            #"backends.json:2: error: /backends/1/refreshTokens: "refreshTokens" needs "clientId" (expected "clientId")"#
        ),
        InvalidCase(
            "backend-refresh-lifetime-of-nothing",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "refreshTokenSeconds": 5"#),
            #"backends.json:2: error: /backends/1/refreshTokenSeconds: the backend has no refresh tokens (expected "refreshTokens": true beside it)"#
        ),
        InvalidCase(
            "backend-refresh-reuse-for-long",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "clientId": "c", "clientSecret": "s", "refreshTokens": true, "refreshReuseInterval": "61s""#
            ),
            #"backends.json:2: error: /backends/1/refreshReuseInterval: out of range (expected a duration from "0s" to "60s", found "61s")"#
        ),
        InvalidCase(
            "backend-exchange-unknown-backend",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "clientId": "c", "clientSecret": "s", "tokenExchange": { "backends": ["x/1"] }"#
            ),
            #"backends.json:2: error: /backends/1/tokenExchange/backends/0: unknown client "x/1" (expected the id of a client, or a backend as "name/version"; did you mean "a/1"?)"#
        ),
        InvalidCase(
            "backend-secret-unset",
            backend(
                "\"name\": \"b\", \"version\": \"1\", \"mobileBackendId\": \"n\", \"clientId\": \"c\",\n\"clientSecret\": \"env:INV_SECRET\""
            ),
            "backends.json:3: error: /backends/1/clientSecret: the environment variable INV_SECRET is not set (expected a variable that is set)"
        ),
        InvalidCase(
            "backend-secret-empty",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "clientId": "c", "clientSecret": "env:E""#),
            environment: ["E": ""],
            "backends.json:2: error: /backends/1/clientSecret: the environment variable E is empty (expected a variable with a value)"
        ),
        InvalidCase(
            "backend-secret-number",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "clientId": "c", "clientSecret": 12345"#),
            #"backends.json:2: error: /backends/1/clientSecret: wrong type (expected a secret: a string, "env:NAME", "file:PATH", "cred:KEY" or "program:NAME:KEY")"#
        ),
        InvalidCase(
            "backend-sso-without-oauth",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "enableSso": true, "oauthConsumer": false"#),
            #"backends.json:2: error: /backends/1/enableSso: "enableSso" needs "oauthConsumer" (expected "oauthConsumer": true)"#
        ),
        InvalidCase(
            "backend-sso-not-set-up",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "enableSso": true"#),
            #"backends.json:2: error: /backends/1/enableSso: logins are not set up: the backend has no identity provider (expected "identityProvider" beside it, or one of kind "local" in identityProviders.json)"#
        ),
        InvalidCase(
            "backend-facebook-without-basic",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "anonymousKey": "l", "httpBasic": false, "facebook": {"enabled": true, "appId": "1", "appSecret": "s"}"#
            ),
            #"backends.json:2: error: /backends/1: Facebook login needs "httpBasic" (expected "httpBasic": true)"#
        ),
        InvalidCase(
            "backend-facebook-without-app",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "anonymousKey": "l", "facebook": {"enabled": true}"#
            ),
            #"backends.json:2: error: /backends/1/facebook/appId: required member "appId" is missing (expected "appId" beside "enabled": true)"#,
            #"backends.json:2: error: /backends/1/facebook/appSecret: required member "appSecret" is missing (expected "appSecret" beside "enabled": true)"#
        ),
        InvalidCase(
            "backend-facebook-without-key",
            backend(
                #""name": "b", "version": "1", "mobileBackendId": "n", "facebook": {"enabled": true, "appId": "1", "appSecret": "s"}"#
            ),
            #"backends.json:2: error: /backends/1: Facebook login needs "anonymousKey" (expected "anonymousKey")"#
        ),
        InvalidCase(
            "backend-version-number", backend(#""name": "b", "version": 1.0, "mobileBackendId": "n""#),
            "backends.json:2: error: /backends/1/version: wrong type (expected 1 to 64 letters, digits, dots, underscores and hyphens, found 1.0)"
        ),
        InvalidCase(
            "backend-unknown-route", backend(#""name": "b", "version": "1", "mobileBackendId": "n", "routes": ["/x"]"#),
            #"backends.json:2: error: /backends/1/routes/0: unknown route "/x" (expected the name of a route)"#
        ),
        InvalidCase(
            "backend-unknown-issuer",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n", "issuer": "Local""#),
            #"backends.json:2: error: /backends/1/issuer: unknown issuer "Local" (expected the name of an issuer; did you mean "local"?)"#
        ),
        InvalidCase(
            "user-twice", user(#""username": "joe""#),
            #"users.json:1: error: /users/1: duplicate user "joe" in realm "Default" (expected a unique name)"#
        ),
        InvalidCase(
            "user-mail-twice", user(#""username": "ann", "email": "Joe@example.com""#),
            #"users.json:1: error: /users/1/email: user "joe" has this address already (expected a unique address, found "Joe@example.com")"#
        ),
        InvalidCase(
            "user-mail", user(#""username": "ann", "email": "a@b@c""#),
            #"users.json:1: error: /users/1/email: invalid value (expected a mail address such as "joe@example.com", found "a@b@c")"#
        ),
        InvalidCase(
            "user-clear-password", user(#""username": "ann", "password": "Welcome2""#),
            #"users.json:1: error: /users/1/password: the password has no scheme, so it would never verify (expected "{scheme}payload", made by "portcullis hash")"#
        ),
        InvalidCase(
            "user-password-scheme", user(#""username": "ann", "password": "{SaltedSHA512}x""#),
            #"users.json:1: error: /users/1/password: unknown password scheme "SaltedSHA512" (did you mean "SaltedSHA-512"?)"#
        ),
        InvalidCase(
            "user-control-character", user(#""username": "a\r\nX-Evil: 1""#),
            "users.json:1: error: /users/1/username: the user name has the invisible character U+000D (expected a user name of at most 256 bytes without blanks at its ends and without invisible characters)"
        ),
        InvalidCase(
            "user-role", user(#""username": "ann", "roles": ["clerk"]"#),
            #"users.json:1: error: /users/1/roles/0: unknown role "clerk" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one; did you mean "Clerk"?)"#
        ),
        InvalidCase(
            "user-realm",
            user(#""username": "ann", "realm": "Staf""#).merging(["realms.json": #"["Default", "Staff"]"#]) { $1 },
            #"users.json:1: error: /users/1/realm: unknown realm "Staf" (expected a realm of realms.json; did you mean "Staff"?)"#
        ),
        InvalidCase(
            "backend-realm",
            backend(#""name": "b", "version": "1", "mobileBackendId": "n""#).merging(["realms.json": #"["Staff"]"#]) {
                $1
            },
            #"backends.json:1: error: /backends/0/realm: unknown realm "Default" (expected a realm of realms.json)"#,
            #"backends.json:2: error: /backends/1/realm: unknown realm "Default" (expected a realm of realms.json)"#
        ),
        InvalidCase(
            "realm-twice", ["realms.json": "[\"Default\",\n\"Default\"]"],
            #"realms.json:2: error: /realms/1: "Default" is listed twice"#
        ),
        InvalidCase(
            "user-instant", user(#""username": "ann", "tokensNotBefore": "now""#),
            #"users.json:1: error: /users/1/tokensNotBefore: wrong type (expected a time in seconds since 1970 from 0 to 253402300799, found "now")"#
        ),
        InvalidCase(
            "certificate-twice",
            [
                "certificates.json":
                    #"[{ "alias": "a", "pem": "-----BEGIN CERTIFICATE-----" }, { "alias": "a", "pem": "-----BEGIN CERTIFICATE-----" }]"#
            ],
            #"certificates.json:1: error: /certificates/1: duplicate certificate "a" (expected a unique alias)"#
        ),
        InvalidCase(
            "certificate-none", ["certificates.json": "[{ \"alias\": \"a\",\n\"pem\": \"x\" },\n{ \"alias\": \"b\" }]"],
            #"certificates.json:2: error: /certificates/0/pem: the text does not contain exactly one certificate (expected one certificate in PEM form, and no key)"#,
            #"certificates.json:3: error: /certificates/1/pem: required member "pem" is missing (expected one certificate in PEM form)"#
        ),
        InvalidCase(
            "certificate-both",
            ["certificates.json": #"[{ "alias": "a", "pem": "-----BEGIN CERTIFICATE-----", "pemFile": "a.pem" }]"#],
            #"certificates.json:1: error: /certificates/0/pemFile: "pemFile" and "pem" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "certificate-file", ["certificates.json": #"[{ "alias": "a", "pemFile": "none.pem" }]"#],
            #"certificates.json:1: error: /certificates/0/pemFile: the file "none.pem" does not exist (expected a PEM file with certificates)"#
        ),
        InvalidCase(
            "role-twice", ["roles.json": "[\"Clerk\",\n\"Clerk\"]"],
            #"roles.json:2: error: /roles/1: "Clerk" is listed twice"#
        ),
        InvalidCase(
            "role-twice-with-description",
            ["roles.json": "[\"Clerk\",\n{ \"name\": \"Clerk\", \"description\": \"d\" }]"],
            #"roles.json:2: error: /roles/1: "Clerk" is listed twice"#
        ),
        InvalidCase(
            "role-without-name", ["roles.json": "[\"Clerk\",\n{ \"description\": \"d\" }]"],
            #"roles.json:2: error: /roles/1/name: required member "name" is missing (expected the name of a role)"#
        ),
        InvalidCase(
            "role-member", ["roles.json": "[\"Clerk\",\n{ \"name\": \"B\", \"members\": [] }]"],
            #"roles.json:2: error: /roles/1/members: unknown member "members" (expected one of name, description)"#
        ),
        InvalidCase(
            "user-attribute", user(#""username": "ann", "attributes": { "tittle": "x" }"#),
            #"users.json:1: error: /users/1/attributes/tittle: unknown member "tittle" (did you mean "title"?)"#
        ),
        InvalidCase(
            "user-attribute-value", user(#""username": "ann", "attributes": { "title": 5 }"#),
            #"users.json:1: error: /users/1/attributes/title: wrong type (expected a non-empty string without control characters, found 5)"#
        ),
        InvalidCase(
            "user-attributes", user(#""username": "ann", "attributes": []"#),
            #"users.json:1: error: /users/1/attributes: wrong type (expected an object with "title", "manager" and the like, found an array)"#
        ),
        InvalidCase(
            "profile-enabled", gateway: #""userProfile": { "enabled": "yes" }"#,
            #"gateway.json:5: error: /userProfile/enabled: wrong type (expected true or false, found "yes")"#
        ),
        InvalidCase(
            "role-comma", ["roles.json": #"["Clerk", "a,b"]"#],
            #"roles.json:1: error: /roles/1: invalid role name (expected at most 128 bytes without a comma, found "a,b")"#
        ),
        InvalidCase(
            "roles-many", ["roles.json": "[" + (0...256).map { "\"r\($0)\"" }.joined(separator: ",") + "]"],
            "roles.json:1: error: /roles: too many roles (expected at most 256 role names, found 257)"
        ),
        InvalidCase(
            "role-number", ["roles.json": "[\n1]"],
            "roles.json:2: error: /roles/0: wrong type (expected a non-empty string without control characters, found 1)"
        ),
        InvalidCase(
            "issuer-module", ["issuers.json": "{ \"local\": {\n\"modul\": \"oauth2\" } }"],
            #"issuers.json:1: error: /issuers/local/module: required member "module" is missing (expected the name of a module)"#
        ),
        InvalidCase(
            "issuer-hosts",
            ["issuers.json": #"{ "local": { "module": "embedded", "allowedHosts": ["api.example.com:443"] } }"#],
            #"issuers.json:1: error: /issuers/local/allowedHosts/0: invalid value (expected the host of an upstream, such as "api.example.com", without port, found "api.example.com:443")"#
        ),
        InvalidCase(
            "issuer-no-hosts", ["issuers.json": #"{ "local": { "module": "embedded", "allowedHosts": [] } }"#],
            "issuers.json:1: error: /issuers/local/allowedHosts: the list is empty (expected at least one host)"
        ),
        InvalidCase(
            "trusted-audience-missing", trusted(#""name": "idp", "issuer": "https://idp", "jwksFile": "keys.txt""#),
            #"trustedIssuers.json:1: error: /trustedIssuers/0/audience: required member "audience" is missing (expected an array of audiences, or "requireAudience": false)"#
        ),
        InvalidCase(
            "trusted-audience-empty",
            trusted(#""name": "idp", "issuer": "https://idp", "audience": [], "jwksFile": "keys.txt""#),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/audience: the list is empty (expected at least one audience, or "requireAudience": false)"#
        ),
        InvalidCase(
            "trusted-keys-missing",
            trusted("\"name\": \"idp\", \"issuer\": \"https://idp\", \"audience\": [\"a\"],\n\"jwksFile\": \"none\""),
            #"trustedIssuers.json:3: error: /trustedIssuers/0/jwksFile: the file "DIR/none" cannot be read: No such file or directory (expected a readable file)"#
        ),
        InvalidCase(
            "trusted-introspection-and-keys",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksFile": "keys.txt", "introspection": { "url": "https://idp/i", "clientId": "c", "clientSecret": "s" }"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/jwksFile: "jwksFile" and "introspection" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "trusted-token-type",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksFile": "keys.txt", "tokenType": "id+jwt""#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/tokenType: invalid value (expected one of "JWT", "at+jwt", "oauth-id-jag+jwt", found "id+jwt"; did you mean "at+jwt"?)"#
        ),
        InvalidCase(
            "trusted-typed-id-tokens",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksFile": "keys.txt", "tokenType": "at+jwt", "acceptIdTokens": true"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/acceptIdTokens: an ID token never has the "tokenType" "at+jwt" (expected one of the two settings)"#
        ),
        InvalidCase(
            "trusted-introspection-in-clear",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "introspection": { "url": "http://idp/i", "clientId": "c", "clientSecret": "s" }"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/introspection/url: not encrypted (expected an https URL, or "allowHttp": true, found "http://idp/i")"#
        ),
        InvalidCase(
            "trusted-introspection-no-secret",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "introspection": { "url": "https://idp/i", "clientId": "c" }"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/introspection/clientSecret: required member "clientSecret" is missing (expected what "client_secret_basic" needs)"#
        ),
        InvalidCase(
            "trusted-introspection-public",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "introspection": { "url": "https://idp/i", "clientId": "c", "clientSecret": "s", "clientAuthentication": "none" }"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/introspection/clientAuthentication: invalid value (expected one of "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth", found "none")"#
        ),
        InvalidCase(
            "trusted-discovery-address",
            trusted(
                #""name": "idp", "issuer": "https://idp/.well-known/oauth-authorization-server/x", "audience": ["a"]"#),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/issuer: this is the address of a discovery document (expected the value of "issuer" in that document, found "https://idp/.well-known/oauth-authorization-server/x"; did you mean "https://idp/x"?)"#
        ),
        InvalidCase(
            "trusted-in-clear", trusted(#""name": "idp", "issuer": "http://idp", "audience": ["a"]"#),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/issuer: the keys are found by "issuer", which is not encrypted (expected an https URL, "allowHttp": true, or "jwksFile", found "http://idp")"#
        ),
        InvalidCase(
            "trusted-no-keys", trusted(#""name": "idp", "issuer": "idp", "audience": ["a"]"#),
            #"trustedIssuers.json:1: error: /trustedIssuers/0: the keys are missing, and "issuer" is no https URL to find them by (expected "jwksFile", "discoveryUri" or "jwksUri")"#
        ),
        InvalidCase(
            "trusted-file-and-address",
            trusted(
                "\"name\": \"idp\", \"issuer\": \"https://idp\", \"audience\": [\"a\"], \"jwksFile\": \"keys.txt\",\n\"jwksUri\": \"https://idp/keys\",\n\"allowHttp\": true"
            ),
            #"trustedIssuers.json:3: error: /trustedIssuers/0/jwksUri: "jwksUri" and "jwksFile" exclude each other (expected one of the two)"#,
            #"trustedIssuers.json:4: error: /trustedIssuers/0/allowHttp: "allowHttp" and "jwksFile" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "trusted-address",
            trusted(
                "\"name\": \"idp\", \"issuer\": \"https://idp\", \"audience\": [\"a\"], \"discoveryUri\": \"https://a@b/\",\n\"jwksUri\": \"idp/keys#x\""
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/discoveryUri: invalid value (expected an https URL, found "https://***@b/")"#,
            #"trustedIssuers.json:3: error: /trustedIssuers/0/jwksUri: invalid value (expected an https URL, found "idp/keys#x")"#
        ),
        InvalidCase(
            "trusted-address-plain",  // JWT-32
            trusted(#""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksUri": "http://idp/keys""#),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/jwksUri: not encrypted (expected an https URL, or "allowHttp": true, found "http://idp/keys")"#
        ),
        InvalidCase(
            "trusted-versions",  // JWT-36
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksUri": "https://idp/keys", "tlsVersions": ["TLSv1.2", "TLSv9"]"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/tlsVersions/1: invalid value (expected one of "TLS", "TLSv1.2", "TLSv1.3", "TLSv1.1", "TLSv1", "SSL", "SSLv3", "SSLv2", found "TLSv9"; did you mean "TLSv1"?)"#
        ),
        InvalidCase(
            "trusted-intervals",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksUri": "https://idp/keys", "minReloadInterval": "2h", "maxReloadInterval": "1h""#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/minReloadInterval: out of range (expected from "1s" to "maxReloadInterval")"#
        ),
        InvalidCase(
            "trusted-authorization",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksUri": "https://idp/keys", "authorizationHeader": "a\nb""#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/authorizationHeader: the value cannot stand in a field (expected printable ASCII)"#
        ),
        InvalidCase(
            "trusted-symmetric",
            trusted(
                "\"name\": \"idp\", \"issuer\": \"https://idp\", \"audience\": [\"a\"], \"jwksFile\": \"keys.txt\",\n\"algorithms\": [\"RS256\", \"HS256\", \"none\"]"
            ),
            #"trustedIssuers.json:3: error: /trustedIssuers/0/algorithms/1: "HS256" proves nothing about an outside issuer (expected an asymmetric algorithm)"#,
            #"trustedIssuers.json:3: error: /trustedIssuers/0/algorithms/2: "none" proves nothing about an outside issuer (expected an asymmetric algorithm)"#
        ),
        InvalidCase(
            "trusted-mapped-role",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksFile": "keys.txt", "roleMappings": [{"tokenRole": "x", "mappedRoles": ["Clerc"]}]"#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/roleMappings/0/mappedRoles/0: unknown role "Clerc" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one; did you mean "Clerk"?)"#
        ),
        InvalidCase(
            "trusted-user-mapping",
            trusted(
                #""name": "idp", "issuer": "https://idp", "audience": ["a"], "jwksFile": "keys.txt", "userMappingAttribute": "email""#
            ),
            #"trustedIssuers.json:2: error: /trustedIssuers/0/userMappingAttribute: invalid value (expected "uid" or "mail", found "email"; did you mean "mail"?)"#
        ),
    ]
}
