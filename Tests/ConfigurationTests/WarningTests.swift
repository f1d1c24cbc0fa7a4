import Declaration
import Model
import Testing

@testable import Configuration

@Suite struct WarningTests {
    /// The warnings beside the one about the memory store, which every configuration here gets (DEC-10).
    private func warnings(
        _ files: [String: String], _ environment: [String: String] = [:], production: Bool = false
    ) throws -> [String] {
        let loaded = try ConfigurationDirectory(files).load(environment, production: production)
        #expect(loaded.lines(.error) == [])
        return loaded.diagnostics.filter { $0.pointer != "/store/kind" }.map(\.description)
    }

    @Test func memoryStore() throws {
        let loaded = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway("\"store\": {\n\"kind\": \"memory\"}")
        ])
        .load()
        #expect(
            loaded.diagnostics.map(\.description) == [
                "gateway.json:6: warning: /store/kind: tokens and sessions are stored in memory and are lost with the process (expected a durable store where restarts matter)"
            ])
    }

    /// CORS-04 and the rest of the grammar: patterns that never match.
    @Test(
        arguments: [
            ("example.com", "it has no scheme", "https://example.com"),
            ("*", "a pattern needs a scheme and a host; no pattern matches every origin", nil),
            ("https://a.example/", "it has a path or trailing slash", "https://a.example"),
            ("https://a.example/x", "it has a path or trailing slash", "https://a.example"),
            ("null", #"the origin "null" is always refused"#, nil),
            ("http*://a.example", "its scheme is not literal", nil),
            ("https://", "it has no host", nil),
            ("https://a.example:x", #"its port is not a number or "*""#, nil),
            ("https://a.example:70000", #"its port is not a number or "*""#, nil),
        ] as [(String, String, String?)])
    func patternsThatNeverMatch(pattern: String, reason: String, suggestion: String?) throws {
        let files = ["policies.json": "{\n\"Security_AllowOrigin\": \"https://ok.example, \(pattern)\"}"]
        let question = suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
        #expect(
            try warnings(files) == [
                #"policies.json:2: warning: /policies/Security_AllowOrigin: the pattern "\#(pattern)" never matches: \#(reason) (expected a pattern such as "https://*.example.com"\#(question))"#
            ])
    }

    @Test("a time without use that no session reaches has no effect")
    func idleTimeouts() throws {
        func found(_ sessions: String, login: String) throws -> [String] {
            try warnings([
                "gateway.json": ConfigurationDirectory.gateway(#""sessions": \#(sessions)"#),
                "users.json": #"[{"username": "joe"}]"#,
                "routes.json": #"[{"path": "/a", "upstream": "inventory", "login": \#(login)}]"#,
            ])
        }
        #expect(
            try found(#"{"lifetime": "1h", "idleTimeout": "2h"}"#, login: #""local""#) == [
                #"gateway.json:5: warning: /sessions/idleTimeout: the timeout has no effect, since a session lasts 1h (expected a shorter time, or "0s" for no limit)"#
            ])
        let limits = #""providers": "local", "sessionLifetime": "30m""#
        #expect(
            try found("{}", login: #"{\#(limits), "idleTimeout": "1h"}"#) == [
                #"routes.json:1: warning: /routes/0/login/idleTimeout: the timeout has no effect, since a session lasts 30m (expected a shorter time, or "0s" for no limit)"#
            ])
        // The default of the one is no mistake in the other.
        #expect(try found(#"{"lifetime": "30m"}"#, login: #"{\#(limits), "idleTimeout": "30m"}"#) == [])
    }

    @Test("a client whose tokens have no user cannot use a route that requires one")
    func clientsWithoutUsers() throws {
        func found(_ client: String, _ route: String = "", _ more: String = "") throws -> [String] {
            try warnings([
                "clients.json": #"[{"clientId": "job", "clientSecret": "s"\#(client)}\#(more)]"#,
                "routes.json": #"[{"path": "/a", "upstream": "inventory", "clients": ["job"]\#(route)}]"#,
            ])
        }
        let warning =
            #"routes.json:1: warning: /routes/0/clients: the route requires a user, and tokens of "job" have none (expected "loginRequired": false, or a grant of users in "grantTypes" of the client)"#
        #expect(try found("") == [warning])
        #expect(try found("", #", "methods": {"GET": {}, "POST": {"loginRequired": true}}"#) == [warning])
        #expect(try found("", #", "loginRequired": false"#) == [])
        #expect(try found("", #", "methods": {"GET": {"loginRequired": false}, "POST": {}}"#) == [])
        #expect(try found(#", "grantTypes": ["client_credentials", "password"]"#) == [])
        let exchange = #", {"clientId": "web", "clientSecret": "t", "tokenExchange": {"subjects": ["job"]}}"#
        #expect(try found("", "", exchange) == [])
    }

    @Test("missing texts of a further language are named, those of a built-in one are not")
    func missingTexts() throws {
        let files = [
            "gateway.json": ConfigurationDirectory.gateway(#""pages": {"texts": {"fr": "fr.json", "de": "de.json"}}"#),
            "fr.json": #"{"signIn": "Connexion"}"#, "de.json": #"{"signIn": "Einloggen"}"#,
        ]
        let missing = PageTextFile.known.count - 1
        #expect(
            try warnings(files) == [
                #"gateway.json:5: warning: /pages/texts/fr: \#(missing) texts in "fr" are missing and are in English: signInTo, userName, password, showPassword, shownPasswordHint, and \#(missing - 5) more (expected all texts of texts/en.json, which `portcullis schema` writes)"#
            ])
    }

    @Test("a scope that gives roles has a text for users")
    func scopeRoles() throws {
        func files(_ texts: String) -> [String: String] {
            let registration = """
                {"client": "a/1", "initialAccessTokens": ["0123456789abcdef0123456789abcdef"],
                 "scopeRoles": {"notes": ["Manager"]}}
                """.replacing("\n", with: " ")
            return [
                "gateway.json": ConfigurationDirectory.gateway(
                    #""tokenService": {"scopes": ["notes"], "scopeDescriptions": \#(texts), "registration": \#(registration)}"#
                ),
                "backends.json": #"[{"name": "a", "version": "1", "mobileBackendId": "m"}]"#,
                "identityProviders.json": #"[{"name": "local", "kind": "local"}]"#, "roles.json": #"["Manager"]"#,
            ]
        }
        #expect(try warnings(files(#"{"notes": "Change your notes"}"#)) == [])
        #expect(
            try warnings(files("{}")) == [
                #"gateway.json:5: warning: /tokenService/registration/scopeRoles: users are asked about roles by the name "notes" alone (expected a text for it in "scopeDescriptions")"#
            ])
    }

    @Test("RFC 7591: a registration that is open to all is named")
    func openRegistration() throws {
        func files(_ members: String) -> [String: String] {
            [
                "gateway.json": ConfigurationDirectory.gateway(
                    #""tokenService": {"registration": {"client": "a/1", \#(members)}}"#),
                "backends.json": #"[{"name": "a", "version": "1", "mobileBackendId": "m"}]"#,
                "identityProviders.json": #"[{"name": "local", "kind": "local"}]"#,
            ]
        }
        #expect(
            try warnings(files(#""open": true"#)) == [
                #"gateway.json:5: warning: /tokenService/registration/open: any program may register as a client (expected "initialAccessTokens" where the clients are known)"#
            ])
        #expect(
            try warnings(files(#""initialAccessTokens": ["0123456789abcdef0123456789abcdef"]"#)) == [])
    }

    @Test(arguments: [
        "disallow", "", "https://*.example.com:*", "https://ex*.example.com:8080", "http://[::1]:3000",
        "https://myexample.com, https://*.example.com, https://*.example2.com", "http://localhost:3000",
        "https://a.example:80*",
    ])
    func patternsThatAreFine(patterns: String) throws {
        #expect(try warnings(["policies.json": #"{"Security_AllowOrigin": "\#(patterns)"}"#]) == [])
    }

    @Test("RFC 8252 section 8.3: localhost in a redirect URI is a warning, also of a backend and after a logout")
    func localhost() throws {
        let client =
            #"{"clientId": "a", "clientSecret": "s", "redirectUris": ["http://localhost/cb", "http://127.0.0.1/cb"]}"#
        let backend = #"""
            {"name": "b", "version": "1", "mobileBackendId": "m", "clientId": "c", "clientSecret": "s",
             "redirectUris": ["https://b.example.com/"], "postLogoutRedirectUris": ["http://localhost:1/"]}
            """#
        let loaded = try ConfigurationDirectory([
            "clients.json": "[\(client)]", "backends.json": "[\(backend)]",
            "identityProviders.json": #"[{"name": "local", "kind": "local"}]"#,
        ]).load()
        #expect(loaded.lines(.error) == [])
        #expect(
            loaded.diagnostics.filter { $0.message.contains("8.3") }.map(\.pointer) == [
                "/backends/0/postLogoutRedirectUris/0", "/clients/0/redirectUris/0",
            ])
    }

    @Test func disallowInAList() throws {
        let lines = try warnings(["policies.json": #"{"Security_AllowOrigin": "https://a.example, disallow"}"#])
        #expect(
            lines == [
                #"policies.json:1: warning: /policies/Security_AllowOrigin: "disallow" in a list is a pattern that never matches (expected "disallow" alone, or origins)"#
            ])
    }

    /// CORS-10: the same grammar on routes.
    @Test(arguments: ["https://example.*", "https://*", "https://www.example.co*:8443"])
    func wildcardInTheLastLabel(pattern: String) throws {
        let files = ["routes.json": #"[{ "path": "/a", "upstream": "inventory", "allowOrigin": "\#(pattern)" }]"#]
        #expect(
            try warnings(files) == [
                #"routes.json:1: warning: /routes/0/allowOrigin: the pattern "\#(pattern)" has "*" in the last label of the host, which matches any domain (expected a literal top-level domain)"#
            ])
    }

    @Test func socialLoginWithRoles() throws {
        let files = [
            "routes.json": #"[{ "path": "/a", "upstream": "inventory", "socialLogin": true, "roles": ["Clerk"] }]"#
        ]
        #expect(
            try warnings(files) == [
                #"routes.json:1: warning: /routes/0: social users have no roles, so "roles" locks them out of this route"#
            ])
    }

    @Test func wideRoutesAroundEndpoints() throws {
        let files = ["routes.json": #"[{ "path": "/mobile/platform/**", "upstream": "inventory" }]"#]
        #expect(
            try warnings(files) == [
                #"routes.json:1: warning: /routes/0/path: the gateway answers "/mobile/platform/sso/exchange-token", "/mobile/platform/sso/redirect", "/mobile/platform/sso/redirect/saml", "/mobile/platform/sso/logout", "/mobile/platform/auth/token", "/mobile/platform/users/~" itself (expected a pattern that leaves them out, found "/mobile/platform/**")"#
            ])
    }

    @Test func acknowledgedEndpointsInside() throws {
        let route = #"{ "path": "/mobile/platform/**", "upstream": "inventory", "acknowledge": ["endpoints-inside"] }"#
        #expect(try warnings(["routes.json": "[\(route)]"]) == [])
    }

    /// Users of one issuer, and of two, may own a path by a claim.
    @Test(
        arguments: [
            (#""issuers": "a""#, nil), (#""issuers": ["a", "b"]"#, #""a", "b""#),
            (#""loginRequired": true"#, #""a", "b", "local""#),
            (#""authenticators": [{"type": "bearer", "issuer": "b"}]"#, nil),
            (#""acknowledge": ["shared-names"]"#, nil),
        ] as [(String, String?)])
    func ownersOfSeveralIssuers(_ members: String, _ named: String?) throws {
        let issuers = ["a", "b"].map { name in
            #"{"name": "\#(name)", "issuer": "https://\#(name).example", "audience": ["api"], "jwksUri": "https://\#(name).example/k"}"#
        }
        let claims = #""claims": {"sub": {"in": ["admin", "{id}"]}}"#
        let route = #"{ "path": "/users/{id}", "upstream": "inventory", \#(claims), \#(members) }"#
        let expected = named.map {
            #"routes.json:1: warning: /routes/0/claims: users of \#($0) with the same claim are one owner of the path (expected "issuers" with one of them, or "acknowledge": ["shared-names"])"#
        }
        let found = try warnings([
            "routes.json": "[\(route)]", "trustedIssuers.json": "[\(issuers.joined(separator: ", "))]",
        ])
        #expect(found == [expected].compactMap(\.self))
    }

    @Test func uncommonMethod() throws {
        let files = ["routes.json": #"[{ "path": "/a", "upstream": "inventory", "methods": ["PSOT", "PROPFIND"] }]"#]
        #expect(
            try warnings(files) == [
                #"routes.json:1: warning: /routes/0/methods/0: uncommon method "PSOT" (did you mean "POST"?)"#
            ])
    }

    @Test func filesThatNobodyReads() throws {
        let lines = try warnings(["route.json": "[]", "upstreams.json": "{}", "notes.json": "x", "readme.txt": ""])
        #expect(
            lines == [
                "notes.json:1: warning: the file is not read (expected the name of a section)",
                #"route.json:1: warning: the file is not read (expected the name of a section; did you mean "routes.json"?)"#,
                #"upstreams.json:1: warning: "upstreams" is read from gateway.json only (expected "upstreams" in gateway.json)"#,
            ])
    }

    /// A key set beside the sections is read, if not as a section.
    @Test func filesThatTheConfigurationNames() throws {
        let lines = try warnings([
            "jwks.json": "{}",
            "trustedIssuers.json": #"[{ "name": "idp", "issuer": "i", "audience": ["a"], "jwksFile": "jwks.json" }]"#,
        ])
        #expect(lines == [])
    }

    /// CORS-09, and what else is fit for development only.
    @Test func production() throws {
        let files = [
            "gateway.json": """
            {
              "baseUrl": "http://gw.example.com",
              "additionalBaseUrls": ["http://localhost:8080"],
              "listeners": [{ "address": "0.0.0.0", "port": 80 }],
              "admin": { "address": "10.0.0.1", "adminToken": "t0ken" },
              "upstreams": { "inventory": { "url": "http://127.0.0.1:9000" } }
            }
            """,
            "policies.json": #"{ "Security_AllowOrigin": "http://localhost:3000" }"#,
            "users.json": """
            [{ "username": "a", "password": "{PlainText}x" },
             { "username": "b", "password": "{SHA-512}x" },
             { "username": "c", "password": "{scrypt}x" },
             { "username": "d", "password": "{PBKDF2-SHA512}x" }]
            """,
        ]
        #expect(try warnings(files) == [])
        #expect(
            try warnings(files, production: true) == [
                #"gateway.json:2: warning: /baseUrl: clients reach the gateway without TLS (expected an origin with https, found "http://gw.example.com")"#,
                #"gateway.json:3: warning: /additionalBaseUrls/0: the origin is for development only (expected an origin clients can reach, found "http://localhost:8080")"#,
                #"gateway.json:5: warning: /admin/adminToken: the secret is written in the configuration (expected "env:NAME", "file:PATH", "cred:KEY" or "program:NAME:KEY")"#,
                #"policies.json:1: warning: /policies/Security_AllowOrigin: the pattern "http://localhost:3000" is for development only (expected the origin of the application)"#,
                #"users.json:1: warning: /users/0/password: the password scheme "PlainText" is quickly guessed (expected "{scrypt}")"#,
                #"users.json:2: warning: /users/1/password: the password scheme "SHA-512" is quickly guessed (expected "{scrypt}")"#,
            ])
    }

    /// It is the issuer of tokens and part of every address that clients are sent to.
    @Test(arguments: ["http://127.0.0.1:8080", "https://localhost", "https://gw.localhost:8443", "http://[::1]"])
    func baseURLOfThisMachine(origin: String) throws {
        let files = [
            "gateway.json": #"{ "baseUrl": "\#(origin)", "listeners": [{ "address": "127.0.0.1", "port": 80 }] }"#
        ]
        #expect(try warnings(files) == [])
        #expect(
            try warnings(files, production: true) == [
                #"gateway.json:1: warning: /baseUrl: the origin is for development only (expected an origin clients can reach, found "\#(origin)")"#
            ])
    }

    @Test("GW-13: credentials in the clear, where others come in", arguments: ["127.0.0.1", "0.0.0.0"])
    func clearCredentials(address: String) throws {
        let files = [
            "gateway.json": """
            {
              "baseUrl": "https://gw.example.com",
              "listeners": [{ "address": "\(address)", "port": 80 }],
              "tokenService": { "requireTls": false }
            }
            """
        ]
        #expect(try warnings(files) == [])
        #expect(
            try warnings(files, production: true)
                == (address == "127.0.0.1"
                    ? []
                    : [
                        #"gateway.json:4: warning: /tokenService/requireTls: passwords and client secrets are accepted without TLS (expected true, or no "requireTls")"#
                    ]))
    }

    @Test(
        "CHAL-06: a form that admits no user, since no login of its domain has the level",
        arguments: [
            (#""level": 2"#, 2), (#""level": 3"#, nil), (#""level": 2, "otp": true"#, nil),
            (#""level": 2, "otp": true, "stepUpOnly": true"#, nil), (#""level": 1, "kba": true"#, 2),
            (#""level": 1, "kba": true, "strongLevel": 3"#, nil), (#""scheme": "S""#, nil),
            (#""strongLevel": 5"#, 2),
        ] as [(String, Int?)])
    func unreachableLevel(authentication: String, highest: Int?) throws {
        let files = [
            "serviceDomains.json": """
            { "D": { "authentication": { \(authentication) }, "applications": { "App": { "backend": "inventory/1.0" } } } }
            """,
            "webgates.json": """
            { "authenticationSchemes": [{ "name": "S", "challengeMethod": "FORM", "challengeUrl": "/f?serviceDomain=D",
            "authenticationLevel": 3 }], "webgates": [{ "name": "MainWG", "authenticationScheme": "S",
            "userAgentMismatch": "redirect" }] }
            """,
        ]
        let expected = highest.map {
            #"webgates.json:2: warning: /authenticationSchemes/0/authenticationLevel: no login at "D" reaches level 3, so that logins by the form never suffice (expected \#($0) at the most, or "kba", "otp" or "strongLevel" of the domain)"#
        }
        #expect(try warnings(files) == [expected].compactMap(\.self))
    }

    @Test func certificatesThatNobodyAsksFor() throws {
        let files = [
            "routes.json": """
            [{ "path": "/a", "upstream": "inventory" },
             { "path": "/b", "upstream": "inventory", "methods": { "GET": { "clientCertificate": true } } }]
            """
        ]
        #expect(
            try warnings(files) == [
                #"routes.json:2: warning: /routes/1/clientCertificate: no listener requests client certificates (expected a listener with "clientAuth": "optional" or "required")"#
            ])
    }

    /// AMB-22: such a webgate challenges browsers, too.
    @Test(arguments: [
        ("", true), (#", "userAgentMismatch": "redirect""#, false), (#", "userAgentMismatch": "oam-auth""#, false),
        (#", "userDefinedParameters": { "User-Agent": "OIC-Agent" }"#, false),
    ])
    func formThatNobodyIsSentTo(members: String, isTold: Bool) throws {
        let files = [
            "serviceDomains.json": #"{ "D": { "applications": { "A": { "backend": "inventory/1.0" } } } }"#,
            "webgates.json": """
            { "authenticationSchemes": [{ "name": "Form", "authenticationLevel": 2, "challengeMethod": "FORM",
                                          "challengeUrl": "/login?serviceDomain=D" }],
              "webgates": [{ "name": "MainWG", "level": 2 },
                           { "name": "WG", "authenticationScheme": "Form"\(members) }] }
            """,
        ]
        let line =
            #"webgates.json:4: warning: /webgates/1/authenticationScheme: no browser is redirected to the form of "Form" (expected "userAgentMismatch": "redirect", or the "User-Agent" of clients that are challenged)"#
        #expect(try warnings(files) == (isTold ? [line] : []))
    }

    @Test func productionWithoutFault() throws {
        let files = [
            "gateway.json": """
            {
              "baseUrl": "https://gw.example.com",
              "listeners": [{ "address": "0.0.0.0", "port": 443 }],
              "admin": { "address": "10.0.0.1", "adminToken": "env:T" },
              "upstreams": { "inventory": { "url": "http://127.0.0.1:9000" } }
            }
            """
        ]
        #expect(try warnings(files, ["T": "t0ken"], production: true) == [])
    }
}
