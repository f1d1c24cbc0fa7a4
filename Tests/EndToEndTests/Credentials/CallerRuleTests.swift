import Testing

/// Rules about the caller: scopes, claims, issuers, audiences, optional identity, and roles in nested claims.
@Suite struct CallerRuleTests {
    private func fixture(_ issuer: StubIssuer, _ access: String, entry: String = "") throws -> Fixture {
        let fixture = try Fixture {
            $0["trustedIssuers"] = "[\(issuer.entry(entry))]"
            $0.addRoutes(#"{"path": "/guarded", "upstream": "stub", \#(access)}"#)
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        return fixture
    }

    private func code(_ response: Response) -> String? { JSONText(response.text)["code"].string }

    @Test("names and roles of nested claims, as Keycloak writes them, decide and are forwarded")
    func nestedClaims() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(
            issuer, #""roles": ["Manager"]"#,
            entry: #"""
                "usernameClaim": ["preferred_username", "sub"],
                "rolesClaim": ["realm_access.roles", {"claim": "scope", "split": " ", "prefix": "role:"}]
                """#)
        let roles = #","preferred_username":"jo","realm_access":{"roles":["offline_access","Manager"]}"#
        #expect(try fixture.request("GET", "/guarded", [.bearer(issuer.token("a", more: roles))]).status == 200)
        let request = try fixture.lastRequest("/guarded")
        #expect(request.only("X-Gateway-User") == "jo" && request.only("X-Gateway-Roles") == "Manager")
        let scope = issuer.token("a", more: #","scope":"openid role:Manager""#)
        #expect(try fixture.request("GET", "/guarded", [.bearer(scope)]).status == 200)
        let other = try fixture.request("GET", "/guarded", [.bearer(issuer.token("a", more: #","scope":"Manager""#))])
        #expect(other.status == 403 && code(other) == "role_required")
    }

    @Test("a missing scope is 403 with a challenge that names it, and an absent token 401 with the same scope")
    func scopes() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(
            issuer, #""scopes": ["read"], "methods": {"GET": {}, "POST": {"scopes": ["read", "write"]}}"#)
        let reader = Field.bearer(issuer.token("a", more: #","scope":"read""#))
        #expect(try fixture.request("GET", "/guarded", [reader]).status == 200)
        let denied = try fixture.request("POST", "/guarded", [reader], body: "{}")
        #expect(denied.status == 403 && code(denied) == "scope_required")
        #expect(
            denied.only("WWW-Authenticate")
                == #"Bearer realm="portcullis", error="insufficient_scope", scope="read write""#)
        let absent = try fixture.request("GET", "/guarded")
        #expect(absent.only("WWW-Authenticate") == #"Bearer realm="portcullis", scope="read""#)
        // Neither a password nor an own token without scopes has any.
        let password = try fixture.request(
            "GET", "/guarded", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(password.status == 403)
        #expect(try fixture.request("GET", "/guarded", [.bearer(fixture.token("joe"))]).status == 403)
    }

    @Test("a token that is known still meets every condition at every route, and explain names what it lacks")
    func conditions() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(
            issuer,
            #"""
            "claims": {"tenant": {"in": ["north", "south"]}, "amr": {"contains": "mfa"}}, "jwt": "idp", "audience": ["api", "x"]
            """#)
        let good = issuer.token("a", more: #","tenant":"south","amr":["pwd","mfa"]"#)
        let bad = issuer.token("a", more: #","tenant":"east","amr":["mfa"]"#)
        for _ in 0..<2 {
            #expect(try fixture.request("GET", "/guarded", [.bearer(good)]).status == 200)
            #expect(try fixture.request("GET", "/plain", [.bearer(bad)]).status == 200)
            let denied = try fixture.request("GET", "/guarded", [.bearer(bad)])
            #expect(denied.status == 403 && code(denied) == "claim_required")
            #expect(denied.values("WWW-Authenticate").isEmpty)
        }
        let own = try fixture.request("GET", "/guarded", [.bearer(fixture.token("joe"))])
        #expect(own.status == 401 && code(own) == "unauthorized")
        #expect(own.only("WWW-Authenticate") == #"Bearer realm="portcullis", error="invalid_token""#)
        let directory = fixture.gateway.configuration
        try directory.write("token", try fixture.mint("joe"))
        let explained = try Program.run(
            GatewayProcess.binary,
            ["explain", "GET", "/guarded", "--config", directory.path, "--token-file", "\(directory.path)/token"])
        #expect(explained.output.contains("issuer_not_allowed; missing: issuer idp"), "\(explained.output)")
        #expect(explained.output.contains(#"missing: tenant in "north", "south""#), "\(explained.output)")
    }

    @Test("with optional identity a valid credential is used, none is fine, and a bad one is refused")
    func optionalIdentity() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer, #""identity": "optional""#)
        #expect(try fixture.request("GET", "/guarded", [Field(name: "X-Gateway-User", value: "eve")]).status == 200)
        #expect(try fixture.lastRequest("/guarded").values("X-Gateway-User").isEmpty)
        #expect(try fixture.request("GET", "/guarded", [.bearer(issuer.token("a"))]).status == 200)
        #expect(try fixture.lastRequest("/guarded").only("X-Gateway-User") == "joe")
        #expect(try fixture.request("GET", "/guarded", [.bearer(fixture.clientToken())]).status == 200)
        #expect(try fixture.request("GET", "/guarded", [.bearer("x")]).status == 401)
        #expect(try fixture.request("GET", "/guarded", [.basic("joe:wrong")]).status == 401)
    }

    @Test("plain Basic is for the backend of the route, or for the default one")
    func plainBasic() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer, #""defaultBackend": "inventory/1.0""#)
        #expect(try fixture.request("GET", "/guarded", [.basic("joe:Welcome1")]).status == 200)
        #expect(try fixture.lastRequest("/guarded").only("X-Gateway-User") == "joe")
        #expect(try fixture.request("GET", "/guarded", [.basic("joe:wrong")]).status == 401)
        let other = try fixture.request("GET", "/plain", [.basic("joe:Welcome1")])
        #expect(other.status == 401)
    }

    @Test("tokens at other places open the route and are not forwarded, in no spelling of their field")
    func tokenSources() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(
            issuer, #""tokenSources": [{"header": "X-Auth-Token"}, {"cookie": "jwt"}, {"query": "token"}]"#)
        let token = issuer.token("a")
        let sent: [Field] = [Field(name: "X-Auth-Token", value: token), Field(name: "X_Auth.Token", value: "eve")]
        #expect(try fixture.request("GET", "/guarded", sent).status == 200)
        var forwarded = try fixture.lastRequest("/guarded")
        #expect(!forwarded.head.raw.lowercased().contains("auth"))
        #expect(
            try fixture.request("GET", "/guarded", [Field(name: "Cookie", value: "a=1; jwt=\(token)")]).status == 200)
        forwarded = try fixture.lastRequest("/guarded")
        #expect(forwarded.values("Cookie") == ["a=1"])
        #expect(try fixture.request("GET", "/guarded?token=\(token)").status == 200)
        #expect(try fixture.request("GET", "/guarded?a=1&token=\(token)&b=%20").status == 200)
        let targets = fixture.upstream.requests.map(\.target)
        #expect(targets.suffix(2) == ["/guarded", "/guarded?a=1&b=%20"])
        #expect(!fixture.gateway.everythingWritten.contains(token))
        let two = try fixture.request("GET", "/guarded?token=\(token)", [Field(name: "X-Auth-Token", value: token)])
        #expect(two.status == 400 && code(two) == "duplicate_credential")
        #expect(try fixture.request("GET", "/guarded", [.bearer(token)]).status == 401)
    }

    @Test("a claim that must be a variable of the path opens the caller's own paths alone")
    func variables() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try Fixture {
            $0["trustedIssuers"] = "[\(issuer.entry())]"
            $0.addRoutes(
                #"{"path": "/users/{id}/**", "upstream": "stub", "claims": {"sub": "{id}"}}"#,
                #"{"path": "/tenants/{tenant}", "upstream": "stub", "claims": {"tenants": {"contains": "{tenant}"}}}"#)
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"))
        let joe = Field.bearer(issuer.token("a", more: #","tenants":["north",7]"#))
        for path in ["/users/joe/x", "/users/%6aoe/x", "/tenants/north", "/tenants/7"] {
            let allowed = try fixture.request("GET", path, [joe])
            #expect(allowed.status == 200, "\(path): \(allowed.text) \(fixture.gateway.everythingWritten)")
        }
        for path in ["/users/ann/x", "/users/Joe/x", "/users/joe;a/x", "/users/jo/x", "/tenants/south", "/tenants/07"] {
            let denied = try fixture.request("GET", path, [joe])
            #expect(denied.status == 403 && code(denied) == "claim_required", "\(path)")
        }
    }

    @Test("addresses are looked at before credentials, and only trusted proxies tell others")
    func addresses() throws {
        func fixture(_ proxies: String) throws -> Fixture {
            try Fixture {
                $0["trustedProxies"] = proxies
                $0.addRoutes(
                    #"{"path": "/inside", "upstream": "stub", "public": true, "addresses": {"allow": ["127.0.0.0/8"]}}"#,
                    #"{"path": "/outside", "upstream": "stub", "addresses": {"deny": ["127.0.0.1"]}}"#,
                    #"{"path": "/partner", "upstream": "stub", "public": true, "addresses": {"allow": ["192.0.2.0/24"], "deny": ["192.0.2.9"]}}"#
                )
            }
        }
        let plain = try fixture("[]")
        #expect(try plain.request("GET", "/inside").status == 200)
        let denied = try plain.request("GET", "/outside", [.bearer("x")])
        #expect(denied.status == 403 && code(denied) == "address_not_allowed")
        #expect(denied.values("WWW-Authenticate").isEmpty)
        let forged = Field(name: "X-Forwarded-For", value: "192.0.2.1")
        #expect(try plain.request("GET", "/partner", [forged]).status == 403)
        let behind = try fixture(#"["127.0.0.1"]"#)
        #expect(try behind.request("GET", "/partner", [forged]).status == 200)
        for address in ["192.0.2.9", "192.0.3.1", "192.0.2.1, 198.51.100.7"] {
            let field = Field(name: "X-Forwarded-For", value: address)
            #expect(try behind.request("GET", "/partner", [field]).status == 403, "\(address)")
        }
    }
}
