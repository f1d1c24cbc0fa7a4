/// Mistakes in routes and webgates.
extension InvalidCase {
    static func routes(_ routes: String...) -> [String: String] {
        ["routes.json": "[\n" + routes.joined(separator: ",\n") + "\n]"]
    }

    /// A route of one line; the first one stands in line 2.
    static func route(_ path: String, _ more: String = "") -> String {
        #"{ "path": "\#(path)", "upstream": "inventory"\#(more.isEmpty ? "" : ", \(more)") }"#
    }

    private static func badPath(_ id: String, _ path: String, _ reason: String) -> InvalidCase {
        InvalidCase(
            id, routes(route(path)),
            #"routes.json:2: error: /routes/0/path: invalid path pattern: \#(reason) (expected a pattern such as "/items/*" or "/inventory/**", found "\#(path)")"#
        )
    }

    private static func shadow(_ path: String, _ endpoint: String) -> InvalidCase {
        InvalidCase(
            "shadows \(endpoint) with \(path)", routes(route(path)),
            #"routes.json:2: error: /routes/0/path: the gateway serves "\#(endpoint)" itself (expected another path\#(endpoint == "/oauth2/**" ? #", or another "pathPrefix" than "/oauth2""# : "")\#(path == endpoint ? "" : #", found "\#(path)""#))"#
        )
    }

    static let routeCases: [InvalidCase] = [
        InvalidCase(
            "unknown-upstream",
            routes(route("/a"), route("/b"), route("/c"), #"{ "path": "/d", "upstream": "inventry" }"#),
            #"routes.json:5: error: /routes/3/upstream: unknown upstream "inventry" (expected the name of an upstream; did you mean "inventory"?)"#
        ),
        InvalidCase(
            "unknown-webgate", routes(route("/a", "\n\"webgate\": \"mainwg\"")),
            #"routes.json:3: error: /routes/0/webgate: unknown webgate "mainwg" (expected the name of a webgate; did you mean "MainWG"?)"#
        ),
        InvalidCase(
            "unknown-backend", routes(route("/a", #""backends": ["inventory/2.0"]"#)),
            #"routes.json:2: error: /routes/0/backends/0: unknown backend "inventory/2.0" (expected a backend as "name/version"; did you mean "inventory/1.0"?)"#
        ),
        InvalidCase(
            "acknowledge", routes(route("/a", #""acknowledge": ["weaker"]"#)),
            #"routes.json:2: error: /routes/0/acknowledge/0: invalid value (expected one of "weaker-variants", "endpoints-inside", "shared-names", found "weaker")"#
        ),
        InvalidCase(
            "rewrite-elsewhere", routes(route("/api/**", #""rewrite": {"stripPrefix": "/app"}"#)),
            #"routes.json:2: error: /routes/0/rewrite/stripPrefix: paths of "/api/**" need not begin with "/app" (expected the first literal segments of "path")"#
        ),
        InvalidCase(
            "rewrite-within-a-segment", routes(route("/apis/**", #""rewrite": {"stripPrefix": "/api"}"#)),
            #"routes.json:2: error: /routes/0/rewrite/stripPrefix: paths of "/apis/**" need not begin with "/api" (expected the first literal segments of "path")"#
        ),
        InvalidCase(
            "rewrite-wildcard", routes(route("/*/a", #""rewrite": {"stripPrefix": "/*"}"#)),
            #"routes.json:2: error: /routes/0/rewrite/stripPrefix: invalid value (expected a path prefix such as "/api", percent-encoded where needed, without "*" and "/" at the end, found "/*")"#
        ),
        InvalidCase(
            "rewrite-slash", routes(route("/a", #""rewrite": {"addPrefix": "/v1/"}"#)),
            #"routes.json:2: error: /routes/0/rewrite/addPrefix: invalid value (expected a path prefix such as "/api", percent-encoded where needed, without "*" and "/" at the end, found "/v1/")"#
        ),
        InvalidCase(
            "rewrite-dots", routes(route("/a", #""rewrite": {"addPrefix": "/v1/../x"}"#)),
            #"routes.json:2: error: /routes/0/rewrite/addPrefix: invalid value (expected a path prefix such as "/api", percent-encoded where needed, without "*" and "/" at the end, found "/v1/../x")"#
        ),
        InvalidCase(
            "route-host-header", routes(route("/a", #""hostHeader": "a/b""#)),
            #"routes.json:2: error: /routes/0/hostHeader: invalid value (expected "client", "upstream", or a host such as "api.example.com" or "api.example.com:8443", found "a/b")"#
        ),
        InvalidCase(
            "field-placeholder", routes(route("/a", #""requestHeaders": {"set": {"X-A": "${usr}"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X-A: unknown placeholder "${usr}" (expected ${user}, ${issuer}, ${roles}, ${client_ip}, ${request_id}, ${userinfo}, ${claim.PATH}, ${env.NAME} or ${secret.KEY}; did you mean "${user}"?)"#
        ),
        InvalidCase(
            "field-open", routes(route("/a", #""requestHeaders": {"set": {"X-A": "${user"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X-A: "${" has no end (expected "}", or "$${" for the text "${")"#
        ),
        InvalidCase(
            "field-line-end", routes(route("/a", #""requestHeaders": {"set": {"X-A": "a\r\nX-B: c"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X-A: invalid value (expected visible ASCII text with placeholders such as "${user}" or "${claim.email}", found "a\u000d\u000aX-B: c")"#
        ),
        InvalidCase(
            "field-nul", routes(route("/a", #""responseHeaders": {"add": {"X-A": "a\u0000"}}"#)),
            #"routes.json:2: error: /routes/0/responseHeaders/add/X-A: invalid value (expected visible ASCII text with placeholders such as "${user}" or "${claim.email}", found "a\u0000")"#
        ),
        InvalidCase(
            "field-variable", routes(route("/a", #""requestHeaders": {"set": {"X-A": "${env.PORTCULLIS_NONE}"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X-A: "${env.PORTCULLIS_NONE}" has no value that a field can have (expected a variable or secret in visible ASCII; variables of files beside gateway.json must be in its "environment")"#
        ),
        InvalidCase(
            "field-claim", routes(route("/a", #""requestHeaders": {"set": {"X-A": "${claim.a..b}"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X-A: "${claim.a..b}" names no claim: it has an empty name (a dot at an end, or two in a row) (expected a claim)"#
        ),
        InvalidCase(
            "field-host", routes(route("/a", #""requestHeaders": {"set": {"Host": "a"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/Host: the field "Host" belongs to the gateway (expected another field)"#
        ),
        InvalidCase(
            "field-length", routes(route("/a", #""requestHeaders": {"remove": ["Content_Length"]}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/remove/0: the field "Content_Length" belongs to the gateway (expected another field)"#
        ),
        InvalidCase(
            "field-own-identity", routes(route("/a", #""requestHeaders": {"set": {"X-Gateway-User": "a"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X-Gateway-User: the field "X-Gateway-User" belongs to the gateway (expected another field)"#
        ),
        InvalidCase(
            "field-cors", routes(route("/a", #""responseHeaders": {"set": {"Access-Control-Allow-Origin": "*"}}"#)),
            #"routes.json:2: error: /routes/0/responseHeaders/set/Access-Control-Allow-Origin: the field "Access-Control-Allow-Origin" belongs to the gateway (expected another field)"#
        ),
        InvalidCase(
            "field-name", routes(route("/a", #""requestHeaders": {"set": {"X A": "a"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X A: "X A" is no name of a field (expected a header field name with 2 to 63 letters and digits)"#
        ),
        InvalidCase(
            "field-twice", routes(route("/a", #""requestHeaders": {"set": {"X-A": "a", "x_a": "b"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/x_a: upstreams may take "x_a" for "X-A" (expected each field once)"#
        ),
        InvalidCase(
            "field-preset", routes(route("/a", #""requestHeaders": {"preset": "authelai"}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/preset: invalid value (expected one of "oauth2-proxy", "authelia", "apisix-userinfo", "pomerium-jwt", found "authelai"; did you mean "authelia"?)"#
        ),
        InvalidCase(
            "field-of-the-token",
            routes(
                route("/a", #""injection": {"issuer": "local"}, "requestHeaders": {"set": {"authorization": "x"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/authorization: the token for the upstream takes the field "authorization" (expected another field)"#
        ),
        InvalidCase(
            "field-of-one-letter", routes(route("/a", #""requestHeaders": {"set": {"X": "a"}}"#)),
            #"routes.json:2: error: /routes/0/requestHeaders/set/X: "X" is no name of a field (expected a header field name with 2 to 63 letters and digits)"#
        ),
        InvalidCase(
            "certificate-kind", routes(route("/a", #""clientCertificate": ["san:a.example"]"#)),
            #"routes.json:2: error: /routes/0/clientCertificate/0: invalid value (expected "subject:", "dns:", "email:", "uri:" or "ip:" and a pattern, found "san:a.example")"#
        ),
        InvalidCase(
            "certificate-address", routes(route("/a", #""clientCertificate": ["ip:10.0.0.0/8"]"#)),
            #"routes.json:2: error: /routes/0/clientCertificate/0: invalid value (expected "ip:" and an IP address, found "ip:10.0.0.0/8")"#
        ),
        InvalidCase(
            "certificate-list", routes(route("/a", #""clientCertificate": []"#)),
            #"routes.json:2: error: /routes/0/clientCertificate: the list is empty (expected true for any certificate, or at least one pattern)"#
        ),
        InvalidCase(
            "certificate-type", routes(route("/a", #""clientCertificate": "dns:a""#)),
            #"routes.json:2: error: /routes/0/clientCertificate: wrong type (expected true, false or an array of patterns such as "dns:*.example.com", found "dns:a")"#
        ),
        // ROLE-04's own check.
        InvalidCase(
            "unknown-role", routes(route("/a", #""roles": ["Clerk", "manager"]"#)),
            #"routes.json:2: error: /routes/0/roles/1: unknown role "manager" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one; did you mean "Manager"?)"#
        ),
        InvalidCase(
            "unknown-role-of-method",
            routes(route("/a", "\"methods\": {\n\"GET\": {\"roles\": {\"all\": [\"Boss\"]}}}")),
            #"routes.json:3: error: /routes/0/methods/GET/roles/all/0: unknown role "Boss" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one)"#
        ),
        InvalidCase(
            "unknown-issuer", routes(route("/a", #""injection": {"issuer": "locale"}"#)),
            #"routes.json:2: error: /routes/0/injection/issuer: unknown issuer "locale" (expected the name of an issuer; did you mean "local"?)"#
        ),
        InvalidCase(
            "roles-empty-any", routes(route("/a", #""roles": {"any": []}"#)),
            #"routes.json:2: error: /routes/0/roles/any: the list is empty (expected at least one role, or no "any")"#
        ),
        InvalidCase(
            "roles-contradiction", routes(route("/a", #""roles": {"all": ["Clerk"], "none": ["Clerk"]}"#)),
            #"routes.json:2: error: /routes/0/roles/none/0: the role "Clerk" is asked for and refused (expected a role that is not in "any" or "all")"#
        ),
        InvalidCase(
            "roles-type", routes(route("/a", #""roles": "Manager""#)),
            #"routes.json:2: error: /routes/0/roles: wrong type (expected an array of roles, or an object with "any", "all" and "none", found "Manager")"#
        ),
        InvalidCase(
            "roles-twice", routes(route("/a", #""roles": ["Clerk", "Clerk"]"#)),
            #"routes.json:2: error: /routes/0/roles/1: "Clerk" is listed twice"#
        ),
        InvalidCase(
            "public-with-roles", routes(route("/a", "\"public\": true,\n\"roles\": [\"Clerk\"]")),
            #"routes.json:3: error: /routes/0/roles: a public route has no roles (expected either "public" or "roles")"#
        ),
        InvalidCase(
            "public-with-login", routes(route("/a", "\"public\": true,\n\"loginRequired\": true")),
            #"routes.json:3: error: /routes/0/loginRequired: a public route requires no login (expected either "public" or "loginRequired")"#
        ),
        InvalidCase(
            "optional-with-roles", routes(route("/a", "\"identity\": \"optional\",\n\"roles\": [\"Clerk\"]")),
            #"routes.json:3: error: /routes/0/roles: a route for callers without a credential cannot require "roles" (expected either "identity": "optional" or "roles")"#
        ),
        InvalidCase(
            "optional-with-application", routes(route("/a", "\"identity\": \"optional\",\n\"application\": \"none\"")),
            #"routes.json:3: error: /routes/0/application: unknown application "none" (expected the name of an application)"#,
            #"routes.json:3: error: /routes/0/application: callers without a credential would not need the key of the application (expected no "identity": "optional" beside it)"#
        ),
        InvalidCase(
            "public-with-identity", routes(route("/a", "\"public\": true,\n\"identity\": \"optional\"")),
            #"routes.json:3: error: /routes/0/identity: a public route has no identity (expected either "public" or "identity")"#
        ),
        InvalidCase(
            "scopes-none", routes(route("/a", #""scopes": []"#)),
            #"routes.json:2: error: /routes/0/scopes: the list is empty (expected at least one scope, or no "scopes")"#
        ),
        InvalidCase(
            "scopes-blank", routes(route("/a", #""scopes": ["a b"]"#)),
            #"routes.json:2: error: /routes/0/scopes/0: invalid scope (expected visible ASCII without blank, quote and backslash, found "a b")"#
        ),
        InvalidCase(
            "claims-none", routes(route("/a", #""claims": {"a": {}}"#)),
            #"routes.json:2: error: /routes/0/claims/a: no condition (expected "equals", "in", "contains", "exists" or "domain")"#
        ),
        InvalidCase(
            "claims-path", routes(route("/a", #""claims": {"a..b": 1}"#)),
            #"routes.json:2: error: /routes/0/claims/a..b: "a..b" names no claim: it has an empty name (a dot at an end, or two in a row) (expected a claim)"#
        ),
        InvalidCase(
            "claims-value", routes(route("/a", #""claims": {"a": ["b"]}"#)),
            #"routes.json:2: error: /routes/0/claims/a: wrong type (expected a text, a number, true or false, found an array)"#
        ),
        InvalidCase(
            "claims-variable", routes(route("/a/{id}", #""claims": {"sub": "{user}"}"#)),
            #"routes.json:2: error: /routes/0/claims/sub: "path" has no variable "user" (expected "{id}")"#
        ),
        InvalidCase(
            "addresses-none", routes(route("/a", #""addresses": {"allow": []}"#)),
            #"routes.json:2: error: /routes/0/addresses: no address (expected addresses in "allow" or "deny")"#
        ),
        InvalidCase(
            "issuers-and-jwt", routes(route("/a", #""issuers": ["local"], "jwt": "local""#)),
            #"routes.json:2: error: /routes/0/jwt: "jwt" and "issuers" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "issuers-unknown", routes(route("/a", #""issuers": ["nowhere"]"#)),
            #"routes.json:2: error: /routes/0/issuers/0: unknown trusted issuer "nowhere" (expected the name of a trusted issuer, or "local" for the gateway itself)"#
        ),
        InvalidCase(
            "token-sources", routes(route("/a", #""tokenSources": [{"header": "X-A", "cookie": "b"}]"#)),
            #"routes.json:2: error: /routes/0/tokenSources/0/cookie: more than one place (expected one of "header", "cookie" and "query")"#
        ),
        InvalidCase(
            "token-sources-scheme", routes(route("/a", #""tokenSources": [{"cookie": "b", "scheme": "X"}]"#)),
            #"routes.json:2: error: /routes/0/tokenSources/0/scheme: "scheme" is for a header field (expected "header")"#
        ),
        InvalidCase(
            "method-case", routes(route("/a", #""methods": ["get"]"#)),
            #"routes.json:2: error: /routes/0/methods/0: invalid method (expected a method in upper case, found "get"; did you mean "GET"?)"#
        ),
        InvalidCase(
            "method-connect", routes(route("/a", #""methods": ["CONNECT"]"#)),
            "routes.json:2: error: /routes/0/methods/0: CONNECT is never forwarded (expected another method)"
        ),
        InvalidCase(
            "methods-none", routes(route("/a", #""methods": []"#)),
            "routes.json:2: error: /routes/0/methods: no method (expected an array of methods, or an object of rules by method)"
        ),
        InvalidCase(
            "methods-type", routes(route("/a", #""methods": "GET""#)),
            #"routes.json:2: error: /routes/0/methods: wrong type (expected an array of methods, or an object of rules by method, found "GET")"#
        ),
        InvalidCase(
            "host-with-port", routes(route("/a", #""hosts": ["a.example:80"]"#)),
            #"routes.json:2: error: /routes/0/hosts/0: invalid value (expected a host name such as "api.example.com" or "*.example.com", without port, found "a.example:80")"#
        ),
        InvalidCase(
            "level-range", routes(route("/a", #""level": 11"#)),
            "routes.json:2: error: /routes/0/level: out of range (expected a level from 0 to 10, found 11)"
        ),
        InvalidCase(
            "injection-header", routes(route("/a", #""injection": {"issuer": "local", "header": "Content-Length"}"#)),
            #"routes.json:2: error: /routes/0/injection/header: the field "Content-Length" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-format", routes(route("/a", #""injection": {"issuer": "local", "format": "Bearer token"}"#)),
            #"routes.json:2: error: /routes/0/injection/format: invalid value (expected visible ASCII text with "{token}" once, such as "Bearer {token}", found "Bearer token")"#
        ),
        InvalidCase(
            "upstream-auth-kind", routes(route("/a", #""upstreamAuth": "oam""#)),
            #"routes.json:2: error: /routes/0/upstreamAuth: invalid value (expected "oam-challenge", found "oam")"#
        ),
        InvalidCase(
            "upstream-auth-token", routes(route("/a", #""upstreamAuth": "oam-challenge""#)),
            #"routes.json:2: error: /routes/0/upstreamAuth: answering the upstream's challenges needs a token (expected an "injection" of the route or of its webgate)"#
        ),
        InvalidCase(
            "upstream-auth-public",
            routes(
                route(
                    "/a",
                    #""public": true, "injection": {"issuer": "local"}, "upstreamAuth": {"kind": "oam-challenge"}"#
                )),
            #"routes.json:2: error: /routes/0/upstreamAuth: a public route has no user to request a token for (expected no "public")"#
        ),
        InvalidCase(
            "upstream-auth-agent",
            routes(
                route(
                    "/a",
                    #""injection": {"issuer": "local"}, "upstreamAuth": {"kind": "oam-challenge", "userAgent": "a\nb"}"#
                )
            ),
            #"routes.json:2: error: /routes/0/upstreamAuth/userAgent: invalid value (expected visible ASCII text, such as "OAMMS-Agent", found "a\u000ab")"#
        ),
        InvalidCase(
            "route-type", routes(route("/a"), "\"/b\""),
            #"routes.json:3: error: /routes/1: wrong type (expected a route: {"path", "upstream"}, found "/b")"#
        ),
        InvalidCase(
            "route-name-twice", routes(route("/a", #""name": "x""#), route("/b", #""name": "x""#)),
            #"routes.json:3: error: /routes/1: duplicate route name "x", as at /routes/0 (expected a unique "name", which is the path where none is given)"#
        ),
        InvalidCase(
            "unreachable-all", routes(route("/a"), route("/a", #""name": "b", "methods": ["GET"]"#)),
            #"routes.json:3: error: /routes/1: unreachable route: /routes/0 takes every method of "/a" (expected another path, host or method)"#
        ),
        InvalidCase(
            "unreachable-methods",
            routes(
                route("/a", #""methods": ["GET", "PUT"]"#), route("/a", #""name": "b", "methods": ["POST"]"#),
                route("/a", #""name": "c", "methods": ["POST", "GET"]"#)),
            #"routes.json:4: error: /routes/2: unreachable route: /routes/1 takes POST of "/a" (expected another path, host or method)"#
        ),
        InvalidCase(
            "overlapping-methods",
            routes(
                route("/a", #""methods": ["GET"]"#),
                route("/a", #""name": "b", "hosts": ["b.example"], "methods": ["GET"]"#),
                route("/a", "\"name\": \"c\", \n\"methods\": [\"GET\", \"PUT\"]")),
            #"routes.json:5: error: /routes/2/methods: /routes/0 takes GET of "/a" (expected each method of a path in one route)"#
        ),
        InvalidCase(
            "overlapping-all",
            routes(
                route("/a/*", #""methods": ["GET"], "hosts": ["a.example", "b.example"]"#),
                route("/a/*", #""name": "b", "hosts": ["B.example"]"#)),
            #"routes.json:3: error: /routes/1: GET of "/a/*" is routed already (expected "methods" without GET)"#
        ),
        badPath("path-relative", "items", #"it does not begin with "/""#),
        badPath("path-empty-segment", "/a//b", #"it has an empty segment ("//")"#),
        badPath("path-dots", "/a/../b", "it has a dot segment"),
        badPath("path-inner-double-star", "/a/**/b", #""**" is allowed at the end only"#),
        badPath("path-partial-star", "/a/b*", #""*" stands for a whole segment"#),
        InvalidCase(
            "path-variables-alike", routes(route("/a/{id}"), route("/a/{user}")),
            #"routes.json:3: error: /routes/1: unreachable route: /routes/0 takes every method of "/a/{user}" (expected another path, host or method)"#
        ),
        badPath("path-partial-variable", "/a/x{id}", #""{name}" stands for a whole segment"#),
        badPath(
            "path-variable-name", "/a/{Id}",
            "the name of a variable is a lower-case letter, and letters, digits and _ behind it"),
        badPath("path-variable-twice", "/{id}/{id}", "two variables have the same name"),
        badPath("path-query", "/a?b=c", "a character must be percent-encoded"),
        badPath(
            "path-encoded-slash", "/a%2Fb",
            "an encoded slash, backslash or control character is refused in every request"),
        badPath("path-encoded-letter", "/%61", "a character that may stand for itself is percent-encoded"),
        badPath("path-encoded-colon", "/a%3Ab", "a character that may stand for itself is percent-encoded"),
        badPath("path-encoded-semicolon", "/a%3Bb", "a character that may stand for itself is percent-encoded"),
        badPath("path-encoding-case", "/a%c3%a9", "percent-encodings are written in upper case"),
        badPath("path-encoding-short", "/a%2", #""%" needs two hexadecimal digits"#),
        shadow("/oauth2/token", "/oauth2/**"),
        shadow("/token", "/token"),
        shadow("/oauth2/other", "/oauth2/**"),
        shadow("/oauth2/*", "/oauth2/**"),
        shadow("/.well-known/jwks.json", "/.well-known/jwks.json"),
        shadow("/mobile/platform/users/~", "/mobile/platform/users/~"),
        shadow("/mobile/platform/sso/logout", "/mobile/platform/sso/logout"),
        InvalidCase(
            "shadows users of an application",
            routes(route("/yambas/rest/apps/a/models/Basics/User/**"), route("/yambas/rest/apps/a/models/Notes/**"))
                .merging(["applications.json": #"[{"name": "a", "apiKey": "1234567890"}]"#]) { $1 },
            #"routes.json:2: error: /routes/0/path: the gateway serves "/yambas/rest/apps/a/models/Basics/User/**" itself (expected another path)"#
        ),
        // CHAL-08's own check.
        InvalidCase(
            "webgate-name", ["webgates.json": "[{\n\"name\": \"a:b\", \"level\": 2 }]"],
            #"webgates.json:2: error: /webgates/0/name: invalid value (expected 1 to 64 letters, digits, dots, underscores and hyphens, found "a:b")"#
        ),
        InvalidCase(
            "webgate-level", ["webgates.json": #"[{ "name": "a", "level": -1 }]"#],
            "webgates.json:1: error: /webgates/0/level: out of range (expected a level from 0 to 10, found -1)"
        ),
        InvalidCase(
            "webgate-twice",
            ["webgates.json": "[{ \"name\": \"a\", \"level\": 1 },\n{ \"name\": \"a\", \"level\": 2 }]"],
            #"webgates.json:2: error: /webgates/1: duplicate webgate "a" (expected a unique name)"#
        ),
        InvalidCase(
            "webgate-mismatch",
            ["webgates.json": #"[{ "name": "a", "level": 1, "userAgentMismatch": "oam_auth" }]"#],
            #"webgates.json:1: error: /webgates/0/userAgentMismatch: invalid value (expected one of "bearer", "redirect", "oam-auth", found "oam_auth"; did you mean "oam-auth"?)"#
        ),
        InvalidCase(
            "webgate-parameter",
            ["webgates.json": #"[{ "name": "a", "level": 1, "userDefinedParameters": {"UserAgent": "x"} }]"#],
            #"webgates.json:1: error: /webgates/0/userDefinedParameters/UserAgent: unknown member "UserAgent" (did you mean "User-Agent"?)"#
        ),
    ]
}
