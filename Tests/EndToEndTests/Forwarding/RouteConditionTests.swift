import Foundation
import Testing

/// Routes that header fields and the query choose.
@Suite struct RouteConditionTests {
    private func fixture() throws -> Fixture {
        try Fixture { settings in
            settings["routes"] = FixtureSettings.list([
                #"{"path": "/a", "upstream": "stub", "public": true}"#,
                #"{"path": "/a", "name": "two", "headers": {"X-Version": "2"}, "public": true, "response": {"body": "two"}}"#,
                #"{"path": "/a", "name": "beta", "headers": {"X-Version": "2"}, "query": {"beta": true}, "public": true, "response": {"body": "beta"}}"#,
                #"{"path": "/a", "name": "managers", "query": {"kind": "all"}, "roles": ["Manager"], "response": {"body": "all"}}"#,
                #"{"path": "/only", "query": {"v": "ä b"}, "public": true, "response": {"body": "only"}}"#,
            ])
        }
    }

    @Test(
        "the gateway and explain agree on the route",
        arguments: [
            ("/a", [], 200, "/a"), ("/a", ["X-Version: 2"], 200, "two"), ("/a?beta", ["x-version: 2"], 200, "beta"),
            ("/a?beta&beta", ["X-Version: 2"], 200, "two"), ("/a", ["X-Version: 2", "X-Version: 2"], 200, "/a"),
            ("/a?kind=all", [], 401, "managers"), ("/a?kind=all&kind=all", [], 200, "/a"),
            ("/a?k%69nd=al%6C", [], 401, "managers"), ("/only?v=%C3%A4+b", [], 200, "/only"), ("/only", [], 404, nil),
            ("/only?v=%C3%A4+b&v=", [], 404, nil),
        ] as [(String, [String], Int, String?)])
    func routes(_ target: String, _ lines: [String], _ status: Int, _ route: String?) throws {
        let fixture = try fixture()
        let fields = lines.map { Field(stringLiteral: $0) }
        let response = try fixture.request("GET", target, fields)
        #expect(response.status == status)
        let line = try #require(fixture.gateway.waitForAccess { $0["status"].integer == status })
        #expect(line["route"].string == route)
        #expect(fixture.upstream.requests("/a").count == (route == "/a" ? 1 : 0))
        try fixture.gateway.configuration.write("fields", lines.joined(separator: "\n"))
        let directory = fixture.gateway.configuration.path
        let said = try Program.run(
            GatewayProcess.binary,
            ["explain", "GET", target, "--config", directory, "--headers", directory + "/fields", "--plain"])
        #expect(said.ending == .exit(status < 400 ? 0 : 1), "\(said.output)")
        let named = route.map { "ok route       \($0), " } ?? "NO route       no_route"
        #expect(said.output.contains(named), "\(said.output)")
        if route == "beta" {
            #expect(said.output.contains(#"for header "x-version=2", query "beta""#), "\(said.output)")
        }
    }

    @Test("check warns of conditions that lead to a weaker rule, and of equal ones")
    func check() throws {
        func lines(_ routes: [String]) throws -> String {
            var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
            settings["routes"] = FixtureSettings.list(routes)
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            let result = try CommandLine.run("check", directory.path)
            return result.output + result.errors
        }
        let strict = #"{"path": "/a", "upstream": "stub", "roles": ["Manager"]}"#
        let weak = #"{"path": "/a", "name": "b", "upstream": "stub", "headers": {"X-Version": "2"}}"#
        #expect(
            try lines([strict, weak]).contains(
                #"warning: /routes/0/path: "/a" with header "x-version=2" falls under /routes/1, which requires less: no role"#
            ))
        let twice = weak.replacing(#""b""#, with: #""c""#).replacing("X-Version", with: "x-version")
        #expect(
            try lines([strict, weak, twice]).contains(
                "error: /routes/2: unreachable route: /routes/1 takes every method"))
    }
}
