extension InvalidCase {
    /// Requirements on the login of a caller (RFC 9470), and routes that lead clients to it (RFC 9728).
    static let loginCases: [InvalidCase] = [
        InvalidCase(
            "acr-none", routes(route("/a", #""acr": []"#)),
            #"routes.json:2: error: /routes/0/acr: the list is empty (expected at least one level, or no "acr")"#
        ),
        InvalidCase(
            "public-with-clients", routes(route("/a", #""public": true, "clients": ["web"]"#)),
            #"routes.json:2: error: /routes/0/clients: a public route has no caller (expected no "clients" beside "public")"#,
            #"routes.json:2: error: /routes/0/clients/0: unknown client "web" (expected the id of a client, or a backend as "name/version")"#
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
            "resource-type", routes(route("/a", #""protectedResource": "x""#)),
            #"routes.json:2: error: /routes/0/protectedResource: wrong type (expected true, or {"resource", "name", "documentation", "scopes"}, found "x")"#
        ),
        InvalidCase(
            "resource-fragment", resource("/a", "https://gw.example.com/a#b"),
            #"routes.json:2: error: /routes/0/protectedResource/resource: invalid value: it must not have a fragment (expected an https URL without query and fragment, such as "https://api.example.com/mcp", found "https://gw.example.com/a#b")"#
        ),
        InvalidCase(
            "resources", gateway: #""tokenService": {"resources": ["/mcp", "urn:a", "https://a#b", "a:", "1:b"]}"#,
            #"gateway.json:5: error: /tokenService/resources/0: no identifier of a resource (expected an absolute URI without fragment, such as "https://api.example.com", found "/mcp")"#,
            #"gateway.json:5: error: /tokenService/resources/2: no identifier of a resource (expected an absolute URI without fragment, such as "https://api.example.com", found "https://a#b")"#,
            #"gateway.json:5: error: /tokenService/resources/3: no identifier of a resource (expected an absolute URI without fragment, such as "https://api.example.com", found "a:")"#,
            #"gateway.json:5: error: /tokenService/resources/4: no identifier of a resource (expected an absolute URI without fragment, such as "https://api.example.com", found "1:b")"#
        ),
        InvalidCase(
            "resource-query", resource("/a", "https://gw.example.com/a?b"),
            #"routes.json:2: error: /routes/0/protectedResource/resource: a resource has no query here (expected an https URL without query and fragment, such as "https://api.example.com/mcp", found "https://gw.example.com/a?b")"#
        ),
        InvalidCase(
            "resource-http", resource("/a", "http://gw.example.com/a"),
            #"routes.json:2: error: /routes/0/protectedResource/resource: not encrypted (expected an https URL without query and fragment, such as "https://api.example.com/mcp", found "http://gw.example.com/a")"#
        ),
        InvalidCase(
            "resource-origin", resource("/a", "https://elsewhere.example/a"),
            #"routes.json:2: error: /routes/0/protectedResource/resource: its origin is not one of the gateway's (expected the origin of "baseUrl" or "additionalBaseUrls", or one of the route's "hosts", found "https://elsewhere.example")"#
        ),
        InvalidCase(
            "resource-path", resource("/a/b/**", "https://h.example/a/c", #", "hosts": ["h.example"]"#),
            #"routes.json:2: error: /routes/0/protectedResource/resource: its path does not lead to the route "/a/b/**" (expected "/a/b", or what it begins with, found "/a/c")"#
        ),
        InvalidCase(
            "resource-host", routes(route("/a", #""protectedResource": true, "hosts": ["h.example"]"#)),
            #"routes.json:2: error: /routes/0/protectedResource: neither "baseUrl" nor "additionalBaseUrls" has a host of the route (expected its "resource")"#
        ),
        InvalidCase(
            "resource-public", routes(route("/a", #""protectedResource": true, "public": true"#)),
            #"routes.json:2: error: /routes/0/protectedResource: a public route asks for no token (expected no "protectedResource")"#
        ),
        InvalidCase(
            "resource-shadowed",
            routes(
                route("/a", #""protectedResource": true"#),
                route("/.well-known/oauth-protected-resource/a", #""public": true"#)),
            #"routes.json:3: error: /routes/1/path: the gateway serves "/.well-known/oauth-protected-resource/**" itself (expected another path, found "/.well-known/oauth-protected-resource/a")"#
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
        login(
            "type", #""login": 1"#,
            #"/routes/0/login: wrong type (expected the name of an identity provider, "local", a list of names, or {"providers", "sessionLifetime", "idleTimeout", "claims", "tokens", "recheck"}, found 1)"#
        ),
        login(
            "unknown", #""login": "stuff""#,
            #"/routes/0/login: unknown identity provider "stuff" (expected the name of an identity provider; did you mean "staff"?)"#
        ),
        login(
            "public", #""login": "staff", "public": true"#,
            #"/routes/0/login: a public route has no caller (expected no "login" here)"#),
        login(
            "social", #""login": "staff", "socialLogin": true"#,
            #"/routes/0/login: a login at a provider is not a social login (expected no "socialLogin" beside it)"#),
        login(
            "webgate", #""login": "staff", "webgate": "WG""#,
            #"/routes/0/login: a webgate has a login of its own (expected no "webgate" beside it)"#),
        login(
            "scheme", #""login": "staff", "authenticationScheme": "S""#,
            #"/routes/0/login: an authentication scheme has a login of its own (expected no "authenticationScheme" beside it)"#
        ),
        login(
            "form", #""login": "form""#,
            #"/routes/0/login: the gateway's own form has no users (expected users in users.json, which `portcullis users add` adds)"#
        ),
        login(
            "local", #""login": ["staff", "local"]"#,
            #"/routes/0/login: the gateway's own form has no users (expected users in users.json, which `portcullis users add` adds)"#
        ),
        InvalidCase(
            "login-local-twice",
            routes(route("/a", #""login": "local""#), route("/b", #""login": ["local"]"#)),
            #"routes.json:2: error: /routes/0/login: the gateway's own form has no users (expected users in users.json, which `portcullis users add` adds)"#
        ),
        login(
            "local mistyped", #""login": "locl""#,
            #"/routes/0/login: unknown identity provider "locl" (expected the name of an identity provider; did you mean "local"?)"#
        ),
        login(
            "none", #""login": []"#,
            #"/routes/0/login: the list is empty (expected the name of an identity provider)"#
        ),
        login(
            "one unknown", #""login": ["staff", "stuff"]"#,
            #"/routes/0/login/1: unknown identity provider "stuff" (expected the name of an identity provider; did you mean "staff"?)"#
        ),
        login(
            "short", #""login": {"providers": "staff", "sessionLifetime": "0s"}"#,
            #"/routes/0/login/sessionLifetime: out of range (expected a duration from "1s", found "0s")"#),
        login(
            "idle", #""login": {"providers": "staff", "idleTimeout": "10ms"}"#,
            #"/routes/0/login/idleTimeout: out of range (expected "0s", or a duration from "1s", found "10ms")"#),
        InvalidCase(
            "claims-domain", routes(route("/a", #""claims": {"email": {"domain": ["*.example.com"]}}"#)),
            #"routes.json:2: error: /routes/0/claims/email/domain/0: no domain (expected a domain such as "example.com", found "*.example.com")"#
        ),
        InvalidCase(
            "claims-domain-none", routes(route("/a", #""claims": {"email": {"domain": []}}"#)),
            #"routes.json:2: error: /routes/0/claims/email: "domain" has no value (expected at least one domain)"#),
        InvalidCase(
            "claims-domain-other", routes(route("/a", #""claims": {"upn": {"domain": ["example.com"]}}"#)),
            #"routes.json:2: error: /routes/0/claims/upn: "email_verified" says nothing of "upn" (expected "domain" of the claim "email")"#
        ),
        login(
            "claim", #""login": "staff", "claims": {"department": "sales"}"#,
            #"/routes/0/login: sessions at "staff" do not keep the claim "department", which the route looks at (expected "claims" here with it)"#
        ),
        login(
            "claim-of-field",
            #""login": {"providers": "staff", "claims": ["email"]}, "requestHeaders": {"set": {"X-Name": "${claim.name}"}}"#,
            #"/routes/0/login: sessions at "staff" do not keep the claim "name", which the route looks at (expected "claims" here with it)"#
        ),
        login(
            "claim-of-policy", #""login": "staff", "methods": {"GET": {"policy": "pdp"}}"#,
            #"/routes/0/login: sessions at "staff" do not keep the claim "department", which the route looks at (expected "claims" here with it)"#
        ),
        login(
            "claims-path", #""login": {"providers": "staff", "claims": ["a..b"]}"#,
            #"/routes/0/login/claims/0: "a..b" names no claim: it has an empty name (a dot at an end, or two in a row) (expected a claim)"#
        ),
        InvalidCase(
            "cookie-domain-public", gateway: #""sessions": {"cookieDomain": "co.uk"}"#,
            #"gateway.json:5: error: /sessions/cookieDomain: hosts of others are below it, and would get the cookie (expected a domain of your own, found "co.uk")"#
        ),
        InvalidCase(
            "cookie-domain-label", gateway: #""sessions": {"cookieDomain": "localhost"}"#,
            #"gateway.json:5: error: /sessions/cookieDomain: hosts of others are below it, and would get the cookie (expected a domain of your own, found "localhost")"#
        ),
        InvalidCase(
            "cookie-domain-dot", gateway: #""sessions": {"cookieDomain": ".example.com"}"#,
            #"gateway.json:5: error: /sessions/cookieDomain: invalid value (expected a domain such as "example.com", in lower case and without a dot in front, found ".example.com")"#
        ),
        InvalidCase(
            "cookie-domain-other", gateway: #""sessions": {"cookieDomain": "example.com"}"#,
            #"gateway.json:5: error: /sessions/cookieDomain: "127.0.0.1" is not below it (expected a parent domain of all base URLs, found "example.com")"#
        ),
        InvalidCase(
            "cookie-domain-host", files: cookieDomain,
            [
                #"routes.json:2: error: /routes/0/hosts/1: the host gets no cookie of "example.com" (expected a host below "cookieDomain" of "sessions", found "mail.example.org")"#
            ]),
        login(
            "no-tokens", #""login": "staff", "injection": {"from": "login"}"#,
            #"/routes/0/injection: no login of the route keeps the tokens of its provider (expected "login": {"providers": …, "tokens": true} beside it)"#
        ),
        login(
            "two-sources",
            #""login": {"providers": "staff", "tokens": true}, "injection": {"from": "login", "issuer": "local"}"#,
            #"/routes/0/injection/from: "from" and "issuer" exclude each other (expected one of the two)"#),
        login(
            "no-source", #""login": "staff", "injection": {"header": "X-Token"}"#,
            #"/routes/0/injection: no source of the token (expected "issuer" or "from")"#),
        login(
            "own-tokens", #""login": {"providers": ["staff", "local"], "tokens": true}"#,
            #"/routes/0/login: the gateway's own form has no users (expected users in users.json, which `portcullis users add` adds)"#,
            #"/routes/0/login/tokens: a login at "local" yields no tokens (expected providers of OpenID Connect or OAuth 2 alone)"#
        ),
        login(
            "own-recheck", #""login": {"providers": "local", "recheck": "5m"}"#,
            #"/routes/0/login: the gateway's own form has no users (expected users in users.json, which `portcullis users add` adds)"#,
            #"/routes/0/login/recheck: a login at "local" yields no tokens, with which it could be asked (expected providers of OpenID Connect or OAuth 2 alone)"#
        ),
        login(
            "recheck-answered",
            #""login": {"providers": "staff", "recheck": "5m"}, "upstreamAuth": "oam-challenge", "injection": {"issuer": "local"}"#,
            #"/routes/0/login/recheck: the provider is asked before a request is forwarded, as this route's are not at once (expected no "upstreamAuth", "response" or "redirect" beside it)"#
        ),
        login(
            "limits", #""login": {"providers": "staff", "idleTimeout": "1m"}"#,
            more: #"{"path": "/b", "upstream": "inventory", "login": {"providers": "staff", "idleTimeout": "2m"}}"#,
            #"/routes/1/login/idleTimeout: another route has another value for the sessions of "staff" (expected one "idleTimeout" for a provider)"#
        ),
    ]

    /// A login under a host that is not below the domain of the cookie.
    private static var cookieDomain: [String: String] {
        var files = routes(route("/a", #""login": "local", "hosts": ["shop.example.com", "mail.example.org"]"#))
        files["gateway.json"] = ConfigurationDirectory.gateway(#""sessions": {"cookieDomain": "example.com"}"#)
            .replacing("http://127.0.0.1:8080", with: "https://gw.example.com")
        files["users.json"] = #"[{"username": "joe", "password": "{PlainText}Welcome1"}]"#
        return files
    }

    /// A route with a login at a provider.
    private static func login(_ id: String, _ members: String, more: String? = nil, _ errors: String...) -> InvalidCase
    {
        var files = routes(([route("/a", members)] + [more].compactMap(\.self)).joined(separator: ",\n"))
        files["identityProviders.json"] =
            #"[{"name": "staff", "issuer": "https://idp", "clientId": "a", "clientSecret": "s"}, {"name": "form", "kind": "local"}]"#
        files["gateway.json"] = ConfigurationDirectory.gateway(
            #""policyServers": {"pdp": {"url": "https://pdp.example.com/", "claims": ["department"]}}"#)
        files["webgates.json"] =
            #"{"authenticationSchemes": [{"name": "S", "authenticationLevel": 2, "challengeMethod": "BASIC"}], "webgates": [{"name": "WG", "level": 2}]}"#
        return InvalidCase(
            "login-\(id)", files: files, errors.map { "routes.json:\(more == nil ? 2 : 3): error: \($0)" })
    }

    private static func resource(_ path: String, _ url: String, _ more: String = "") -> [String: String] {
        routes(route(path, #""protectedResource": {"resource": "\#(url)"}\#(more)"#))
    }
}
