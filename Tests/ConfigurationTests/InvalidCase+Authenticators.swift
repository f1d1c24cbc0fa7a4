extension InvalidCase {
    /// Lists of the kinds of credentials that a route takes.
    static let authenticatorCases: [InvalidCase] = [
        list(
            "all-one", #"[{"all": ["apiKey"]}]"#,
            #"/routes/0/authenticators/0/all: no key and one other kind (expected \#(pair))"#),
        list(
            "all-three", #"[{"all": ["apiKey", "bearer", "basic"]}]"#,
            #"/routes/0/authenticators/0/all: no key and one other kind (expected \#(pair))"#),
        list(
            "all-no-key", #"[{"all": ["basic", "bearer"]}]"#,
            #"/routes/0/authenticators/0/all: no key and one other kind (expected \#(pair))"#),
        list(
            "all-session", #"[{"all": ["apiKey", "session"]}]"#,
            #"/routes/0/authenticators/0/all: no key and one other kind (expected \#(pair))"#),
        list(
            "all-object", #"[{"all": ["apiKey", {"type": "bearer"}]}]"#,
            #"/routes/0/authenticators/0/all/1: wrong type (expected \#(pair), found an object)"#),
        list(
            "all-failure", #"[{"all": ["apiKey", "bearer"], "onFailure": "next"}]"#,
            #"/routes/0/authenticators/0/onFailure: it is about one kind (expected no "onFailure" beside "all")"#),
        list(
            "all-twice", #"["bearer", {"all": ["apiKey", "bearer"]}]"#,
            "/routes/0/authenticators/1: the kind is listed twice (expected each once)"),
        list(
            "all-and-key", #"[{"all": ["apiKey", "bearer"]}, "apiKey"]"#,
            #"/routes/0/authenticators/1: a key alone would open the route (expected "apiKey" in "all", or alone)"#),
        list(
            "all-places", #"[{"all": ["apiKey", "bearer"]}], "tokenSources": [{"header": "X-Token"}]"#,
            #"/routes/0/authenticators/0/all: "tokenSources" has no place for the key beside the other credential (expected another place, such as { "header": "X-API-Key" })"#
        ),
        list(
            "empty", "[]",
            #"/routes/0/authenticators: the list is empty (expected at least one kind, or no "authenticators")"#),
        list("type", "[1]", "/routes/0/authenticators/0: wrong type (expected \(kind), found 1)"),
        list(
            "unknown", #"["baerer"]"#,
            #"/routes/0/authenticators/0: invalid value (expected \#(kind), found "baerer"; did you mean "bearer"?)"#),
        list(
            "issuer", #"["bearer:idq"]"#,
            #"/routes/0/authenticators/0: unknown trusted issuer "idq" (expected the name of a trusted issuer, or "local" for the gateway itself)"#
        ),
        list(
            "twice", #"["basic", {"type": "basic", "onFailure": "next"}]"#,
            "/routes/0/authenticators/1: the kind is listed twice (expected each once)"),
        list(
            "issuer-of-key", #"[{"type": "apiKey", "issuer": "local"}]"#,
            #"/routes/0/authenticators/0/issuer: credentials of this kind have no issuer (expected "type": "bearer", "basic" or "saml")"#
        ),
        list(
            "cache-alone", #"[{"type": "basic", "cache": "1s"}]"#,
            #"/routes/0/authenticators/0/cache: it is about passwords that an issuer verifies (expected "type": "basic" and "issuer" beside it)"#
        ),
        list(
            "password-issuer", #"[{"type": "basic", "issuer": "x"}]"#,
            #"/routes/0/authenticators/0/issuer: unknown issuer "x" (expected the name of an issuer)"#),
        password(
            "cache", #"[{"type": "basic", "issuer": "d", "cache": "11m"}]"#,
            #"/routes/0/authenticators/0/cache: out of range (expected "0s", or "1s" to "10m", found "11m")"#),
        password(
            "backend", #"[{"type": "basic", "issuer": "d"}, "anonymousKey"]"#,
            #"/routes/0/authenticators: a mobile backend has its own passwords (expected no "anonymousKey" beside "basic" with "issuer")"#
        ),
        password(
            "twice", #"[{"type": "basic", "issuer": "d"}, "basic"]"#,
            "/routes/0/authenticators/1: the kind is listed twice (expected each once)"),
        list(
            "no-type", #"[{"onFailure": "next"}]"#,
            #"/routes/0/authenticators/0/type: required member "type" is missing (expected "type" or "all")"#),
        list(
            "public", #"["bearer"], "public": true"#,
            #"/routes/0/authenticators: a public route has no caller (expected no "authenticators" here)"#),
        list(
            "session", #"["session"]"#,
            #"/routes/0/authenticators: the route has no login of browsers (expected "login" beside it, or no "session")"#
        ),
        list(
            "social", #"["bearer"], "socialLogin": true"#,
            #"/routes/0/authenticators: a social login comes beside an anonymous key (expected "anonymousKey" in the list)"#
        ),
        list(
            "certificate-login", #"["bearer"], "certificateLogin": false"#,
            #"/routes/0/certificateLogin: the list of "authenticators" says it (expected no "certificateLogin" beside it)"#
        ),
        list(
            "certificate-social", #"["certificate", "anonymousKey"], "socialLogin": true"#,
            #"/routes/0/authenticators: a certificate is no social login (expected no "certificate" here)"#),
        list(
            "resource", #"["basic"], "protectedResource": {"resource": "https://gw.example.com/a"}"#,
            #"/routes/0/protectedResource: the route takes no tokens (expected "bearer" in "authenticators")"#),
        list(
            "saml-none", #"["saml"]"#,
            #"/routes/0/authenticators: there is no issuer of assertions (expected "samlIssuers" in Security_AuthTokenConfiguration)"#
        ),
        list(
            "saml-header", #"[{"type": "basic", "header": "X-Assertion"}]"#,
            #"/routes/0/authenticators/0/header: credentials of this kind have no header field (expected "type": "saml")"#
        ),
        assertion(
            "twice", #"["saml", {"type": "saml"}]"#,
            "/routes/0/authenticators/1: the kind is listed twice (expected each once)"),
        assertion(
            "issuer", #"[{"type": "saml", "issuer": "https://idq"}]"#,
            #"/routes/0/authenticators/0/issuer: unknown SAML issuer "https://idq" (expected an "issuerName" of "samlIssuers"; did you mean "https://idp"?)"#
        ),
        clients("basic", #"["basic"]"#),
        clients("key", #"["apiKey", "anonymousKey"]"#),
        clients("backend", #"["basic", "anonymousKey"]"#, owner: #""backends": ["b/1"]"#),
        InvalidCase(
            "authenticators-login",
            [
                "routes.json": "[\n\(route("/a", #""login": "staff", "authenticators": ["bearer"]"#))\n]",
                "identityProviders.json":
                    #"[{"name": "staff", "issuer": "https://idp", "clientId": "a", "clientSecret": "s"}]"#,
            ],
            #"routes.json:2: error: /routes/0/authenticators: the session of the route's login would not count (expected "session" in the list)"#
        ),
    ]

    private static let pair = #""apiKey" and one of "bearer", "basic", "certificate", "saml""#

    private static let kind =
        #"a kind of credential: "bearer", "basic", "anonymousKey", "apiKey", "certificate", "session", "saml", or {"type"}"#

    /// The same beside an issuer of assertions.
    private static func assertion(_ id: String, _ members: String, _ error: String) -> InvalidCase {
        var files = routes(route("/a", "\"authenticators\": \(members)"))
        files["policies.json"] = #"""
            {"Security_AuthTokenConfiguration": {"samlIssuers": [
             {"issuerName": "https://idp", "certificateSubjectNames": ["CN=idp"]}]}}
            """#
        return InvalidCase("authenticators-saml-\(id)", files, "routes.json:2: error: \(error)")
    }

    /// The same beside an issuer that verifies passwords.
    private static func password(_ id: String, _ members: String, _ error: String) -> InvalidCase {
        var files = routes(route("/a", "\"authenticators\": \(members)"))
        files["issuers.json"] =
            #"{"d": {"module": "oauth2", "tokenEndpoint": "https://d/token", "clientId": "a", "clientSecret": "b"}}"#
        return InvalidCase("authenticators-password-\(id)", files, "routes.json:2: error: \(error)")
    }

    /// The same on a route of a client that has no such credential.
    private static func clients(
        _ id: String, _ members: String, owner: String = #""clients": ["job"]"#
    ) -> InvalidCase {
        var files = routes(route("/a", "\(owner), \"loginRequired\": false, \"authenticators\": \(members)"))
        files["clients.json"] = #"[{"clientId": "job", "clientSecret": "s"}]"#
        files["backends.json"] =
            #"[{"name": "b", "version": "1", "mobileBackendId": "m", "anonymousKey": "k", "httpBasic": false}]"#
        return InvalidCase(
            "authenticators-clients-\(id)", files,
            #"routes.json:2: error: /routes/0/authenticators: no credential of the list belongs to one of the route's clients (expected "bearer" in the list, or no "clients" and "backends")"#
        )
    }

    private static func list(_ id: String, _ members: String, _ error: String) -> InvalidCase {
        InvalidCase(
            "authenticators-\(id)", routes(route("/a", "\"authenticators\": \(members)")),
            "routes.json:2: error: \(error)")
    }
}
