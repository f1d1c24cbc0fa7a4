import Testing

/// `portcullis clients` and the resource `clients` of the administration.
@Suite struct ClientsCommandTests {
    private func run(_ fixture: Fixture, _ words: String...) throws -> (
        ending: Program.Ending, output: String, errors: String
    ) {
        let result = try CommandLine.run(["clients"] + words + ["--config", fixture.gateway.configuration.path])
        return (result.ending, result.output, result.errors)
    }

    private func fixture() throws -> Fixture {
        try Fixture(files: ["clients.json": "[]"]) { $0.addRoutes(Self.route) }
    }

    private static let route = #"{"path": "/jobs", "upstream": "stub", "roles": ["Auditor"], "loginRequired": false}"#

    private func reload(_ fixture: Fixture) throws { try fixture.reload { $0.addRoutes(Self.route) } }

    @Test("create, show, rotate-secret, revoke, remove: each counts after a reload")
    func life() throws {
        let fixture = try fixture()
        let made = try run(fixture, "create", "reports", "--roles", "Auditor", "--name", "The reports")
        #expect(made.ending == .exit(0), "\(made.errors)")
        let client = JSONText(made.output)
        #expect(client["clientId"].string == "reports" && client["name"].string == "The reports")
        #expect(client["grantTypes"].strings == ["client_credentials"] && client["roles"].strings == ["Auditor"])
        let secret = try #require(client["clientSecret"].string)
        #expect(secret.count >= 22)
        try reload(fixture)
        let token = try fixture.clientToken("reports:\(secret)")
        #expect(try fixture.request("GET", "/jobs", [.bearer(token)]).status == 200)

        #expect(try !JSONText(run(fixture, "show", "reports").output)["clientSecret"].exists)
        #expect(try JSONText(run(fixture, "show", "reports", "--secrets").output)["clientSecret"].string == secret)
        let list = try run(fixture, "list").output
        #expect(list.contains("reports") && !list.contains("inventory") && !list.contains(secret))
        let backends = try CommandLine.run("backend", "list", "--config", fixture.gateway.configuration.path).output
        #expect(backends.contains("inventory") && !backends.contains("reports"))

        let rotated = try #require(JSONText(run(fixture, "rotate-secret", "reports").output)["clientSecret"].string)
        // The revocation covers whole seconds; the answer comes after the last one.
        #expect(try fixture.admin("POST", "/admin/reload").status == 204)
        let renewed = try fixture.clientToken("reports:\(rotated)")
        #expect(try fixture.request("GET", "/jobs", [.bearer(renewed)]).status == 200)
        #expect(try fixture.grant("grant_type=client_credentials", client: "reports:\(secret)").status == 401)
        #expect(try fixture.request("GET", "/jobs", [.bearer(token)]).status == 401)
        #expect(try fixture.grant("grant_type=client_credentials", client: "reports:\(rotated)").status == 200)

        #expect(try run(fixture, "revoke", "reports").ending == .exit(0))
        try reload(fixture)
        #expect(try fixture.grant("grant_type=client_credentials", client: "reports:\(rotated)").status == 401)
        #expect(try run(fixture, "remove", "reports").ending == .exit(0))
        #expect(try run(fixture, "show", "reports").ending == .exit(1))
    }

    @Test("a client of users needs no secret, and a random id is unlike others")
    func publicClient() throws {
        let fixture = try fixture()
        let made = try run(
            fixture, "create", "--public", "--redirect-uris", "https://app.example.com/cb,com.example.app:/cb")
        #expect(made.ending == .exit(0), "\(made.errors)")
        let client = JSONText(made.output)
        #expect(client["redirectUris"].strings == ["https://app.example.com/cb", "com.example.app:/cb"])
        #expect(client["grantTypes"].strings == ["authorization_code"] && !client["clientSecret"].exists)
        let id = try #require(client["clientId"].string)
        #expect(id.count >= 22)
        let rotated = try run(fixture, "rotate-secret", id)
        #expect(rotated.ending == .exit(1) && rotated.errors.contains("public"))
    }

    @Test("what check refuses is not written")
    func refused() throws {
        let fixture = try fixture()
        for (words, part) in [
            (["create", "inv-client"], "inventory/1.0"), (["create", "a", "--roles", "Absent"], "Absent"),
            (["create", "a", "--grant-types", "implicit"], "implicit"),
            (["create", "a", "--redirect-uris", "http://app.example.com/cb"], "redirect"),
        ] {
            let result = try CommandLine.run(["clients"] + words + ["--config", fixture.gateway.configuration.path])
            #expect(result.ending != .exit(0) && result.errors.contains(part), "\(words) \(result.errors)")
        }
        #expect(try fixture.gateway.configuration.read("clients.json") == "[]")
        let help = try CommandLine.run("help", "clients").output
        #expect(help.contains("`portcullis client`"))
    }
}
