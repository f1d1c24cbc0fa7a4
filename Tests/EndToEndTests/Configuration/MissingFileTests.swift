import Glibc
import Testing

/// Files of sections that go missing while the gateway runs.
@Suite struct MissingFileTests {
    private static func fixture(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> Fixture {
        let settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        let files = ["routes", "users"].map { ("\($0).json", settings[$0] ?? "") }
        return try Fixture(files: Dictionary(uniqueKeysWithValues: files)) {
            $0["routes"] = nil
            $0["users"] = nil
            change(&$0)
        }
    }

    @Test(
        "without a previously present file the last valid configuration stays, with an error",
        arguments: ["users", "routes"])
    func missing(_ section: String) throws {
        let fixture = try MissingFileTests.fixture()
        #expect(try fixture.request("GET", "/plain", [.bearer(fixture.token("joe"))]).status == 200)
        let text = try fixture.gateway.configuration.read("\(section).json")
        try fixture.gateway.configuration.remove("\(section).json")
        fixture.gateway.program.signal(SIGHUP)
        #expect(fixture.gateway.waitForEvent("reload_failed") != nil)
        let sentence = "the file is missing, and the configuration in force was read from it"
        #expect(fixture.gateway.findings.contains("\(section).json:1: error: /\(section): \(sentence)"))
        let response = try fixture.admin("POST", "/admin/reload")
        #expect(response.status == 422)
        #expect(JSONText(response.text)["errors"][0].string?.contains(sentence) == true, "\(response.text)")
        #expect(try fixture.request("GET", "/plain", [.bearer(fixture.token("joe"))]).status == 200)
        // Nor does a change make the file anew with that and nothing else.
        let change = try fixture.admin("POST", "/admin/users", body: #"{"username": "zoe"}"#)
        #expect(change.status == 422, "\(change.text)")
        #expect(try fixture.request("GET", "/plain", [.bearer(fixture.token("joe"))]).status == 200)
        try fixture.gateway.configuration.write("\(section).json", text)
        #expect(try fixture.admin("POST", "/admin/reload").status == 204)
    }

    @Test("optional files may disappear, as may files whose section moved or that were missing at start")
    func allowed() throws {
        let fixture = try MissingFileTests.fixture { $0["optionalFiles"] = #"["users.json"]"# }
        #expect(try fixture.grant("grant_type=password&username=joe&password=Welcome1").status == 200)
        try fixture.gateway.configuration.remove("users.json")
        #expect(try fixture.admin("POST", "/admin/reload").status == 204)
        #expect(try fixture.grant("grant_type=password&username=joe&password=Welcome1").status == 400)
        // With comments, the file has another name; it may go missing all the same.
        let route = #"[{"path": "/plain", "upstream": "stub", "public": true}] // all of them"#
        try fixture.gateway.configuration.remove("routes.json")
        try fixture.gateway.configuration.write("routes.jsonc", route)
        try fixture.gateway.configuration.write("users.jsonc", "[] // none")
        #expect(try fixture.admin("POST", "/admin/reload").status == 204)
        try fixture.gateway.configuration.remove("users.jsonc")
        #expect(try fixture.admin("POST", "/admin/reload").status == 204)
        try fixture.gateway.configuration.remove("routes.jsonc")
        let gone = try fixture.admin("POST", "/admin/reload").text
        #expect(
            JSONText(gone)["errors"][0].string?.contains(#"routes.jsonc:1: error: /routes: the file"#) == true,
            "\(gone)")
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        settings["users"] = nil
        try fixture.gateway.configuration.write("gateway.json", settings.text)
        #expect(try fixture.admin("POST", "/admin/reload").status == 204)
        #expect(try fixture.request("GET", "/open/x").status == 200)
        let other = try GatewayProcess(fixture.gateway.configuration)
        #expect(try other.request("GET", "/open/x").status == 200)
    }
}
