import TestSupport
import Testing

/// Clients of `clients.json`, in the running gateway.
@Suite(.tags(.core)) struct ClientTests {
    private static let reports = #"{"clientId": "reports", "clientSecret": "reports-secret", "roles": ["Auditor"]"#
    private static let redirect = AuthorizationFixture.redirect

    /// - Parameter more: members of the service `reports`.
    private static func prepare(_ settings: inout FixtureSettings, reports more: String = "") {
        AuthorizationFixture.prepare(&settings)
        settings["clients"] = FixtureSettings.list([
            reports + more + "}", #"{"clientId": "billing", "clientSecret": "billing-secret"}"#,
            """
            {"clientId": "shop", "clientSecret": "shop-secret", "name": "The shop", "redirectUris": ["\(redirect)/shop"],
             "grantTypes": ["authorization_code", "refresh_token"], "consent": "none", "scopes": ["openid", "profile"],
             "groupsClaim": "groups", "accessTokenLifetime": "5m"}
            """,
            #"{"clientId": "other", "clientSecret": "other-secret", "audience": "https://api.example.com"}"#,
        ])
        settings["routes"] = FixtureSettings.list([
            #"{"path": "/audit", "upstream": "stub", "roles": ["Auditor"], "loginRequired": false, "clients": ["reports"]}"#,
            #"{"path": "/jobs", "upstream": "stub", "loginRequired": false, "clients": ["reports", "inventory/1.0"]}"#,
            #"{"path": "/open", "upstream": "stub", "loginRequired": false}"#,
            #"{"path": "/shop", "upstream": "stub", "clients": ["shop"]}"#,
        ])
    }

    private func status(_ fixture: Fixture, _ path: String, _ token: String) throws -> Int {
        try fixture.request("GET", path, [.bearer(token)]).status
    }

    @Test("a service gets tokens for an hour with its roles and without a vendor's claims; a backend's are as before")
    func service() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let own = JSONText(try fixture.grant("grant_type=client_credentials", client: "reports:reports-secret").text)
        #expect(own["expires_in"].integer == 3600 && own["token_type"].string == "Bearer")
        #expect(!own["oracle_tk_context"].exists && !own["oracle_client_assertion_type"].exists)
        let token = try #require(own["access_token"].string)
        let claims = JSONWebToken(token).claims
        #expect(claims["client_id"].string == "reports" && claims["sub"].string == "reports")
        for name in ["oracle_tk_context", "backend_id", "backend_name", "backend_version"] {
            #expect(!claims[name].exists, "\(name)")
        }
        let other = JSONText(try fixture.grant("grant_type=client_credentials").text)
        #expect(other["expires_in"].integer == 604_800 && other["oracle_tk_context"].string == "client_assertion")
        let backend = try #require(other["access_token"].string)
        #expect(JSONWebToken(backend).claims["backend_id"].string == "mbe-inv-1")
        #expect(try status(fixture, "/audit", token) == 200)
        let seen = try fixture.lastRequest("/audit")
        #expect(seen.only("X-Gateway-Client") == "reports" && seen.only("X-Gateway-Backend") == nil)
        #expect(seen.only("X-Gateway-Roles") == "Auditor")
        #expect(try status(fixture, "/jobs", backend) == 200)
        let asBackend = try fixture.lastRequest("/jobs")
        #expect(
            asBackend.only("X-Gateway-Client") == "inv-client" && asBackend.only("X-Gateway-Backend") == "mbe-inv-1")
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/audit" })
        #expect(line["client_id"].string == "reports" && !line["backend"].exists)
    }

    @Test("a route takes the tokens of its clients alone")
    func routes() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let (reports, billing) = (
            try fixture.clientToken("reports:reports-secret"), try fixture.clientToken("billing:billing-secret")
        )
        #expect(try status(fixture, "/jobs", reports) == 200 && status(fixture, "/jobs", billing) == 403)
        #expect(try status(fixture, "/open", billing) == 200)
        // A token for another audience opens nothing here.
        let other = try fixture.clientToken("other:other-secret")
        #expect(JSONWebToken(other).claims["aud"].string == "https://api.example.com")
        #expect(try status(fixture, "/open", other) == 401)
    }

    @Test("grants that the entry does not name are refused")
    func grants() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        for (form, client) in [
            ("grant_type=password&username=joe&password=Welcome1", "reports:reports-secret"),
            ("grant_type=client_credentials", "shop:shop-secret"),
            ("grant_type=refresh_token&refresh_token=x", "reports:reports-secret"),
            ("grant_type=authorization_code&code=x", "reports:reports-secret"),
        ] {
            let response = try fixture.grant(form, client: client)
            #expect(
                response.status == 400 && JSONText(response.text)["error"].string == "unauthorized_client", "\(form)")
        }
        let unknown = try fixture.grant("grant_type=x", client: "reports:reports-secret")
        #expect(JSONText(unknown.text)["error"].string == "unsupported_grant_type")
    }

    @Test("a reload that takes a role, or the client, ends what earlier tokens open")
    func withdrawn() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let token = try fixture.clientToken("reports:reports-secret")
        #expect(try status(fixture, "/audit", token) == 200)
        try fixture.reload { settings in
            Self.prepare(&settings)
            settings["clients"] = settings["clients"]?.replacing(#"["Auditor"]"#, with: "[]")
        }
        #expect(try status(fixture, "/audit", token) == 403 && status(fixture, "/jobs", token) == 200)
        try fixture.reload { Self.prepare(&$0, reports: #", "revoked": true"#) }
        #expect(try status(fixture, "/jobs", token) == 401)
        #expect(try fixture.grant("grant_type=client_credentials", client: "reports:reports-secret").status == 401)
    }

    @Test("users log in for a client: its scopes, the claim of groups, the lifetime, a refresh")
    func login() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let link = AuthorizationFixture.link(
            "shop", "\(Self.redirect)/shop", "&state=s&scope=openid%20profile%20orders")
        let form = try #require(jar.send("GET", link).only("Location"))
        let loggedIn = try jar.fill(jar.send("GET", form), form, "username=joe&password=Welcome1")
        let back = try jar.send("GET", #require(loggedIn.only("Location"), "\(loggedIn.status)"))
        let code = try #require(AuthorizationFixture.parameter("code", back), "\(back.status) \(back.text)")
        let redirect = "https%3A%2F%2Fweb.example.com%2Fcb%2Fshop"
        let response = try fixture.grant(
            "grant_type=authorization_code&code=\(code)&redirect_uri=\(redirect)"
                + "&code_verifier=\(AuthorizationFixture.verifier)", client: "shop:shop-secret")
        let tokens = JSONText(response.text)
        #expect(tokens["expires_in"].integer == 300 && tokens["scope"].string == "openid profile", "\(response.text)")
        let access = try #require(tokens["access_token"].string)
        let identity = JSONWebToken(try #require(tokens["id_token"].string)).claims
        #expect(identity["aud"].string == "shop" && identity["groups"][0].string == "Manager")
        let user = JSONText(try fixture.request("GET", "/oauth2/userinfo", [.bearer(access)]).text)
        #expect(user["groups"][0].string == "Manager" && user["preferred_username"].string == "joe")
        #expect(try status(fixture, "/shop", access) == 200 && status(fixture, "/jobs", access) == 403)
        let refresh = try #require(tokens["refresh_token"].string)
        let renewed = try fixture.grant("grant_type=refresh_token&refresh_token=\(refresh)", client: "shop:shop-secret")
        #expect(renewed.status == 200 && JSONText(renewed.text)["expires_in"].integer == 300, "\(renewed.text)")
        let metadata = JSONText(try fixture.request("GET", "/.well-known/oauth-authorization-server").text)
        #expect(metadata["claims_supported"].strings.contains("groups"))
    }

    @Test("the vendor's ways to log in are closed for clients")
    func noBackend() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let id: Field = "Oracle-Mobile-Backend-ID: shop"
        #expect(try fixture.request("GET", "/shop", [.basic("joe:Welcome1"), id]).status == 401)
        #expect(try fixture.request("GET", "/open", [.basic("joe:Welcome1"), id]).status == 401)
    }
}
