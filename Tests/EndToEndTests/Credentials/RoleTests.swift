import Testing

/// Who may (ROLE-01 to ROLE-05, GW-01, GW-10).
@Suite struct RoleTests {
    @Test("ROLE-01 GW-10: roles by method; without them 403 without a challenge, and no upstream call")
    func byMethod() throws {
        let fixture = try Fixture()
        let expected = ["joe": (200, 200), "ann": (200, 403), "bob": (403, 403)]
        for (user, statuses) in expected {
            let token = Field.bearer(try fixture.token(user))
            let before = fixture.upstream.requests.count
            let get = try fixture.request("GET", "/inventory/items", [token])
            let post = try fixture.request("POST", "/inventory/items", [token], body: "{}")
            #expect((get.status, post.status) == statuses, "\(user)")
            for response in [get, post] where response.status == 403 {
                #expect(JSONText(response.text)["code"].string == "role_required")
                #expect(response.values("WWW-Authenticate").isEmpty)
            }
            let passed = [get, post].count { $0.status == 200 }
            #expect(fixture.upstream.requests.count == before + passed)
        }
    }

    @Test(
        "ROLE-01: any, all and none are enforced",
        arguments: [
            (#"["Manager", "Clerk"]"#, #"["Clerk"]"#, 200), (#"{"all": ["Manager", "Clerk"]}"#, #"["Clerk"]"#, 403),
            (#"{"all": ["Manager", "Clerk"]}"#, #"["Clerk", "Manager"]"#, 200),
            (#"{"none": ["Guest"]}"#, #"["Guest", "Manager"]"#, 403), (#"{"none": ["Guest"]}"#, #"["Manager"]"#, 200),
            (#"{"any": ["Manager"], "none": ["Guest"]}"#, #"["Manager", "Guest"]"#, 403),
        ])
    func requirements(_ required: String, _ held: String, _ status: Int) throws {
        let fixture = try Fixture { settings in
            settings["users"] = FixtureSettings.users(joe: held)
            settings.addRoutes(#"{"path": "/ruled", "upstream": "stub", "roles": \#(required)}"#)
        }
        #expect(try fixture.request("GET", "/ruled", [.bearer(fixture.token("joe"))]).status == status)
    }

    @Test("ROLE-01 ROLE-02 CHAL-06: a method's rule applies to that method only")
    func rulesByMethod() throws {
        let fixture = try Fixture { settings in
            settings.addRoutes(
                #"{"path": "/mixed", "upstream": "stub", "public": true, "methods": {"GET": {}, "POST": {"roles": ["Manager"]}}}"#,
                #"{"path": "/levels", "upstream": "stub", "methods": {"GET": {}, "PUT": {"level": 9}}}"#,
                #"{"path": "/logins", "upstream": "stub", "methods": {"GET": {"loginRequired": false}, "POST": {}}}"#)
        }
        let (joe, ann) = (Field.bearer(try fixture.token("joe")), Field.bearer(try fixture.token("ann")))
        #expect(try fixture.request("GET", "/mixed").status == 200)
        #expect(try fixture.request("HEAD", "/mixed").status == 200)
        #expect(try fixture.request("POST", "/mixed", body: "{}").status == 401)
        #expect(try fixture.request("POST", "/mixed", [ann], body: "{}").status == 403)
        #expect(try fixture.request("POST", "/mixed", [joe], body: "{}").status == 200)
        #expect(try fixture.request("DELETE", "/mixed", [joe]).status == 405)
        #expect(try fixture.request("GET", "/levels", [joe]).status == 200)
        #expect(try fixture.request("PUT", "/levels", [joe], body: "{}").status == 401)
        let client = Field.bearer(try fixture.clientToken())
        #expect(try fixture.request("GET", "/logins", [client]).status == 200)
        #expect(try fixture.request("POST", "/logins", [client], body: "{}").status == 401)
    }

    @Test("ROLE-02: only public routes need no credential, and ignore an invalid one")
    func publicRoutes() throws {
        let fixture = try Fixture()
        #expect(try fixture.request("GET", "/open/ping").status == 200)
        #expect(try fixture.request("GET", "/open/ping", [.bearer("garbage")]).status == 200)
        #expect(try fixture.lastRequest("/open/ping").values("Authorization").isEmpty)
        #expect(try fixture.request("GET", "/inventory/public").status == 401)
    }

    @Test("ROLE-03: a revoked role applies to the next password request and to existing tokens")
    func takenAway() throws {
        for live in [false, true] {
            let change: @Sendable (inout FixtureSettings) -> Void = {
                $0["tokenService"] = #"{"liveRoles": \#(live)}"#
            }
            let fixture = try Fixture(change)
            let basic = [Field.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
            let bearer = [Field.bearer(try fixture.token("joe"))]
            for fields in [basic, bearer] {
                #expect(try fixture.request("POST", "/inventory/items", fields, body: "x").status == 200)
            }
            try fixture.reload {
                change(&$0)
                $0["users"] = FixtureSettings.users(joe: #"["Clerk"]"#)
            }
            #expect(try fixture.request("POST", "/inventory/items", basic, body: "x").status == 403)
            #expect(try fixture.request("POST", "/inventory/items", bearer, body: "x").status == (live ? 403 : 200))
        }
    }

    @Test("ROLE-04: an unknown role is an error; names are case-sensitive", arguments: ["manager", "Boss"])
    func catalogue(_ role: String) throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["routes"] = #"[{"path": "/a", "upstream": "stub", "roles": ["\#(role)"]}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try Program.run(GatewayProcess.binary, ["check", directory.path])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("error: /routes/0/roles"), "\(result.errors)")
    }

    @Test(
        "ROLE-05: no spelling of a path bypasses its rule",
        arguments: [
            "/inventory/public/../items", "/inventory/./items", "/inventory//items", "//inventory/items",
            "/inventory/public/%2e%2e/items", "/inventory/%69tems", "/inventory/public/..%2fitems",
            "/inventory%2fitems", "/inventory/items%00", "/inventory/items/", "/inventory/items;x=y",
            "/inventory/public/..;/items", "/inventory/public%2f..%2fitems", "/inventory/public/%252e%252e/items",
            "/inventory\\items", "/open/../inventory/items", "/open/%2e%2e/inventory/items",
            "/open/..%2finventory/items",
            "/open/..;/inventory/items", "/open/.%2e/inventory/items", "/%69nventory/items", "/inventory/%2569tems",
        ])
    func bypass(_ target: String) throws {
        let fixture = try Fixture()
        let token = try fixture.clientToken()
        let response = try fixture.request("GET", target, [.bearer(token)])
        // What is forwarded must not be read as the protected path by any upstream that decodes once more.
        for request in fixture.upstream.requests {
            #expect(!request.target.contains("items"), "\(request.target)")
        }
        #expect([400, 401, 404].contains(response.status), "\(response.status)")
    }

    @Test("ROLE-05: the canonical path is matched and forwarded")
    func canonicalPath() throws {
        let fixture = try Fixture()
        let cases = [
            "/open/a/../b": "/open/b", "/open//a": "/open/a", "/open/%61%7E": "/open/a~",
            "/open/%c3%a9": "/open/%C3%A9",
            "/open/./x?q=/../y": "/open/x?q=/../y",
        ]
        for (sent, forwarded) in cases {
            let response = try fixture.request("GET", sent)
            if response.status == 200 {
                #expect(fixture.upstream.requests.last?.target == forwarded, "\(sent)")
            } else {
                #expect(response.status == 400, "\(sent)")
            }
        }
    }

    @Test("GW-01 GW-10: no route is 404, another method 405, no rule requires login; all in JSON")
    func defaults() throws {
        let fixture = try Fixture { settings in
            settings.addRoutes(#"{"path": "/only/*", "upstream": "stub", "methods": ["GET", "PUT"], "public": true}"#)
        }
        let missing = try fixture.request("GET", "/nowhere")
        #expect(missing.status == 404)
        #expect(missing.text == #"{"status":404,"title":"Not Found","detail":"no such resource","code":"no_route"}"#)
        #expect(missing.only("Content-Type") == "application/json")
        let method = try fixture.request("DELETE", "/only/a")
        #expect(method.status == 405)
        let allowed = try #require(method.only("Allow"))
        #expect(Set(allowed.split(separator: ",").map { $0.trimming { $0 == " " } }).isSuperset(of: ["GET", "PUT"]))
        #expect(try fixture.request("GET", "/only/a/b").status == 404)
        #expect(try fixture.request("GET", "/plain").status == 401)
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("GW-01: routes are selected by host")
    func hosts() throws {
        let fixture = try Fixture { settings in
            settings["routes"] = """
                [{"path": "/**", "name": "a", "hosts": ["a.example.com"], "upstream": "stub", "public": true},
                 {"path": "/**", "name": "b", "hosts": ["*.example.org"], "upstream": "stub"}]
                """
        }
        #expect(try fixture.request("GET", "/x", ["Host: a.example.com"]).status == 200)
        #expect(try fixture.request("GET", "/x", ["Host: A.EXAMPLE.COM:8080"]).status == 200)
        #expect(try fixture.request("GET", "/x", ["Host: b.example.org"]).status == 401)
        #expect(try fixture.request("GET", "/x", ["Host: example.net"]).status == 404)
        #expect(try fixture.lastRequest("/x").only("Host") == "A.EXAMPLE.COM:8080")
    }
}
