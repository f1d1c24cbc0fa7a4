import Model

/// Mistakes in the gateway's own services.
extension InvalidCase {
    private static func prefix(_ path: String, _ error: String) -> InvalidCase {
        InvalidCase(
            "prefix \(path)", gateway: #""pathPrefix": "\#(path)""#, "gateway.json:5: error: /pathPrefix: \(error)")
    }

    static let serviceCases: [InvalidCase] = [
        InvalidCase(
            "challenge-key-length", gateway: #""challenge": {"key": "c2hvcnQ="}"#,
            "gateway.json:5: error: /challenge/key: the key is malformed (expected 32 bytes as padded Base64)"
        ),
        InvalidCase(
            "challenge-keys-empty", gateway: #""challenge": {"key": []}"#,
            "gateway.json:5: error: /challenge/key: invalid value (expected at least one key, found an array)"
        ),
        InvalidCase(
            "challenge-keys-length",
            gateway: #""challenge": {"key": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "c2hvcnQ="]}"#,
            "gateway.json:5: error: /challenge/key/1: the key is malformed (expected 32 bytes as padded Base64)"
        ),
        InvalidCase(
            "challenge-key-and-file",
            gateway:
                "\"challenge\": {\"key\": \"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\n\"keyFile\": \"k\"}",
            #"gateway.json:6: error: /challenge/keyFile: "keyFile" and "key" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "secret-file", gateway: #""challenge": {"key": "file:secrets/none"}"#,
            #"gateway.json:5: error: /challenge/key: the file "DIR/secrets/none" cannot be read: No such file or directory (expected a readable file)"#
        ),
        InvalidCase(
            "secret-store", gateway: #""challenge": {"key": "cred:challenge"}"#,
            #"gateway.json:5: error: /challenge/key: the credential store has no secret "challenge" (expected one that `portcullis cred add` has put there)"#
        ),
        InvalidCase(
            "token-algorithm", gateway: #""tokenService": {"algorithm": "ES265"}"#,
            #"gateway.json:5: error: /tokenService/algorithm: invalid value (expected one of "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", found "ES265"; did you mean "ES256"?)"#
        ),
        InvalidCase(
            "token-hs-without-key", gateway: #""tokenService": {"algorithm": "HS256"}"#,
            #"gateway.json:5: error: /tokenService/key: HS256 needs "key" (expected a secret of at least 32 bytes)"#
        ),
        InvalidCase(
            "token-hs-short-key", gateway: #""tokenService": {"algorithm": "HS512", "key": "env:K"}"#,
            environment: ["K": String(repeating: "k", count: 63)],
            "gateway.json:5: error: /tokenService/key: the key is too short for HS512 (expected a secret of at least 64 bytes, found 63 bytes)"
        ),
        InvalidCase(
            "token-key-of-es", gateway: #""tokenService": {"key": "env:K"}"#, environment: ["K": "k"],
            #"gateway.json:5: error: /tokenService/key: "key" belongs to HS algorithms (expected "keyFile" for ES256)"#
        ),
        InvalidCase(
            "token-rotation-of-secret",
            gateway: #""tokenService": {"algorithm": "HS256", "key": "env:K", "rotateEvery": "24h"}"#,
            environment: ["K": String(repeating: "k", count: 32)],
            #"gateway.json:5: error: /tokenService/rotateEvery: the "key" of HS256 cannot be rotated (expected an algorithm with "keyFile")"#
        ),
        InvalidCase(
            "token-rotation-too-often",
            gateway: #""tokenService": {"rotateEvery": "1h", "publishKeysFor": "1h"}"#,
            #"gateway.json:5: error: /tokenService/rotateEvery: keys would be replaced before they may sign (expected a duration longer than "publishKeysFor")"#
        ),
        InvalidCase(
            "token-shared-keys-without-redis",
            gateway: #""tokenService": {"sharedKeys": true}, "store": {"kind": "memory"}"#,
            #"gateway.json:5: error: /tokenService/sharedKeys: gateways on several machines share keys by a store of the kind redis only (expected "kind": "redis" in "store"; on one machine, the same "keyFile", found "kind": "memory")"#
        ),
        InvalidCase(
            "token-shared-secret",
            gateway:
                #""tokenService": {"algorithm": "HS256", "key": "env:K", "sharedKeys": true}, "store": {"kind": "redis", "url": "unix:r"}"#,
            environment: ["K": String(repeating: "k", count: 32)],
            #"gateway.json:5: error: /tokenService/sharedKeys: the "key" of HS256 is not shared by a store (expected an algorithm with "keyFile")"#
        ),
        InvalidCase(
            "token-shared-keys-too-soon",
            gateway:
                #""tokenService": {"sharedKeys": true, "publishKeysFor": "9s"}, "store": {"kind": "redis", "url": "unix:r"}"#,
            #"gateway.json:5: error: /tokenService/sharedKeys: keys could sign before all gateways have them (expected "publishKeysFor" of 10 s or more)"#
        ),
        InvalidCase(
            "token-path", gateway: #""tokenService": {"tokenPathAliases": ["oauth2/token"]}"#,
            #"gateway.json:5: error: /tokenService/tokenPathAliases/0: invalid path: it does not begin with "/" (expected a path such as "/oauth2/token", found "oauth2/token")"#
        ),
        InvalidCase(
            "token-path-below-prefix", gateway: #""tokenService": {"tokenPathAliases": ["/oauth2/t"]}"#,
            #"gateway.json:5: error: /tokenService/tokenPathAliases/0: "/oauth2/t" is a path of the gateway already (expected a path of its own)"#
        ),
        InvalidCase(
            "token-path-of-document",
            gateway: #""tokenService": {"tokenPathAliases": ["/.well-known/openid-configuration"]}"#,
            #"gateway.json:5: error: /tokenService/tokenPathAliases/0: "/.well-known/openid-configuration" is a path of the gateway already (expected a path of its own)"#
        ),
        InvalidCase(
            "token-path-twice",
            gateway: #""tokenService": {"tokenPathAliases": ["/t", "/t", "/mobile/platform/users/~"]}"#,
            #"gateway.json:5: error: /tokenService/tokenPathAliases/1: "/t" is a path of the gateway already (expected a path of its own)"#,
            #"gateway.json:5: error: /tokenService/tokenPathAliases/2: "/mobile/platform/users/~" is a path of the gateway already (expected a path of its own)"#
        ),
        InvalidCase(
            "token-paths-gone", gateway: #""tokenService": {"tokenPath": "/t", "authorizationPath": "/a"}"#,
            #"gateway.json:5: error: /tokenService/authorizationPath: "authorizationPath" is no longer a setting (expected "pathPrefix" of gateway.json, with the standard names below it)"#,
            #"gateway.json:5: error: /tokenService/tokenPath: "tokenPath" is no longer a setting (expected "pathPrefix" of gateway.json, with the standard names below it)"#
        ),
        InvalidCase(
            "prefix-covers-route",
            routes(route("/auth/own")).merging(
                ["gateway.json": ConfigurationDirectory.gateway(#""pathPrefix": "/auth""#)]) { $1 },
            #"routes.json:2: error: /routes/0/path: the gateway serves "/auth/**" itself (expected another path, or another "pathPrefix" than "/auth", found "/auth/own")"#
        ),
        prefix(
            "auth", #"invalid path: it does not begin with "/" (expected a path such as "/oauth2/token", found "auth")"#
        ),
        prefix(
            "/auth/**",
            #"invalid path: wildcards are for routes (expected a path such as "/oauth2/token", found "/auth/**")"#),
        prefix("/auth/", #"the prefix ends with a slash (expected a path such as "/oauth2", found "/auth/")"#),
        prefix("/", #"the prefix ends with a slash (expected a path such as "/oauth2", found "/")"#),
        prefix("", #"invalid path: it does not begin with "/" (expected a path such as "/oauth2/token", found "")"#),
        prefix(
            "/.well-known/own",
            #"other endpoints are at "/.well-known/**" (expected a path of its own, found "/.well-known/own")"#),
        prefix(
            "/mobile",
            #"other endpoints are at "/mobile/platform/sso/exchange-token" (expected a path of its own, found "/mobile")"#
        ),
        prefix(
            "/mobile/platform/auth/token",
            #"other endpoints are at "/mobile/platform/auth/token" (expected a path of its own)"#
        ),
        InvalidCase(
            "token-lifetime", gateway: #""tokenService": {"userTokenSeconds": "1h"}"#,
            #"gateway.json:5: error: /tokenService/userTokenSeconds: wrong type (expected a number of seconds from 1 to 315360000, found "1h")"#
        ),
        InvalidCase(
            "token-scope", gateway: #""tokenService": {"scopes": ["read write"]}"#,
            #"gateway.json:5: error: /tokenService/scopes/0: invalid scope (expected visible ASCII without blank, quote and backslash, found "read write")"#
        ),
        InvalidCase(
            "store-kind", gateway: #""store": {"kind": "postgres"}"#,
            #"gateway.json:5: error: /store/kind: invalid value (expected one of "sqlite", "redis", "memory", found "postgres")"#
        ),
        InvalidCase(
            "store-path", gateway: #""store": {"kind": "memory", "path": "tokens.sqlite"}"#,
            #"gateway.json:5: error: /store/path: only a store of the kind sqlite has a file (expected "kind": "sqlite")"#
        ),
        InvalidCase(
            "redis-url-missing", gateway: #""store": {"kind": "redis"}"#,
            #"gateway.json:5: error: /store/url: required member "url" is missing (expected a URL such as "redis://127.0.0.1:6379/0")"#
        ),
        InvalidCase(
            "redis-url", gateway: #""store": {"kind": "redis", "url": "http://127.0.0.1:6379"}"#,
            #"gateway.json:5: error: /store/url: invalid value (expected "redis://HOST:PORT/DATABASE", "rediss://HOST:PORT/DATABASE" or "unix:PATH", found "http://127.0.0.1:6379")"#
        ),
        InvalidCase(
            "redis-database", gateway: #""store": {"kind": "redis", "url": "redis://127.0.0.1/+1"}"#,
            #"gateway.json:5: error: /store/url: invalid value (expected "redis://HOST:PORT/DATABASE", "rediss://HOST:PORT/DATABASE" or "unix:PATH", found "redis://127.0.0.1/+1")"#
        ),
        InvalidCase(
            "redis-password-in-url", gateway: #""store": {"kind": "redis", "url": "redis://me:secret@127.0.0.1"}"#,
            #"gateway.json:5: error: /store/url: user and password have members of their own (expected "username" and "password")"#
        ),
        InvalidCase(
            "redis-name-alone", gateway: #""store": {"kind": "redis", "url": "unix:r", "username": "me"}"#,
            #"gateway.json:5: error: /store/username: the user name has no password (expected "password")"#
        ),
        InvalidCase(
            "redis-tls", gateway: #""store": {"kind": "redis", "url": "redis://127.0.0.1", "tls": {}}"#,
            #"gateway.json:5: error: /store/tls: the server has no TLS (expected a URL with rediss, or no "tls")"#
        ),
        InvalidCase(
            "redis-elsewhere", gateway: #""store": {"kind": "memory", "url": "unix:r"}"#,
            #"gateway.json:5: error: /store/url: only a store of the kind redis has this (expected "kind": "redis")"#
        ),
        InvalidCase(
            "redis-replicas", gateway: #""store": {"kind": "redis", "url": "unix:r", "replicas": -1}"#,
            #"gateway.json:5: error: /store/replicas: out of range (expected an integer from 0 to 100, found -1)"#
        ),
        InvalidCase(
            "store-keys", gateway: #""store": {"key": "AAAA", "keyFile": "k"}"#,
            #"gateway.json:5: error: /store/key: the key is malformed (expected 32 bytes as padded Base64)"#,
            #"gateway.json:5: error: /store/keyFile: "keyFile" and "key" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "store-keys-empty", gateway: #""store": {"key": []}"#,
            "gateway.json:5: error: /store/key: invalid value (expected at least one key, found an array)"
        ),
        InvalidCase(
            "store-keys-length",
            gateway: #""store": {"key": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "c2hvcnQ="]}"#,
            "gateway.json:5: error: /store/key/1: the key is malformed (expected 32 bytes as padded Base64)"
        ),
        InvalidCase(
            "store-stance", gateway: #""store": {"whenUnavailable": "alow"}"#,
            #"gateway.json:5: error: /store/whenUnavailable: invalid value (expected "deny" or "allow", found "alow"; did you mean "allow"?)"#
        ),
        InvalidCase(
            "log-access", gateway: #""log": {"access": "stdot"}"#,
            #"gateway.json:5: error: /log/access: invalid value (expected "stdout", "off" or "file:path", found "stdot"; did you mean "stdout"?)"#
        ),
        InvalidCase(
            "log-level", gateway: #""log": {"level": "Info"}"#,
            #"gateway.json:5: error: /log/level: invalid value (expected one of "debug", "info", "warning", "error", found "Info"; did you mean "info"?)"#
        ),
        InvalidCase(
            "log-field", gateway: #""log": {"fields": ["host", "hots"]}"#,
            #"gateway.json:5: error: /log/fields/1: invalid value (expected one of "host", "http_version", "tls_version", "user_agent", "replay", found "hots"; did you mean "host"?)"#
        ),
        InvalidCase(
            "log-field-twice", gateway: #""log": {"fields": ["host", "host"]}"#,
            #"gateway.json:5: error: /log/fields/1: "host" is listed twice"#
        ),
        InvalidCase(
            "cors-header-name", gateway: #""cors": {"allowHeaders": ["X-A", "X B"]}"#,
            #"gateway.json:5: error: /cors/allowHeaders/1: invalid value (expected the name of a header field, found "X B")"#
        ),
        InvalidCase(
            "cors-header-wildcard", gateway: #""cors": {"exposeHeaders": ["*"]}"#,
            #"gateway.json:5: error: /cors/exposeHeaders/0: invalid value (expected the name of a header field, found "*")"#
        ),
        InvalidCase(
            "cors-wildcard-credentials",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""cors": {"allowCredentials": true}"#),
                "policies.json": "{\n\"Security_AllowOrigin\": \"https://a.example, *\"}",
            ],
            #"policies.json:2: error: /policies/Security_AllowOrigin: "*" together with "allowCredentials" would expose every session to every page (expected a list of origins, or "allowCredentials": false, found "https://a.example, *")"#
        ),
        InvalidCase(
            "cors-wildcard-credentials-of-route",
            routes(
                route("/a", #""cors": {"allowOrigins": ["*"], "allowCredentials": true}"#),
                route("/b", #""cors": {"allowOrigins": ["*"]}"#)),
            #"routes.json:2: error: /routes/0/cors/allowOrigins: "*" together with "allowCredentials" would expose every session to every page (expected a list of origins, or "allowCredentials": false)"#
        ),
        InvalidCase(
            "cors-two-lists",
            routes(
                route("/a", #""allowOrigin": "https://a.example", "cors": {"allowOrigins": ["https://b.example"]}"#)),
            #"routes.json:2: error: /routes/0/cors: the route has "allowOrigin", too (expected origins in one place)"#
        ),
        InvalidCase(
            "cors-two-origins-in-one",
            routes(route("/a", #""cors": {"allowOrigins": ["https://a.example, https://b.example"]}"#)),
            #"routes.json:2: error: /routes/0/cors/allowOrigins/0: no single origin (expected an origin such as "https://app.example.com", found "https://a.example, https://b.example")"#
        ),
        InvalidCase(
            "cors-method", routes(route("/a", #""cors": {"allowMethods": ["get it"]}"#)),
            #"routes.json:2: error: /routes/0/cors/allowMethods/0: invalid method (expected a method in upper case, found "get it")"#
        ),
        InvalidCase(
            "cors-methods-of-gateway", gateway: #""cors": {"allowMethods": ["GET"]}"#,
            #"gateway.json:5: error: /cors/allowMethods: unknown member "allowMethods" (expected one of allowCredentials, maxAge, preset, allowHeaders, exposeHeaders, trialOrigins, allowPrivateNetwork)"#
        ),
        InvalidCase(
            "mcp-public", routes(route("/a", #""public": true, "mcp": {"tools": {"a": {}}}"#)),
            #"routes.json:2: error: /routes/0/mcp: a public route has no caller (expected no "public" beside it)"#
        ),
        InvalidCase(
            "mcp-empty", routes(route("/a", #""mcp": {"tools": {}}"#)),
            #"routes.json:2: error: /routes/0/mcp: no rule (expected a rule in "tools", "resources" or "prompts")"#
        ),
        InvalidCase(
            "mcp-name", routes(route("/a", #""mcp": {"prompts": {"a*b": {}}}"#)),
            #"routes.json:2: error: /routes/0/mcp/prompts/a*b: no name (expected a name, or the beginning of names with "*" at its end)"#
        ),
        InvalidCase(
            "mcp-member", routes(route("/a", #""mcp": {"tools": {"a": {"scope": ["x"]}}}"#)),
            #"routes.json:2: error: /routes/0/mcp/tools/a/scope: unknown member "scope" (did you mean "scopes"?)"#
        ),
        InvalidCase(
            "cors-flag", gateway: #""cors": {"allowCredentials": "true"}"#,
            #"gateway.json:5: error: /cors/allowCredentials: wrong type (expected true or false, found "true")"#
        ),
        InvalidCase(
            "aes-key", gateway: #""passwords": {"aesKey": "AAAA"}"#,
            "gateway.json:5: error: /passwords/aesKey: the key is malformed (expected 16, 24, 32 bytes as padded Base64)"
        ),
        InvalidCase(
            "cache-entries", gateway: #""issuedTokenCache": {"maxEntries": 0}"#,
            "gateway.json:5: error: /issuedTokenCache/maxEntries: out of range (expected a number of entries from 1 to 10000000, found 0)"
        ),
        InvalidCase(
            "policy-name", ["policies.json": "{\n\n\"Security_AllowOrigins\": \"disallow\"}"],
            #"policies.json:3: error: /policies/Security_AllowOrigins: unknown member "Security_AllowOrigins" (did you mean "Security_AllowOrigin"?)"#
        ),
        // POL-02
        InvalidCase(
            "policy-timeout", ["policies.json": #"{"Security_TokenExchangeTimeoutSecs": "6h"}"#],
            #"policies.json:1: error: /policies/Security_TokenExchangeTimeoutSecs: invalid value (expected a positive number of seconds, as a number or as text, found "6h")"#
        ),
        InvalidCase(
            "policy-timeout-policy", ["policies.json": #"{"Security_TokenExchangeTimeoutPolicy": "FromTimeoutSec"}"#],
            #"policies.json:1: error: /policies/Security_TokenExchangeTimeoutPolicy: invalid value (expected one of "FromTimeoutSecs", "FromExternalToken", "FromExternalTokenLimitedByTimeoutSecs", found "FromTimeoutSec"; did you mean "FromTimeoutSecs"?)"#
        ),
        InvalidCase(
            "policy-auth-tokens", ["policies.json": #"{"Security_AuthTokenConfiguration": "{]"}"#],
            "policies.json:1: error: /policies/Security_AuthTokenConfiguration: the text is not JSON: line 1, column 2: expected a member name in double quotes (expected an object, its JSON in a string, or \"file:NAME\")"
        ),
    ]
}
