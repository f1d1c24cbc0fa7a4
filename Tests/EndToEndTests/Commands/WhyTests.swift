import Foundation
import Testing

/// What was compared when a request was refused: in the access log, by `portcullis why` and by `explain` in the same words,
/// and never in the answer.
@Suite struct WhyTests {
    /// A token that is refused.
    private struct Case: Sendable, CustomTestStringConvertible {
        let reason: String
        /// Members of the claims; `NOW+1` and the like stand for times.
        let claims: String
        let header: String
        /// A regular expression of what was compared.
        let compared: String

        init(_ reason: String, _ claims: String, _ compared: String, header: String = "") {
            (self.reason, self.claims, self.compared, self.header) = (reason, claims, compared, header)
        }

        var testDescription: String { "\(reason) \(claims)" }
    }

    private static let good = #""iss": "https://idp.example", "sub": "joe""#
    private static let valid = #"\#(good), "aud": "api", "exp": NOW+600"#

    private static let cases: [Case] = [
        Case("wrong_audience", #"\#(good), "exp": NOW+600, "aud": "shop""#, #"aud "shop", accepted "api""#),
        Case(
            "wrong_audience", #"\#(good), "exp": NOW+600, "aud": ["a", "b"]"#, #"aud "a", "b", accepted "api""#),
        Case("wrong_audience", #"\#(good), "exp": NOW+600"#, #"aud none, accepted "api""#),
        Case(
            "unknown_issuer", #""iss": "https://evil.example", "aud": "api", "exp": NOW+600"#,
            #"iss "https://evil\.example", known .*"https://idp\.example""#),
        Case(
            "token_expired", #"\#(good), "aud": "api", "exp": NOW-1000"#,
            #"expired 100\d s ago \(exp \d+\), tolerance 60 s"#),
        Case(
            "token_not_yet_valid", #"\#(valid), "nbf": NOW+1000"#,
            #"nbf is (1000|99\d) s ahead \(\d+\), tolerance 60 s"#),
        Case("token_not_yet_valid", #"\#(valid), "iat": NOW+1000"#, #"iat is (1000|99\d) s ahead"#),
        Case("invalid_token", #"\#(good), "aud": "api""#, "exp none"),
        Case("wrong_token_type", #"\#(valid), "token_use": "refresh""#, #"typ "JWT", claim token_use "refresh""#),
        Case("wrong_token_type", #"\#(valid), "nonce": "n-0S6_WzA2Mj""#, #"typ "JWT", claim nonce, accepted"#),
        Case(
            "wrong_token_type", valid, #"typ "logout\+jwt", accepted "at\+jwt", "JWT", "none""#,
            header: #""typ": "logout+jwt""#),
        Case("unknown_key", valid, #"kid "elsewhere", alg "ES256", keys "a""#, header: #""kid": "elsewhere""#),
        Case("unsupported_algorithm", valid, #"alg "HS256", .*accepted .*"ES256""#, header: #""alg": "HS256""#),
        Case("unsupported_algorithm", valid, #"alg "none""#, header: #""alg": "none""#),
        Case("proof_required", #"\#(valid), "cnf": {"x5u": "y"}"#, #"cnf of "x5u""#),
        // Nothing that a terminal acts on, and no more than an operator reads.
        Case(
            "wrong_audience", #"\#(good), "exp": NOW+600, "aud": "\u001b[31m\n\#(String(repeating: "z", count: 500))""#,
            #"aud "\\u\{1b\}\[31m\\u\{a\}z{114}"\.\.\., accepted"#),
    ]

    /// The only published key is `a`.
    private func fixture(_ issuer: StubIssuer) throws -> Fixture {
        let fixture = try Fixture { $0["trustedIssuers"] = "[\(issuer.entry())]" }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        return fixture
    }

    private func why(_ fixture: Fixture, _ id: String) throws -> (
        ending: Program.Ending, output: String, errors: String
    ) {
        try CommandLine.run(
            "why", id, "--admin", "http://127.0.0.1:\(try fixture.gateway.port("admin"))",
            environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
    }

    @Test("the compared values of a refused token", arguments: cases)
    private func tokens(_ expected: Case) throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer)
        let token = issuer.sign("a", expected.claims, header: expected.header)
        let response = try fixture.request("GET", "/plain", [.bearer(token)])
        #expect(response.status == 401, "\(response.text)")
        let id = try #require(response.only("X-Request-Id"))
        let line = try #require(fixture.gateway.waitForAccess { $0["request_id"].string == id })
        #expect(line["reason"].string == expected.reason)
        let detail = line["detail"].string ?? ""
        #expect(try detail.contains(Regex(expected.compared)), "\(detail)")
        // Neither the caller nor the log gets what was sent.
        #expect(!response.head.raw.contains("accepted") && !response.text.contains("api"), "\(response.text)")
        #expect(!fixture.gateway.everythingWritten.contains(token) && !detail.contains("n-0S6"))
        let told = try why(fixture, id)
        #expect(told.ending == .exit(0), "\(told)")
        #expect(told.output.contains(#"GET "/plain", from "127.0.0.1", route "/plain""#), "\(told.output)")
        #expect(told.output.hasSuffix("NO credential  \(expected.reason); \(detail)\nNO answer      401"), "\(told)")
        let explained = try CommandLine.run(
            "explain", "GET", "/plain", "--config", fixture.gateway.configuration.path, "--token-file", "-", "--plain",
            input: token)
        #expect(explained.output.contains("NO credential  \(expected.reason); "), "\(explained)")
        #expect(try explained.output.contains(Regex(expected.compared)), "\(explained)")
        let tested = try CommandLine.run(
            "issuer", "test", "-", "--config", fixture.gateway.configuration.path, input: token)
        #expect(tested.ending == .exit(1), "\(tested)")
        #expect(try tested.output.contains(Regex(expected.compared)), "\(tested)")
    }

    @Test(
        "the form of what is no JWT",
        arguments: [
            ("opaque", "a token of 6 bytes, with 1 part separated by dots; a JWT has 3"),
            ("e30.e30.!", "a token of 9 bytes, with 3 parts separated by dots\n"),
            ("e.e.e", "3 parts separated by dots; the header is no JSON object in base64url"),
        ])
    func form(_ token: String, _ compared: String) throws {
        let fixture = try Fixture()
        let response = try fixture.request("GET", "/plain", [.bearer(token)])
        #expect(response.status == 401, "\(response.text)")
        let told = try why(fixture, try #require(response.only("X-Request-Id")))
        #expect(told.output.contains(compared), "\(told)")
    }

    @Test("what a caller lacks: roles, levels, methods, addresses, origins, backends")
    func rights() throws {
        let fixture = try Fixture {
            $0.addRoutes(
                #"{"path": "/inside", "upstream": "stub", "public": true, "addresses": {"allow": ["192.0.2.0/24"]}}"#)
        }
        let ann: [Field] = [.basic("ann:Welcome2"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        let joe: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        let token = try fixture.token("joe")
        let cases: [(String, String, [Field], String)] = [
            (
                "POST", "/inventory/items", ann,
                #"rights      role_required; missing: the role Manager; held: roles "Clerk""#
            ),
            ("GET", "/payroll", joe, "rights      step_up_required; missing: level 3; held: level 2"),
            ("DELETE", "/inventory/items", [], "method      method_not_allowed; allowed: "),
            ("GET", "/inside", [], "address     address_not_allowed; address 127.0.0.1; allowed: 192.0.2.0/24"),
            (
                "GET", "/inventory/me", [.origin("https://evil.example")],
                #"origin      cors_denied; Origin "https://evil.example""#
            ),
            (
                "GET", "/inventory/me", [.bearer(token), "Oracle-Mobile-Backend-ID: else"],
                #"backend_mismatch; Oracle-Mobile-Backend-ID "else"; backend of the credential "mbe-inv-1""#
            ),
            ("GET", "/nowhere", [], "route       no_route\n"),
            (
                "GET", "/open/%2e%2e%2fx", [],
                #"path        ambiguous_path; "%2F" needs "encodedSlashes": "keep" of the route"#
            ), ("GET", "/open/%zz", [], #"GET "/open/%zz", from "127.0.0.1""#),
        ]
        for (method, path, fields, said) in cases {
            let body = method == "POST" ? "{}" : nil
            let response = try fixture.request(method, path, fields, body: body)
            let id = try #require(response.only("X-Request-Id"))
            let told = try why(fixture, id)
            #expect(told.output.contains(said), "\(told)")
            #expect(told.output.hasSuffix("NO answer      \(response.status)"), "\(told)")
            for hidden in ["Clerk", "192.0.2.0", "level 2"] { #expect(!response.text.contains(hidden)) }
        }
    }

    @Test("what a client of the token endpoint has asked for, and may")
    func clients() throws {
        let fixture = try Fixture {
            $0["clients"] = #"[{"clientId": "job", "clientSecret": "s3cret"}]"#
            $0.addRoutes(#"{"path": "/of-job", "upstream": "stub", "clients": ["job"]}"#)
        }
        for (body, compared) in [
            (
                "grant_type=password&username=joe&password=x",
                #"grant_type "password", of the client "client_credentials""#
            ),
            ("grant_type=client_credentials&scope=read", #"scope "read", of the client none"#),
        ] {
            let answer = try fixture.grant(body, client: "job:s3cret")
            #expect(answer.status == 400)
            let told = try why(fixture, try #require(answer.only("X-Request-Id")))
            #expect(told.output.contains(compared), "\(told)")
        }
        for (credential, compared) in [
            ("job:wrong", #"client "job" has another credential"#), ("jobs:s3cret", #"client "jobs" is unknown"#),
        ] {
            let answer = try fixture.grant("grant_type=client_credentials", client: credential)
            #expect(answer.status == 401 && !answer.text.contains("job"))
            let told = try why(fixture, try #require(answer.only("X-Request-Id")))
            #expect(told.output.contains(compared) && !told.output.contains("s3cret"), "\(told)")
        }
        let token = try fixture.token("joe")
        let refused = try fixture.request("GET", "/of-job", [.bearer(token)])
        let told = try why(fixture, try #require(refused.only("X-Request-Id")))
        #expect(
            told.output.contains(#"client of the credential "inventory/1.0", accepted "job""#), "\(told)")
    }

    @Test("an introspected token: what its server says is compared too")
    func introspection() throws {
        let server = try StubUpstream()
        defer { server.stop() }
        let end = Int(Date().timeIntervalSince1970) + 600
        let answer = Monitor("")
        server.on("/introspect") { _ in [.reply("200 OK", ["Content-Type: application/json"], body: answer.current)] }
        let fixture = try Fixture {
            $0["trustedIssuers"] = """
                [{"name": "as", "issuer": "https://as.example.com", "audience": ["gateway"],
                  "introspection": {"url": "\(server.url)/introspect", "clientId": "gateway", "clientSecret": "gs",
                                    "allowHttp": true}}]
                """
        }
        let cases = [
            (#"{"active": true, "sub": "eve", "exp": \#(end), "aud": "shop"}"#, #"aud "shop", accepted "gateway""#),
            (#"{"active": true, "sub": "eve", "exp": 1000, "aud": "gateway"}"#, #"\(exp 1000\)"#),
            (
                #"{"active": true, "sub": "eve", "exp": \#(end), "aud": "gateway", "iss": "https://x"}"#,
                #"iss "https://x", expected "https://as\.example\.com""#
            ),
            (#"{"active": false}"#, "the server calls the token inactive"),
            (
                #"{"active": true, "sub": "eve", "exp": \#(end), "aud": "gateway", "token_use": "refresh_token"}"#,
                #"claim token_use "refresh_token""#
            ),
        ]
        for (number, (body, compared)) in cases.enumerated() {
            answer.withLock { $0 = body }
            let response = try fixture.request("GET", "/plain", [.bearer("opaque-token-\(number)")])
            #expect(response.status == 401)
            let told = try why(fixture, try #require(response.only("X-Request-Id")))
            #expect(try told.output.contains(Regex(#"; introspected by "as"; .*"# + compared)), "\(told)")
            #expect(!told.output.contains("opaque-token"))
        }
    }

    @Test("an id of several refusals shows the latest first; a served request has none")
    func ids() throws {
        let fixture = try Fixture()
        for path in ["/plain", "/nowhere"] {
            _ = try fixture.request("GET", path, ["X-Request-Id: of-the-client"])
        }
        let told = try why(fixture, "of-the-client").output.split(separator: "\n")
        #expect(told.filter { $0.hasPrefix("NO answer") } == ["NO answer      404", "NO answer      401"], "\(told)")
        let served = try fixture.request("GET", "/open/x")
        for id in [try #require(served.only("X-Request-Id")), "never-seen", "a/../b"] {
            let none = try why(fixture, id)
            #expect(none.ending == .exit(1) && none.output.isEmpty, "\(none)")
            #expect(none.errors.contains("no refusal of this request id is remembered"), "\(none)")
        }
    }

    @Test("the admin token is needed, and what cannot be asked is said so")
    func unreachable() throws {
        let fixture = try Fixture()
        let url = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        #expect(
            try fixture.gateway.request("GET", "/admin/refusals/x", listener: "admin").status == 401)
        func run(_ words: String...) throws -> String {
            let result = try Program.run(
                GatewayProcess.binary, ["why", "x"] + words, environment: ["PORTCULLIS_ADMIN_TOKEN": "wrong"])
            #expect(result.ending != .exit(0) && result.output.isEmpty, "\(result)")
            return result.errors
        }
        #expect(try run("--admin", url).contains("the admin token is not accepted"))
        let bare = try ConfigurationDirectory(["gateway.json": "{}"])
        #expect(try run("--config", bare.path).contains("has no admin listener"))
        #expect(try run().contains("either --admin URL or --config DIR is required"))
        try fixture.gateway.stop()
        #expect(try run("--admin", url).contains("Connection refused"))
    }
}
