import Bytes
import Foundation
import Testing

/// What a change of the rules does, before it is in force: expectations, and the commands diff, access and replay.
@Suite struct ChangeCommandTests {
    private static let expectations = #"""
        [
          {"request": "GET /inventory/items", "outcome": "refused", "status": 401, "reason": "missing_credential"},
          {"request": "GET /inventory/items", "caller": {"client": "inventory/1.0", "user": "ann"}, "outcome": "forwarded",
           "route": "/inventory/items", "identity": {"X-Gateway-User": "ann", "X-Gateway-Roles": "Clerk", "X-None": null},
           "tokens": {"Authorization": "local"}},
          {"request": "POST /inventory/items", "caller": {"client": "inventory/1.0", "user": "ann"}, "status": 403}
        ]
        """#

    private func routes(_ reading: String) -> String {
        FixtureSettings.list(
            FixtureSettings.routes.map { $0.replacing(#""GET": {"roles": ["Manager", "Clerk"]}"#, with: reading) })
    }

    @Test("a reload with an expectation that is not met is refused, and the rules in force stay", .tags(.core))
    func reloading() throws {
        let fixture = try Fixture(files: ["expectations.json": Self.expectations]) {
            $0["backends"] = FixtureSettings.coreBackends
        }
        let token = try fixture.token("ann")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        try fixture.reload(expecting: "reload_failed") {
            $0["backends"] = FixtureSettings.coreBackends
            $0["routes"] = routes(#""GET": {"roles": ["Manager"]}"#)
        }
        #expect(
            fixture.gateway.findings.contains(
                "/expectations/1/outcome: GET /inventory/items by ann with the client inventory/1.0: "
                    + "expected forwarded, but refused, 403 role_required"), "\(fixture.gateway.findings)")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        let directory = fixture.gateway.configuration
        let check = try CommandLine.run("check", directory.path)
        #expect(
            check.ending == .exit(1) && check.errors.contains("expectations.json:3: error: /expectations/1/outcome"))
        // A gateway that does not start helps less than one that warns.
        let started = try GatewayProcess(directory)
        #expect(started.findings.contains("warning: /expectations/1/outcome"), "\(started.findings)")
        for (format, texts) in [
            ("text", ["ok     GET /inventory/items by anonymous", "FAILED GET /inventory/items by ann", "1 not met"]),
            (
                "junit",
                [#"<testsuite name="expectations" tests="3" failures="1">"#, "<failure message=\"outcome: expected"]
            ),
            ("json", [#""met":true"#, #""mismatches":["outcome: expected forwarded"#]),
        ] {
            let result = try CommandLine.run("expect", directory.path, "--format", format)
            #expect(result.ending == .exit(1) && texts.allSatisfy(result.output.contains), "\(result.output)")
        }
    }

    @Test("expectations with unknown names, two credentials or nothing to compare are errors with their place")
    func invalid() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text,
            "expectations.json": #"""
            [
              {"request": "GET /a", "caller": {"user": "anne"}, "status": 401},
              {"request": "GET /a", "caller": {"client": "x", "consumer": "y"}, "status": 401},
              {"request": "GET /a", "route": "/inventory/item"},
              {"request": "GET /a"},
              {"request": "GET a", "status": 404},
              {"request": "GET /a", "caller": {"user": "ann", "claims": {}}, "status": 401},
              {"request": "GET /a", "caller": {"issuer": "nowhere"}, "statuss": 401}
            ]
            """#,
        ])
        let errors = try CommandLine.run("check", directory.path).errors
        for text in [
            #"/expectations/0/caller/user: unknown user "anne" (expected the name of a user; did you mean "ann"?)"#,
            "/expectations/1/caller/consumer: ", #"/expectations/1/caller/client: unknown client "x""#,
            #"/expectations/2/route: unknown route "/inventory/item""#, "/expectations/3: nothing is expected",
            "/expectations/4/request: no method and path", "/expectations/5/caller/claims: ",
            #"/expectations/6/caller/issuer: unknown trusted issuer "nowhere""#,
            "/expectations/6/statuss: unknown member",
        ] {
            #expect(errors.contains(text), "\(text)\n\(errors)")
        }
    }

    @Test("explain and the access log write expectations that are met")
    func recording() throws {
        let fixture = try Fixture {
            // One writes all lines, in their order.
            ($0["workers"], $0["log"]) = ("1", #"{"access": "stdout", "fields": ["replay"]}"#)
        }
        let directory = fixture.gateway.configuration
        let token = try fixture.token("ann")
        try directory.write("token", token)
        let single = try CommandLine.run(
            "explain", "GET", "/inventory/me", "--config", directory.path, "--token-file", directory.path + "/token",
            "--record")
        #expect(
            single.ending == .exit(0) && JSONText(single.output)["caller"]["user"].string == "ann", "\(single.output)")
        #expect(JSONText(single.output)["tokens"]["Authorization"].string == "local")
        for (method, target, fields) in [
            ("GET", "/inventory/items", [Field.bearer(token)]), ("POST", "/inventory/items", [.bearer(token)]),
            ("GET", "/open/x", []), ("GET", "/nowhere", []), ("GET", "/payroll", []),
        ] {
            _ = try fixture.request(method, target, fields)
        }
        _ = fixture.gateway.waitForAccess { $0["path"].string == "/payroll" }
        let log = fixture.gateway.program.lines(.output).joined(separator: "\n")
        let recorded = try Program.run(
            GatewayProcess.binary, ["expect", directory.path, "--record", "-"], input: log + "\nbroken\n")
        #expect(recorded.ending == .exit(0), "\(recorded.errors)")
        let entries = JSONText(recorded.output).list
        #expect(entries.count == 5, "\(recorded.output)")
        #expect(
            entries.contains {
                $0["request"].string == "POST /inventory/items" && $0["reason"].string == "role_required"
            })
        try directory.write(
            "expectations.json", recorded.output.replacing("[\n", with: "[\n\(single.output.trimming(\.isNewline)),\n"))
        let met = try CommandLine.run("expect", directory.path)
        #expect(
            met.ending == .exit(0) && met.output.contains("6 expectations, 0 not met"), "\(met.output)\(met.errors)")
    }

    @Test("replay counts the requests of a log that other rules would decide otherwise, and lines that it cannot use")
    func replaying() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try Fixture {
            ($0["workers"], $0["log"]) = ("1", #"{"access": "stdout", "fields": ["replay"]}"#)
            $0["trustedIssuers"] = "[\(issuer.entry(#""virtualUserEnabled": true, "roleAttributes": ["roles"]"#))]"
            $0.addRoutes(#"{"path": "/claims", "upstream": "stub", "claims": {"dept": {"in": ["x", "y"]}}}"#)
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        let (ann, joe) = (try fixture.token("ann"), try fixture.token("joe"))
        let outside = issuer.token("a", subject: "eve", more: #", "dept": "y", "roles": ["Clerk"]"#)
        for _ in 0..<3 { _ = try fixture.request("GET", "/inventory/items", [.bearer(ann)]) }
        for (target, token) in [
            ("/inventory/items", joe), ("/claims", outside), ("/open/a", joe), ("/plain", "worthless"),
        ] {
            _ = try fixture.request("GET", target, [.bearer(token)])
        }
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/plain" })
        #expect(line["caller"].string == nil && line["tls"].bool == false)
        let claims = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/claims" })
        // Personal values are digests.
        #expect(claims["credential"].string == "bearer" && claims["roles"].strings == ["Clerk"])
        #expect(claims["claims"]["dept"].strings.first?.utf8.count == 12, "\(claims.text)")
        let directory = fixture.gateway.configuration
        let log = fixture.gateway.program.lines(.output).joined(separator: "\n") + "\n{\"no\": 1}\nbroken\n"
        func replay(_ json: String...) throws -> (text: JSONText, ending: Program.Ending) {
            let result = try Program.run(
                GatewayProcess.binary, ["replay", "-", directory.path, "--json"], input: log)
            return (JSONText(result.output), result.ending)
        }
        let same = try replay()
        #expect(same.ending == .exit(0) && same.text["replayed"].integer == 6, "\(same.text.text)")
        #expect(same.text["omitted"]["broken"].integer == 2 && same.text["omitted"]["credential"].integer == 1)
        try directory.write(
            "gateway.json",
            try directory.read("gateway.json").replacing(#"["x", "y"]"#, with: #"["x"]"#)
                .replacing(#""roles": ["Manager", "Clerk"]}"#, with: #""roles": ["Manager"]}"#))
        let changed = try replay()
        #expect(changed.ending == .exit(1))
        let found = changed.text["differences"].list
        #expect(found.count == 2, "\(changed.text.text)")
        #expect(
            found.contains { $0["count"].integer == 3 && $0["after"].string == "refused, 403 role_required" }
                && found.contains {
                    $0["route"].string == "/claims" && $0["after"].string == "refused, 403 claim_required"
                },
            "\(changed.text.text)")
        let missing = try CommandLine.run("replay", "\(directory.path)/none.log", directory.path)
        #expect(missing.ending == .exit(3) && missing.errors.contains("cannot be read"))
    }

    @Test("diff tells the exit status of a gain, of a loss and of an invalid configuration, also at a running gateway")
    func differing() throws {
        let fixture = try Fixture { _ in }
        let old = fixture.gateway.configuration
        func diff(_ change: (inout FixtureSettings) -> Void) throws -> (text: String, ending: Program.Ending) {
            var settings = FixtureSettings(upstream: fixture.upstream.url)
            change(&settings)
            let new = try ConfigurationDirectory(["gateway.json": settings.text])
            let result = try CommandLine.run("diff", old.path, new.path)
            return (result.output + result.errors, result.ending)
        }
        let same = try diff { _ in }
        #expect(same.ending == .exit(0) && same.text.contains("no request is decided differently"))
        let lost = try diff { $0["routes"] = routes(#""GET": {"roles": ["Manager"]}"#) }
        #expect(lost.ending == .exit(0) && lost.text.contains("LOST: refused, 403 role_required"), "\(lost.text)")
        #expect(lost.text.contains("tokens of clients for users, inventory/1.0, ann; before: forwarded, to stub"))
        let gained = try diff { $0["users"] = FixtureSettings.users().replacing(#"["Clerk"]"#, with: #"["Manager"]"#) }
        #expect(gained.ending == .exit(1) && gained.text.contains("POST /inventory/items"), "\(gained.text)")
        let invalid = try diff { $0["roles"] = "[]" }
        #expect(invalid.ending == .exit(3) && invalid.text.contains("unknown role"))
        #expect(try CommandLine.run("diff", old.path).ending == .exit(2))
        #expect(try CommandLine.run("diff", old.path, "/nowhere").ending == .exit(3))

        try old.write("admin-token", "admin-secret")
        func running() throws -> (text: String, ending: Program.Ending) {
            let admin = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
            let result = try CommandLine.run(
                "diff", "--running", "--admin", admin, "--admin-token-file", old.path + "/admin-token")
            return (result.output + result.errors, result.ending)
        }
        #expect(try running().text.contains("no request is decided differently"))
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        settings.addRoutes(#"{"path": "/new", "upstream": "stub", "public": true}"#)
        try old.write("gateway.json", settings.text)
        #expect(
            try CommandLine.run("diff", "--running", "--config", old.path, "--format", "markdown").ending == .exit(2))
        let pending = try running()
        #expect(pending.ending == .exit(1) && pending.text.contains("any method /new"), "\(pending.text)")
        try old.write("gateway.json", "{")
        #expect(try running().ending == .exit(1))
    }

    @Test("diff decides about many ranges of addresses together, which no rule tells apart")
    func ranges() throws {
        func rules(_ network: Int, _ value: String) throws -> ConfigurationDirectory {
            var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
            settings["trustedIssuers"] = #"""
                [{"name": "i", "issuer": "https://i.example", "jwksUri": "https://i.example/keys", "audience": ["api"],
                  "virtualUserEnabled": true}]
                """#
            let ranges = (0..<100).map { "\"10.\(network).\($0).0/24\"" }.joined(separator: ", ")
            let claims = ["f", "g", "h", "i"].map { "\"\($0)\": \"\(value)\"" }.joined(separator: ", ")
            settings.addRoutes(
                #"{"path": "/x", "upstream": "stub", "addresses": {"allow": [\#(ranges)]}, "claims": {\#(claims)}}"#)
            return try ConfigurationDirectory(["gateway.json": settings.text])
        }
        let (old, new) = (try rules(1, "v"), try rules(2, "w"))
        let result = try CommandLine.run("diff", old.path, new.path)
        #expect(result.ending == .exit(1) && !result.output.contains("UNDECIDED"), "\(result.output)")
        let place = "from 10.2.0.0/24, from 10.2.1.0/24, from 10.2.2.0/24, from 10.2.3.0/24 and 96 others"
        #expect(
            result.output.contains("tokens of i, \(place), with f w, with g w, with h w, with i w; before: refused"),
            "\(result.output)")
    }

    @Test("access shows who may use which route, and a cell cannot be a formula")
    func access() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        let text = try CommandLine.run("access", directory.path, "--who", "Clerk").output
        #expect(
            text.contains("GET /inventory/items\n  asks for role Manager or Clerk; level 2; client inventory/1.0"),
            "\(text)")
        #expect(!text.contains("POST /inventory/items"))
        let what = try CommandLine.run("access", directory.path, "--what", "/open/a", "--format", "json")
        let rows = JSONText(what.output).list
        #expect(rows.count == 1 && rows[0]["access"]["anonymous"].string == "yes", "\(what.output)")
        let table = try CommandLine.run("access", directory.path, "--format", "csv").output
        #expect(table.hasPrefix("methods,path,anonymous,role Manager,role Clerk"), "\(table)")
        #expect(
            table.contains(
                "GET,/inventory/items,-,some,some,-,-,-,some,-,role Manager or Clerk; level 2; client inventory/1.0"))
        #expect(
            try CommandLine.run("access", directory.path, "--format", "html").output.contains("<th>role Manager</th>"))
        // The account's roles decide, with a client where the route asks for one.
        let joe = try CommandLine.run("access", directory.path, "--who", "user:joe", "--format", "csv").output
        #expect(joe.hasPrefix("methods,path,user joe,asks for"), "\(joe)")
        #expect(joe.contains("POST,/inventory/items,some,role Manager"), "\(joe)")
        let ann = try CommandLine.run("access", directory.path, "--who", "user:ann").output
        #expect(ann.contains("GET /inventory/items\n") && !ann.contains("POST /inventory/items"), "\(ann)")
        let missing = try CommandLine.run("access", directory.path, "--who", "user:zoe")
        #expect(missing.ending == .exit(1) && missing.errors.contains("there is no user zoe"))
        let unknown = try CommandLine.run("access", directory.path, "--who", "Chief")
        #expect(
            unknown.ending == .exit(1) && unknown.errors.contains("no role, issuer, provider, client or consumer Chief")
        )
    }
}
