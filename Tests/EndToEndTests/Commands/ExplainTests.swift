import Foundation
import Testing

/// `portcullis explain` (DEC-01): it decides as the gateway does, and says on which way.
@Suite struct ExplainTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let fields: [String]
        let status: Int
        /// A line that must be there, without its mark.
        let said: String

        init(_ method: String, _ path: String, _ status: Int, _ said: String, _ fields: [String] = []) {
            (self.method, self.path, self.fields, self.status, self.said) = (method, path, fields, status, said)
        }

        var testDescription: String { "\(method) \(path) \(fields.joined(separator: ", ")) \(status)" }
    }

    private static func basic(_ text: String) -> String {
        "Authorization: Basic \(Data(text.utf8).base64EncodedString())"
    }
    private static let backend = "Oracle-Mobile-Backend-ID: mbe-inv-1"

    private static let cases: [Case] = [
        Case("GET", "/open/x", 200, "answer      forwarded to stub"),
        Case("GET", "/open/%61?b=c", 200, "path        /open/a"),
        Case("GET", "/nowhere", 404, "route       no_route"),
        Case("GET", "/open/%2e%2e%2fx", 400, "path        ambiguous_path"),
        Case("DELETE", "/inventory/items", 405, "method      method_not_allowed"),
        Case("GET", "/inventory/items", 401, "rights      missing_credential"),
        Case("GET", "/inventory/items", 401, "credential  malformed_token", ["Authorization: Bearer x"]),
        Case("GET", "/inventory/items", 401, "credential  unsupported_scheme", ["Authorization: Digest x"]),
        Case("GET", "/inventory/items", 401, "credential  wrong_password", [backend, basic("ann:wrong")]),
        Case(
            "GET", "/inventory/items", 200,
            "credential  ann, user by basic, issuer local, backend mbe-inv-1, level 2, roles Clerk",
            [backend, basic("ann:Welcome2")]),
        Case(
            "POST", "/inventory/items", 403, "rights      role_required; missing: the role Manager",
            [backend, basic("ann:Welcome2")]),
        Case(
            "GET", "/inventory/items", 403, "rights      role_required; missing: one of the roles Manager, Clerk",
            [backend, basic("bob:Welcome3")]),
        Case(
            "GET", "/payroll", 401, "rights      step_up_required; missing: level 3", [backend, basic("joe:Welcome1")]),
        Case("GET", "/inventory/me", 403, "origin      cors_denied", ["Origin: https://evil.example"]),
        Case("GET", "/inventory/me", 401, "origin      allowed", ["Origin: http://gw.example.com"]),
        Case(
            "OPTIONS", "/inventory/items", 204,
            "answer      a preflight, answered by the gateway: the origin is allowed",
            ["Origin: http://gw.example.com", "Access-Control-Request-Method: GET"]),
        Case("GET", "/.well-known/jwks.json", 200, "answer      by an endpoint of the gateway's own (jwks)"),
        Case("GET", "/favicon.ico", 204, "answer      204: no route has this icon"),
        Case("POST", "/favicon.ico", 404, "route       no_route"),
        Case("GET", "/open/x", 400, "syntax      space_before_colon", ["A b: c"]),
    ]

    @Test("the explanation matches the gateway's behaviour", arguments: cases)
    private func agrees(_ expected: Case) throws {
        let fixture = try Fixture()
        let fields = expected.fields.map { line in
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            return Field(name: parts[0], value: parts[1])
        }
        let answer = try fixture.request(
            expected.method, expected.path, fields, body: expected.method == "POST" ? "{}" : nil)
        #expect(answer.status == expected.status)
        try fixture.gateway.configuration.write("fields", expected.fields.joined(separator: "\r\n"))
        let directory = fixture.gateway.configuration.path
        let result = try CommandLine.run(
            "explain", expected.method, expected.path, "--config", directory, "--headers", "\(directory)/fields",
            "--plain")
        #expect(result.ending == .exit(expected.status < 400 ? 0 : 1), "\(result.output)\(result.errors)")
        #expect(result.output.contains(expected.said), "\(result.output)")
        if expected.status >= 400 { #expect(result.output.hasSuffix("NO answer      \(expected.status)")) }
    }

    @Test("keys are fetched for a token that needs them, and not for a public route or another issuer's token")
    func fetchesWhatItNeeds() throws {
        let (issuer, other) = (try StubIssuer(keys: "a"), try StubIssuer(keys: "b"))
        let second = """
            {"name": "other", "issuer": "https://other.example", "audience": ["api"], "allowHttp": true,
             "jwksUri": "\(other.server.url)/keys"}
            """
        let fixture = try Fixture { $0["trustedIssuers"] = "[\(issuer.entry()), \(second)]" }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched", skipping: 1))
        let (before, others) = (issuer.fetchCount, other.fetchCount)
        let directory = fixture.gateway.configuration.path
        func explain(_ path: String, _ token: String?) throws -> String {
            let source = token == nil ? [] : ["--token-file", "-"]
            return try Program.run(
                GatewayProcess.binary, ["explain", "GET", path, "--config", directory] + source, input: token ?? ""
            ).output
        }
        #expect(try explain("/open/x", nil).contains("forwarded to stub"))
        #expect(try explain("/plain", fixture.mint("joe")).contains("joe, user by bearer"))
        #expect(issuer.fetchCount == before && other.fetchCount == others)
        let token = issuer.sign("a", #""iss": "\#(StubIssuer.issuer)", "sub": "joe", "aud": "api", "exp": NOW+600"#)
        let told = try explain("/plain", token)
        #expect(told.contains("user by bearer, issuer idp"), "\(told)")
        #expect(issuer.fetchCount == before + 1 && other.fetchCount == others)
    }

    @Test("tokens are read from file or standard input: the gateway's own, expired and invalid ones")
    func tokens() throws {
        let fixture = try Fixture()
        let directory = fixture.gateway.configuration.path
        func explain(_ token: String, _ file: String = "-") throws -> (Program.Ending, String) {
            let result = try Program.run(
                GatewayProcess.binary,
                ["explain", "GET", "/inventory/items", "--config", directory, "--token-file", file], input: token)
            return (result.ending, result.output + result.errors)
        }
        let good = try explain(fixture.mint("joe") + "\n")
        #expect(
            good.0 == .exit(0) && good.1.contains("joe, user by bearer, issuer local, backend mbe-inv-1"), "\(good.1)")
        #expect(good.1.contains(", level 2, roles Manager, until 20"))
        #expect(try explain(fixture.mint("joe", "--lifetime", "-100")).1.contains("credential  token_expired"))
        let missing = try explain("", directory + "/none")
        #expect(missing.0 == .exit(1) && missing.1.contains("none cannot be read"))
        // Tokens are not shown, here as in the log.
        #expect(try !explain("secret.of.somebody").1.contains("secret"))
        // A field that would begin another request is none.
        let split = try explain("x\r\n\r\nGET /open/x HTTP/1.1")
        #expect(split.0 == .exit(1), "\(split.1)")
    }

    @Test("SCH-02: browsers are redirected to the login form, programs challenged")
    func browser() throws {
        let fixture = try Fixture { BrowserFixture.prepare(&$0) }
        let directory = fixture.gateway.configuration
        for (agent, status, said) in [
            ("Mozilla/5.0", 302, "ok answer      302 to the login form, /oic_rest/mobilesso"),
            ("OAMMS-Agent", 401, "NO answer      401"),
        ] {
            let fields = [Field(name: "Accept", value: "text/html"), Field(name: "User-Agent", value: agent)]
            #expect(try fixture.request("GET", "/mobileapp?x=1", fields).status == status)
            try directory.write("fields", "Accept: text/html\nUser-Agent: \(agent)\n")
            let result = try CommandLine.run(
                "explain", "GET", "/mobileapp?x=1", "--config", directory.path, "--headers", directory.path + "/fields",
                "--plain")
            #expect(result.output.hasSuffix(said), "\(result.output)\(result.errors)")
            #expect(result.output.contains("NO rights      missing_credential"))
            #expect(result.ending == .exit(status == 302 ? 0 : 1))
        }
    }

    /// One request to a route of the sample.
    private struct Asked {
        var method = "GET"
        var fields: [String] = []
    }

    @Test("for every route of the sample, the explanation matches the gateway's answer")
    func sampleRoutes() throws {
        let upstream = try StubUpstream()
        defer { upstream.stop() }
        let sample = try SampleConfiguration.copy()
        var settings = try sample.read("gateway.json").replacing("http://127.0.0.1:9000", with: upstream.url)
        for port in [8080, 8443, 9901] { settings = settings.replacing("\"port\": \(port)", with: "\"port\": 0") }
        try sample.write("gateway.json", settings)
        let gateway = try GatewayProcess(sample, listeners: ["public", "secure", "admin"])
        let grant = try gateway.request(
            "POST", "/oauth2/token",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=password&username=joe&password=Welcome1")
        let token = try #require(JSONText(grant.text)["access_token"].string, "\(grant.text)")
        let evil = "Origin: https://evil.example"
        let asked = [
            Asked(), Asked(method: "POST"), Asked(method: "DELETE"), Asked(fields: [evil]),
            Asked(fields: ["Authorization: Bearer \(token)"]),
            Asked(method: "POST", fields: ["Authorization: Bearer \(token)"]),
            Asked(fields: [Self.backend, Self.basic("ann:Welcome1")]), Asked(fields: ["Authorization: Bearer x"]),
        ]
        let paths = try sample.read("routes.json").matches(of: /"path": "([^"]+)"/).map {
            String($0.1).replacing("**", with: "x")
        }
        #expect(paths.count > 10)
        var statuses: Set<Int> = []
        for path in paths {
            for request in asked {
                let fields = request.fields.map { line in
                    let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                    return Field(name: parts[0], value: parts[1])
                }
                let answer = try gateway.request(
                    request.method, path, fields, body: request.method == "GET" ? nil : "{}")
                try sample.write("fields", request.fields.joined(separator: "\r\n"))
                let result = try CommandLine.run(
                    "explain", request.method, path, "--config", sample.path, "--headers", "\(sample.path)/fields",
                    "--plain")
                statuses.insert(answer.status)
                let note = Comment(rawValue: "\(request) \(path): \(answer.status)\n\(result.output)\(result.errors)")
                #expect(result.ending == .exit(answer.status < 400 ? 0 : 1), note)
                if answer.status >= 400 { #expect(result.output.hasSuffix("NO answer      \(answer.status)"), note) }
            }
        }
        // Refusals of each kind, and what is admitted.
        #expect(statuses.isSuperset(of: [200, 401, 403, 405]), "\(statuses)")
    }

    @Test("methods with rules of their own are of one entry")
    func methodsOfOneEntry() throws {
        let fixture = try Fixture {
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/a", "upstream": "stub", "methods": {"GET": {"public": true}, "POST": {}}}"#,
                #"{"path": "/b", "upstream": "stub", "public": true, "backends": ["inventory/1.0"]}"#,
            ])
        }
        for (method, path, said) in [
            ("GET", "/a", "route       /a GET, /routes/0, public"), ("POST", "/a", "route       /a POST, /routes/0"),
            ("GET", "/b", "route       /b, /routes/1, of inventory/1.0, public"),
        ] {
            let result = try CommandLine.run(
                "explain", method, path, "--config", fixture.gateway.configuration.path, "--plain")
            #expect(result.output.contains(said), "\(result.output)\(result.errors)")
        }
    }

    @Test("variables of the path have their values")
    func variables() throws {
        let fixture = try Fixture {
            $0.addRoutes(#"{"path": "/users/{id}/orders/{order}", "upstream": "stub", "public": true}"#)
        }
        func explain(_ target: String) throws -> String {
            try CommandLine.run(
                "explain", "GET", target, "--config", fixture.gateway.configuration.path, "--plain"
            ).output
        }
        let target = "/users/%61%20b//orders/7"
        #expect(try fixture.request("GET", target).status == 200)
        let said = try explain(target)
        #expect(said.contains("ok route       /users/{id}/orders/{order}, /routes/0, public"), "\(said)")
        #expect(said.contains("ok variables   id=a b, order=7"), "\(said)")
        #expect(try explain("/users/42;x/orders/7").contains("id=none, as the segment has a parameter, order=7"))
        let line = fixture.gateway.waitForAccess { $0["path"].string == "/users/a%20b/orders/7" }
        #expect(line?["route"].string == "/users/{id}/orders/{order}")
    }

    @Test("the output includes rates, certificates, body limits, endpoints and upstream tokens")
    func rules() throws {
        let fixture = try Fixture {
            $0["rateLimits"] = #"{"few": {"requests": 5, "per": "1m", "key": "address"}}"#
            $0.addRoutes(
                #"{"path": "/slow", "upstream": "stub", "public": true, "rateLimit": "few", "maxBodyBytes": 10}"#)
        }
        let directory = fixture.gateway.configuration
        func explain(_ method: String, _ path: String, _ fields: [String] = [], plain: Bool = true) throws -> String {
            try directory.write("fields", fields.joined(separator: "\r\n"))
            let flags = plain ? ["--plain"] : []
            return try Program.run(
                GatewayProcess.binary,
                ["explain", method, path, "--config", directory.path, "--headers", directory.path + "/fields"] + flags
            ).output
        }
        let slow = try explain("POST", "/slow", ["Content-Length: 10"])
        #expect(slow.contains("?  rate        5 requests in 60 s"), "\(slow)")
        #expect(slow.contains("ok body        at most 10 bytes"), "\(slow)")
        let long = try explain("POST", "/slow", ["Content-Length: 11"])
        #expect(long.contains("NO body        body_too_large; 11 bytes, and not more than 10"), "\(long)")
        #expect(long.hasSuffix("NO answer      413"))
        #expect(try fixture.request("POST", "/slow", body: String(repeating: "a", count: 11)).status == 413)
        let me = try explain("GET", "/inventory/me", [Self.backend, Self.basic("joe:Welcome1")])
        #expect(me.contains("ok token       of the issuer local in Authorization"), "\(me)")
        #expect(try explain("GET", "/open/x").contains("ok token       none"))
        // An endpoint: what it wants, and what becomes of it.
        let token = try explain("POST", "/oauth2/token", ["Content-Length: 70000"])
        #expect(token.contains("ok endpoint    token, "), "\(token)")
        #expect(token.contains("NO body        body_too_large; 70000 bytes, and not more than 65536"), "\(token)")
        let anonymous = try explain("GET", "/mobile/platform/users/~")
        #expect(anonymous.contains("NO credential  missing_credential"), "\(anonymous)")
        #expect(try fixture.request("GET", "/mobile/platform/users/~").status == 401)
        let known = try explain("GET", "/mobile/platform/users/~", ["Authorization: Bearer \(fixture.mint("joe"))"])
        #expect(known.contains("by an endpoint of the gateway's own (whoAmI)"), "\(known)")
    }
}
