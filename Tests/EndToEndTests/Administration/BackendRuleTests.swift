import Testing

/// Which backend a credential belongs to, and what that opens (MBE-06 to MBE-09).
@Suite struct BackendRuleTests {
    private static func backend(_ version: String, id: String, client: String, _ more: String = "") -> String {
        """
        {"name": "inventory", "version": "\(version)", "mobileBackendId": "\(id)", "clientId": "\(client)",
         "clientSecret": "\(client)-secret"\(more)}
        """
    }

    private func token(_ fixture: Fixture, _ client: String) throws -> String {
        try fixture.token("joe", client: "\(client):\(client)-secret")
    }

    @Test("MBE-08: two versions of one name are two backends")
    func versions() throws {
        let fixture = try Fixture { settings in
            settings["backends"] = FixtureSettings.list([
                Self.backend("1.0", id: "mbe-1", client: "one"), Self.backend("2.0", id: "mbe-2", client: "two"),
            ])
            settings["routes"] = FixtureSettings.list([
                #"{"path": "/v1", "upstream": "stub", "backends": ["inventory/1.0"]}"#,
                #"{"path": "/v2", "upstream": "stub", "backends": ["inventory/2.0"]}"#,
            ])
        }
        let (one, two) = (try token(fixture, "one"), try token(fixture, "two"))
        for (token, path, status) in [(one, "/v1", 200), (one, "/v2", 403), (two, "/v2", 200), (two, "/v1", 403)] {
            #expect(try fixture.request("GET", path, [.bearer(token)]).status == status, "\(path)")
        }
    }

    @Test("MBE-07 ISS-07: a reload applies the routes of a backend's entry")
    func routes() throws {
        func backends(_ more: String) -> String {
            FixtureSettings.list([
                Self.backend("1.0", id: "mbe-1", client: "one"), Self.backend("2.0", id: "mbe-2", client: "two", more),
            ])
        }
        let routes = FixtureSettings.list([
            #"{"path": "/items", "name": "items", "upstream": "stub", "backends": ["inventory/1.0"]}"#
        ])
        let fixture = try Fixture { settings in
            settings["backends"] = backends("")
            settings["routes"] = routes
        }
        let token = try token(fixture, "two")
        #expect(try fixture.request("GET", "/items", [.bearer(token)]).status == 403)
        try fixture.reload { settings in
            settings["backends"] = backends(#", "routes": ["items"]"#)
            settings["routes"] = routes
        }
        #expect(try fixture.request("GET", "/items", [.bearer(token)]).status == 200)
    }

    @Test("MBE-09: users can log in only at backends of their realm, by every method")
    func realms() throws {
        let fixture = try Fixture { settings in
            settings["backends"] = FixtureSettings.list([
                Self.backend("1.0", id: "mbe-1", client: "one"),
                Self.backend("2.0", id: "mbe-2", client: "two", #", "realm": "Other""#),
            ])
            settings["routes"] = FixtureSettings.list([#"{"path": "/plain", "upstream": "stub"}"#])
        }
        let form = "grant_type=password&username=joe&password=Welcome1"
        #expect(try fixture.grant(form, client: "one:one-secret").status == 200)
        let refused = try fixture.grant(form, client: "two:two-secret")
        #expect(refused.status == 400)
        #expect(JSONText(refused.text)["error"].string == "invalid_grant")
        for (id, status) in [("mbe-1", 200), ("mbe-2", 401)] {
            let response = try fixture.request(
                "GET", "/plain", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: \(id)"])
            #expect(response.status == status, "\(id)")
        }
    }

    @Test("BASIC-06: the first colon separates name and password; both are UTF-8")
    func namesAndPasswords() throws {
        let fixture = try Fixture { settings in
            settings["users"] = """
                [{"username": "bob", "password": "{PlainText}a:b"},
                 {"username": "jürgen", "password": "{PlainText}Grüße:"}]
                """
        }
        for (pair, status) in [("bob:a:b", 200), ("jürgen:Grüße:", 200), ("bob:a", 401), ("jürgen:Grüße", 401)] {
            let response = try fixture.request(
                "GET", "/plain", [.basic(pair), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
            #expect(response.status == status, "\(pair)")
        }
    }
}
