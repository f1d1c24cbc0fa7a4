import Foundation
import TestSupport
import Testing

/// ID tokens for applications (OpenID Connect Core), in the running gateway.
@Suite struct IDTokenTests {
    private static let redirect = AuthorizationFixture.redirect
    static let secret = "shop:shop-secret"

    /// - Parameters:
    ///   - more: further members of the client `shop`.
    ///   - service: further members of the section `tokenService`.
    static func prepare(_ settings: inout FixtureSettings, _ more: String = "", service: String = "") {
        AuthorizationFixture.prepare(&settings)
        settings["tokenService"] = #"{"scopes": ["orders"]\#(service)}"#
        settings["clients"] = FixtureSettings.list([
            """
            {"clientId": "shop", "clientSecret": "shop-secret", "redirectUris": ["\(redirect)"], "consent": "none",
             "grantTypes": ["authorization_code", "refresh_token"]\(more)}
            """
        ])
    }

    /// The answer to the exchange of a code.
    static func logIn(
        _ fixture: Fixture, scope: String, login: String = "username=joe&password=Welcome1"
    ) throws -> JSONText {
        let jar = CookieJar(fixture.gateway)
        let link = AuthorizationFixture.link("shop", redirect, "&state=s&nonce=n-1&scope=\(scope)")
        let form = try #require(jar.send("GET", link).only("Location"))
        let loggedIn = try jar.fill(jar.send("GET", form), form, login)
        let back = try jar.send("GET", #require(loggedIn.only("Location"), "\(loggedIn.status) \(loggedIn.text)"))
        let code = try #require(AuthorizationFixture.parameter("code", back), "\(back.status) \(back.text)")
        return JSONText(try fixture.redeem(code, client: secret).text)
    }

    static func refresh(_ fixture: Fixture, _ tokens: JSONText, _ more: String = "") throws -> JSONText {
        let token = try #require(tokens["refresh_token"].string)
        return JSONText(
            try fixture.grant("grant_type=refresh_token&refresh_token=\(token)\(more)", client: secret).text)
    }

    @Test(
        "a refresh gives an ID token of the same login without nonce, if the scope is kept",
        arguments: ["", #", "refreshReuseInterval": "30s""#])
    func refreshed(more: String) throws {
        let fixture = try Fixture { Self.prepare(&$0, more) }
        let tokens = try Self.logIn(fixture, scope: "openid%20orders")
        let first = JSONWebToken(try #require(tokens["id_token"].string)).claims
        #expect(first["nonce"].string == "n-1")
        let renewed = try Self.refresh(fixture, tokens)
        let second = JSONWebToken(try #require(renewed["id_token"].string)).claims
        for name in ["iss", "sub", "aud", "sid"] {
            #expect(first[name].string != nil && second[name].string == first[name].string, "\(name)")
        }
        let time = try #require(first["auth_time"].integer)
        #expect(second["auth_time"].integer == time && !second["nonce"].exists)
        #expect(second["amr"].strings == first["amr"].strings && second["at_hash"].string != first["at_hash"].string)
        let issued = try #require(second["iat"].integer)
        #expect(try issued >= #require(first["iat"].integer) && #require(second["exp"].integer) > issued)
        // It names the login at the logout, and opens nothing.
        let identity = try #require(renewed["id_token"].string)
        #expect(try fixture.request("GET", "/plain", [.bearer(identity)]).status == 401)
        let narrow = try Self.refresh(fixture, renewed, "&scope=orders")
        #expect(narrow["access_token"].exists && !narrow["id_token"].exists)
        // MSAL adds it to each request.
        let offline = try Self.refresh(fixture, narrow, "&scope=openid%20offline_access")
        #expect(offline["id_token"].exists && offline["scope"].string == "openid")
        let alone = try Self.refresh(fixture, offline, "&scope=offline_access")
        #expect(alone["scope"].string == "openid orders", "\(alone)")
        #expect(try Self.refresh(fixture, alone, "&scope=openid%20write")["error"].string == "invalid_scope")
        // The refresh token keeps the scope of the login.
        #expect(try Self.refresh(fixture, alone)["id_token"].exists)
    }

    @Test("without the scope openid a refresh gives no ID token", .tags(.core))
    func plain() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let tokens = try Self.logIn(fixture, scope: "orders")
        #expect(tokens["access_token"].exists && !tokens["id_token"].exists)
        let renewed = try Self.refresh(fixture, tokens)
        #expect(renewed["access_token"].exists && !renewed["id_token"].exists)
    }

    @Test("ID token and user info have the names and the address of the account, by scope", .tags(.core))
    func account() throws {
        let fixture = try Fixture {
            Self.prepare(&$0)
            $0["users"] = """
                [{"username": "joe", "password": "{PlainText}Welcome1", "email": "joe@example.com", "firstName": "Joe"}]
                """
        }
        for (scope, email, name) in [
            ("openid%20profile", nil, "Joe"), ("openid%20email", "joe@example.com", nil), ("openid", nil, nil),
        ] as [(String, String?, String?)] {
            let tokens = try Self.logIn(fixture, scope: scope)
            for claims in try Self.descriptions(fixture, tokens) {
                #expect(claims["sub"].string == "joe" && claims["email"].string == email, "\(claims)")
                #expect(claims["name"].string == name && claims["given_name"].string == name, "\(claims)")
                #expect(!claims["family_name"].exists && !claims["email_verified"].exists)
            }
        }
    }

    @Test("roles are in the claim that the token service names, or the client", .tags(.core))
    func groups() throws {
        for (more, name) in [("", "teams"), (#", "groupsClaim": "groups""#, "groups")] {
            let fixture = try Fixture { Self.prepare(&$0, more, service: #", "groupsClaim": "teams""#) }
            let tokens = try Self.logIn(fixture, scope: "openid")
            for claims in try Self.descriptions(fixture, tokens) + [
                JSONWebToken(#require(Self.refresh(fixture, tokens)["id_token"].string)).claims
            ] {
                #expect(claims[name].strings == ["Manager"], "\(claims)")
                #expect(name == "teams" || !claims["teams"].exists)
            }
        }
    }

    @Test("claims by template come with their scope, and never those of the token itself", .tags(.core))
    func templates() throws {
        let fixture = try Fixture {
            Self.prepare(
                &$0, #", "groupsClaim": "teams""#,
                service: """
                    , "scopeClaims": {
                        "openid": {"login": "${user}@shop", "teams": "none"},
                        "groups": {"groups": "${roles}", "list": "r:${roles}", "tenant": "acme", "lacks": "${claim.none} x"},
                        "email": {"email": "${claim.preferred_username}@example.org"}}
                    """)
        }
        let document = JSONText(try fixture.request("GET", "/.well-known/openid-configuration").text)
        #expect(document["scopes_supported"].strings == ["openid", "profile", "email", "groups", "orders"])
        #expect(["login", "groups", "tenant"].allSatisfy(document["claims_supported"].strings.contains))
        for (scope, isWide) in [("openid", false), ("openid%20groups%20email", true)] {
            for claims in try Self.descriptions(fixture, Self.logIn(fixture, scope: scope)) {
                #expect(claims["login"].string == "joe@shop" && claims["teams"].strings == ["Manager"], "\(claims)")
                #expect(claims["groups"].exists == isWide && claims["tenant"].string == (isWide ? "acme" : nil))
                #expect(claims["email"].string == (isWide ? "joe@example.org" : nil) && !claims["lacks"].exists)
                guard isWide else { continue }
                #expect(claims["groups"].strings == ["Manager"] && claims["list"].string == "r:Manager", "\(claims)")
            }
        }
        let narrow = AuthorizationFixture.link("shop", Self.redirect, "&state=s&scope=teams")
        #expect(try fixture.request("GET", narrow).only("Location")?.contains("error=invalid_scope") == true)
    }

    /// Of the same login: the ID token and the user information.
    private static func descriptions(_ fixture: Fixture, _ tokens: JSONText) throws -> [JSONText] {
        let bearer = Field.bearer(try #require(tokens["access_token"].string, "\(tokens)"))
        return [
            JSONWebToken(try #require(tokens["id_token"].string)).claims,
            JSONText(try fixture.request("GET", "/oauth2/userinfo", [bearer]).text),
        ]
    }

    @Test(
        "users of a provider have its claims, after refreshes too, and the store has them sealed",
        .enabled(if: LoginProvider.python != nil), arguments: ["", #", "refreshReuseInterval": "30s""#])
    func provided(more: String) throws {
        let provider = try LoginProvider(.mock)
        let fixture = try LoginProvider.plainGateway(
            #""issuer": "https://unused", "clientId": "unused", "clientSecret": "s""#
        ) {
            let backends = $0["backends"]
            Self.prepare(
                &$0, #", "identityProvider": "staff""# + more,
                service:
                    #", "scopeClaims": {"openid": {"contact": "${user} <${claim.email}>", "seen": "${claim.email_verified}"}}"#
            )
            $0["backends"] = backends
            $0["identityProviders"] = """
                [{"name": "staff", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                  "clientSecret": "s3cret", "usernamePrefix": "staff:"}]
                """
            $0["routes"] = #"[{"path": "/plain", "upstream": "stub"}]"#
            $0["store"] = #"{"kind": "sqlite"}"#
        }
        let jar = CookieJar(fixture.gateway)
        let link = AuthorizationFixture.link("shop", Self.redirect, "&state=s&scope=openid%20email")
        let answer = try provider.logIn(jar, link, typing: "sub=ann").answer
        let back = try jar.send("GET", #require(answer.only("Location"), "\(answer.status) \(answer.text)"))
        let code = try #require(AuthorizationFixture.parameter("code", back), "\(back.status) \(back.text)")
        var tokens = JSONText(try fixture.redeem(code, client: Self.secret).text)
        for _ in 0..<3 {
            for claims in try Self.descriptions(fixture, tokens) {
                #expect(claims["sub"].string == "staff:ann" && claims["email"].string == "ann@example.com", "\(claims)")
                #expect(claims["email_verified"].bool == true && !claims["groups"].exists)
                #expect(claims["contact"].string == "staff:ann <ann@example.com>" && claims["seen"].bool == true)
            }
            tokens = try Self.refresh(fixture, tokens)
        }
        let state = URL(filePath: fixture.gateway.configuration.path).appending(path: "state")
        let stored = try FileManager.default.contentsOfDirectory(atPath: state.path).map {
            try Data(contentsOf: state.appending(path: $0))
        }
        #expect(stored.contains { $0.range(of: Data("staff:ann".utf8)) != nil })
        #expect(!stored.contains { $0.range(of: Data("ann@example.com".utf8)) != nil })
    }
}
