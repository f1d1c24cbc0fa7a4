import Foundation
import Testing

/// Servers that are asked about requests: the real gateway in front of one that computes its decisions.
@Suite struct PolicyServerTests {
    /// The gateway, and a server for `/v1/data/api/allow`.
    private struct Setup {
        let fixture: Fixture
        let server: StubUpstream
        static let path = "/v1/data/api/allow"

        init(
            _ more: String = "", access: String = #""policy": "authz""#,
            answer: @escaping @Sendable (RecordedRequest) -> [StubUpstream.Step]
        ) throws {
            let server = try StubUpstream()
            server.on(Self.path) { answer($0) }
            self.server = server
            fixture = try Fixture { Self.configure(&$0, server, more, access) }
        }

        static func configure(
            _ settings: inout FixtureSettings, _ server: StubUpstream, _ more: String, _ access: String
        ) {
            settings["policyServers"] = """
                {"authz": {"url": "\(server.url)\(path)", "allowHttp": true, "token": "gateways-own",
                           "inputHeaders": ["X-Tenant"], "answerHeaders": ["X-Tier"]\(more)}}
                """
            settings.addRoutes(
                #"{"name": "docs", "path": "/docs/{owner}/**", "upstream": "stub", \#(access)}"#,
                #"{"name": "shop", "path": "/shop/**", "upstream": "stub", "public": true, "policy": ["authz"]}"#)
        }

        var asked: [RecordedRequest] { server.requests(Self.path) }
    }

    /// A policy as one of Open Policy Agent would decide: owners may read their documents, managers everything of the
    /// tenant `north`, and all users the shop by GET.
    private static func decide(_ request: RecordedRequest) -> [StubUpstream.Step] {
        let document = JSONText(String(decoding: request.body, as: UTF8.self))["input"]
        func text(_ name: String) -> String { document[name].string ?? "" }
        let isOwner = document["variables"]["owner"].string == text("user")
        let isManager =
            document["roles"][0].string == "Manager" && document["headers"]["x-tenant"][0].string == "north"
        let isShop = text("route") == "shop" && text("method") == "GET"
        if isOwner || isManager || isShop {
            let tier = isManager ? "gold" : "plain"
            return [
                .reply(
                    "200 OK", ["Content-Type: application/json"],
                    body: #"{"result": {"allow": true, "headers": {"X-Tier": "\#(tier)", "X-Secret": "no"}}}"#)
            ]
        }
        return [.reply("200 OK", [], body: #"{"result": {"allow": false, "reason": "neither owner nor manager"}}"#)]
    }

    private static func always(_ body: String, _ status: String = "200 OK")
        -> @Sendable (RecordedRequest) ->
        [StubUpstream.Step]
    { { _ in [.reply(status, [], body: body)] } }

    @Test("a server decides by the input, its fields reach the upstream, and log and metrics tell its reason")
    func decisions() throws {
        let setup = try Setup(answer: Self.decide)
        let fixture = setup.fixture
        let (joe, ann) = (try fixture.token("joe"), try fixture.token("ann"))
        let spoof = Field(name: "X-Tier", value: "platinum")
        #expect(try fixture.request("GET", "/docs/ann/1", [.bearer(ann), spoof]).status == 200)
        let seen = try fixture.lastRequest("/docs/ann/1")
        #expect(seen.values("X-Tier") == ["plain"] && seen.values("X-Secret").isEmpty)
        let refused = try fixture.request("GET", "/docs/joe/1", [.bearer(ann)])
        #expect(refused.status == 403 && JSONText(refused.text)["code"].string == "policy_denied")
        #expect(!refused.text.contains("owner"))
        #expect(fixture.upstream.requests("/docs/joe/1").isEmpty)
        let line = try #require(fixture.gateway.waitForAccess { $0["reason"].string == "policy_denied" })
        #expect(line["policy"].string == "denied" && line["policy_server"].string == "authz")
        #expect(line["policy_reason"].string == "neither owner nor manager")
        let tenant = Field(name: "X-Tenant", value: "north")
        #expect(try fixture.request("GET", "/docs/ann/1", [.bearer(joe), tenant]).status == 200)
        #expect(try fixture.request("GET", "/docs/ann/1", [.bearer(joe)]).status == 403)
        // Without a caller, and before the body.
        #expect(try fixture.request("GET", "/shop/a").status == 200)
        #expect(try fixture.request("POST", "/shop/a", body: "x").status == 403)
        // Local rules refuse first.
        let before = setup.asked.count
        #expect(try fixture.request("GET", "/docs/ann/1").status == 401)
        #expect(setup.asked.count == before)
        for request in setup.asked {
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(request.only("Authorization") == "Bearer gateways-own")
            #expect(!body.contains(ann) && !body.contains(joe))
        }
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_policy_requests_total", ["server": "authz", "outcome": "denied"]) == 3)
        #expect(metrics.sum("portcullis_policy_requests_total", ["outcome": "allowed"]) == 3)
        #expect(metrics.sum("portcullis_policy_call_duration_seconds_count", [:]) == 6)
    }

    @Test("the path that is decided is the one that is forwarded")
    func canonicalPath() throws {
        let setup = try Setup(answer: Self.decide)
        let token = Field.bearer(try setup.fixture.token("ann"))
        for (target, status) in [
            ("/docs/ann/%61b", 200), ("/docs/%61nn/ab", 200), ("/docs/joe%2F..%2Fann/ab", 400),
            ("/docs/ann%2Fx/ab", 400), ("/docs/ann;x/ab", 403), ("/docs/joe/../ann/ab", 0), ("/docs/ann/..%2Fjoe", 0),
        ] {
            let answer = try setup.fixture.request("GET", target, [token])
            // Where the path is rewritten or refused, what matters is that both see the same.
            #expect(status == 0 || answer.status == status, "\(target): \(answer.status)")
            guard answer.status == 200 else { continue }
            let question = try #require(setup.asked.last)
            let decided = JSONText(String(decoding: question.body, as: UTF8.self))["input"]["path"]
            #expect(setup.fixture.upstream.requests.last?.path == decided.string, "\(target)")
        }
    }

    @Test(
        "an answer that cannot be used refuses, even where an outage would not",
        arguments: [#""deny""#, #""allow""#])
    func garbage(_ mode: String) throws {
        let answers: [(String, [StubUpstream.Step])] = [
            ("policy_denied", [.reply("200 OK", [], body: "{}")]),
            ("policy_unavailable", [.reply("200 OK", [], body: "<html>allow</html>")]),
            ("policy_unavailable", [.reply("200 OK", [], body: String(repeating: "[", count: 200_000))]),
            ("policy_unavailable", [.reply("302 Found", ["Location: /yes"], body: #"{"result": true}"#)]),
            ("policy_unavailable", [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"result\": true"), .close]),
            ("policy_unavailable", [.close]),
        ]
        let next = Monitor(0)
        let setup = try Setup(
            #", "onFailure": \#(mode), "circuitBreaker": {"failures": 2}"#, answer: { _ in answers[next.current].1 })
        setup.server.on("/yes", Self.always(#"{"result": true}"#))
        let token = Field.bearer(try setup.fixture.token("ann"))
        for (place, answer) in answers.enumerated() {
            next.withLock { $0 = place }
            let response = try setup.fixture.request("GET", "/docs/ann/1", [token])
            #expect(JSONText(response.text)["code"].string == answer.0, "\(place): \(response.status)")
        }
        #expect(setup.fixture.upstream.requests.isEmpty && setup.server.requests("/yes").isEmpty)
        // A server that is gone or slow is an outage.
        setup.server.stop()
        let status = try setup.fixture.request("GET", "/docs/ann/1", [token]).status
        #expect(status == (mode == #""deny""# ? 503 : 200))
        #expect(try setup.fixture.gateway.metrics().sum("portcullis_policy_up", ["server": "authz"]) == 0)
    }

    @Test("a server that does not answer in time refuses")
    func slow() throws {
        let gate = Gate()
        defer { gate.open() }
        let setup = try Setup(#", "readTimeout": "100ms""#, answer: { _ in [.wait(gate), .close] })
        let response = try setup.fixture.request("GET", "/shop/a")
        #expect(response.status == 503 && response.only("Retry-After") == "1")
        #expect(JSONText(response.text)["code"].string == "policy_unavailable")
    }

    @Test("a kept answer is for the same caller with the same roles and the same input, and ends with a reload")
    func cache() throws {
        let cache = #", "cache": {"for": "10m", "denials": "10m"}"#
        let setup = try Setup(cache, answer: Self.decide)
        let fixture = setup.fixture
        let (joe, ann) = (Field.bearer(try fixture.token("joe")), Field.bearer(try fixture.token("ann")))
        let north = Field(name: "X-Tenant", value: "north")
        for _ in 0..<3 { #expect(try fixture.request("GET", "/docs/ann/1", [ann]).status == 200) }
        #expect(setup.asked.count == 1)
        // The fields of a kept answer reach the upstream, too.
        #expect(try fixture.lastRequest("/docs/ann/1").values("X-Tier") == ["plain"])
        #expect(try fixture.request("GET", "/docs/ann/1", [joe]).status == 403)
        #expect(try fixture.request("GET", "/docs/ann/1", [joe, north]).status == 200)
        #expect(try fixture.request("GET", "/docs/ann/1", [joe]).status == 403)
        #expect(setup.asked.count == 3)
        #expect(fixture.gateway.waitForAccess { $0["policy_cached"].bool == true } != nil)
        #expect(try fixture.gateway.metrics().sum("portcullis_policy_cache_total", ["outcome": "hit"]) == 3)
        try fixture.reload { settings in
            Setup.configure(&settings, setup.server, cache, #""policy": "authz""#)
            settings["users"] = FixtureSettings.users(joe: #"["Clerk"]"#)
        }
        #expect(try fixture.request("GET", "/docs/ann/1", [.bearer(fixture.token("joe")), north]).status == 403)
        #expect(setup.asked.count == 4)
    }

    @Test("a field that an upstream may take for one of the input refuses the request")
    func imitation() throws {
        let setup = try Setup(answer: Self.decide)
        let joe = Field.bearer(try setup.fixture.token("joe"))
        for name in ["X_Tenant", "x.tenant", "XTenant"] {
            let response = try setup.fixture.request(
                "GET", "/docs/ann/1", [joe, Field(name: "X-Tenant", value: "north"), Field(name: name, value: "south")])
            #expect(
                response.status == 400 && JSONText(response.text)["code"].string == "policy_input_invalid", "\(name)")
        }
        #expect(setup.asked.isEmpty && setup.fixture.upstream.requests.isEmpty)
        // An imitation of a field of the answer is removed.
        #expect(try setup.fixture.request("GET", "/shop/1", [Field(name: "x_tier", value: "gold")]).status == 200)
        let seen = try setup.fixture.lastRequest("/shop/1")
        #expect(seen.values("x_tier").isEmpty && seen.values("X-Tier") == ["plain"])
    }

    @Test("a trailer brings no field of the input past the server")
    func trailer() throws {
        let server = try StubUpstream()
        server.on(Setup.path, Self.always(#"{"result": true}"#))
        let fixture = try Fixture { settings in
            settings["policyServers"] =
                #"{"authz": {"url": "\#(server.url)\#(Setup.path)", "allowHttp": true, "inputHeaders": ["X-Tenant"]}}"#
            settings.addRoutes(
                #"{"path": "/asked", "upstream": "stub", "public": true, "policy": "authz"}"#,
                #"{"path": "/unasked", "upstream": "stub", "public": true}"#)
        }
        for (path, trailers) in [("/asked", []), ("/unasked", ["X-Tenant: evil"])] as [(String, [Field])] {
            let connection = try fixture.connect()
            try connection.send(
                "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Tenant: evil\r\n\r\n"
            )
            #expect(try connection.readResponse(to: "POST").status == 200)
            #expect(try fixture.lastRequest(path).trailers == trailers)
        }
        let document = JSONText(String(decoding: try #require(server.requests(Setup.path).first).body, as: UTF8.self))
        #expect(document["input"]["headers"]["x-tenant"][0].string == nil)
    }

    @Test("a policy server on trial refuses nothing, and log and counter tell what it would refuse")
    func trial() throws {
        let setup = try Setup(access: #""trial": {"policy": "authz"}"#, answer: Self.decide)
        let token = Field.bearer(try setup.fixture.token("ann"))
        #expect(try setup.fixture.request("GET", "/docs/ann/1", [token]).status == 200)
        #expect(try setup.fixture.request("GET", "/docs/joe/1", [token]).status == 200)
        #expect(setup.fixture.gateway.waitForAccess { $0["trial"].string == "policy_denied" } != nil)
        let metrics = try setup.fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_trial_denied_total", ["route": "docs", "reason": "policy_denied"]) == 1)
        setup.server.stop()
        #expect(try setup.fixture.request("GET", "/docs/ann/1", [token]).status == 200)
    }

    @Test("a server on trial that does not answer costs the time for the decision, and no more")
    func slowTrial() throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try StubUpstream()
        server.on(Setup.path) { _ in [.wait(gate), .close] }
        let fixture = try Fixture {
            Setup.configure(&$0, server, #", "readTimeout": "60s""#, #""trial": {"policy": "authz"}"#)
            $0["limits"] = #"{"decisionTimeout": "1s"}"#
        }
        let token = Field.bearer(try fixture.token("ann"))
        #expect(try fixture.request("GET", "/docs/ann/1", [token]).status == 200)
        #expect(fixture.gateway.waitForAccess { $0["trial"].string == "decision_timeout" } != nil)
        // A rule in force refuses in the same time.
        #expect(try fixture.request("GET", "/shop/1").status == 503)
    }

    @Test("another proxy gets the decision, and the fields for the upstream")
    func forwardAuth() throws {
        let server = try StubUpstream()
        server.on(Setup.path, Self.decide)
        let fixture = try ForwardAuthFixture.make { Setup.configure(&$0, server, "", #""policy": "authz""#) }
        let token = Field.bearer(try fixture.token("ann"))
        let allowed = try fixture.ask("GET", "/docs/ann/1", [token])
        #expect(allowed.status == 200 && allowed.values("X-Tier") == ["plain"])
        let refused = try fixture.ask("GET", "/docs/joe/1", [token])
        #expect(refused.status == 403 && fixture.reason(of: refused) == "policy_denied")
        // The proxy would forward the client's own field.
        let spoofed = try fixture.ask("GET", "/docs/ann/1", [token, Field(name: "X-Tier", value: "gold")])
        #expect(spoofed.status == 400 && fixture.reason(of: spoofed) == "forward_auth_malformed")
        let question = try #require(server.requests(Setup.path).first)
        #expect(JSONText(String(decoding: question.body, as: UTF8.self))["input"]["client"].string == "192.0.2.7")
    }

    @Test("explain names the servers, and asks them where an option says so")
    func explain() throws {
        let setup = try Setup(answer: Self.decide)
        let directory = setup.fixture.gateway.configuration
        try directory.write("token", try setup.fixture.mint("ann"))
        func explain(_ path: String, _ more: String...) throws -> (
            ending: Program.Ending, output: String, errors: String
        ) {
            try CommandLine.run(
                ["explain", "GET", path, "--config", directory.path, "--token-file", "\(directory.path)/token"] + more)
        }
        let named = try explain("/docs/joe/1")
        #expect(named.ending == .exit(0) && named.output.contains("authz would be asked"), "\(named.output)")
        #expect(setup.asked.isEmpty)
        let refused = try explain("/docs/joe/1", "--ask-policy")
        #expect(refused.ending == .exit(1) && refused.output.contains("policy_denied"), "\(refused.output)")
        let admitted = try explain("/docs/ann/1", "--ask-policy")
        #expect(admitted.ending == .exit(0) && admitted.output.contains("authz: allowed"), "\(admitted.output)")
    }

    @Test("configuration errors name their place")
    func invalid() throws {
        for (server, access, message) in [
            (#"{"url": "http://opa.example.com/"}"#, "", "/policyServers/authz/url: not encrypted"),
            (#"{"url": "https://a.example.com/", "inputHeaders": ["Cookie"]}"#, "", "/inputHeaders/0"),
            (#"{"url": "https://a.example.com/", "inputHeaders": ["X-Forwarded-For"]}"#, "", "/inputHeaders/0"),
            (#"{"url": "https://a.example.com/", "answerHeaders": ["Authorization"]}"#, "", "/answerHeaders/0"),
            (#"{"url": "https://a.example.com/", "format": "http", "claims": ["sub"]}"#, "", "/claims"),
            (#"{"url": "https://a.example.com/"}"#, #", "policy": "other""#, "unknown policy server \"other\""),
            (#"{"url": "https://a.example.com/", "evaluations": [{}]}"#, "", "/evaluations"),
            (
                #"{"url": "https://a.example.com/", "format": "authzen", "evaluations": [{"resourceId": "{id}"}]}"#,
                #", "policy": "authz""#, #"policy server "authz" is asked about "{id}", which the path lacks"#
            ),
        ] {
            let directory = try ConfigurationDirectory([
                "gateway.json": """
                {"baseUrl": "http://127.0.0.1:8080", "listeners": [{"address": "127.0.0.1", "port": 8080}],
                 "upstreams": {"u": {"url": "http://127.0.0.1:9"}}, "policyServers": {"authz": \(server)},
                 "routes": [{"path": "/a", "upstream": "u", "public": true\(access)}]}
                """
            ])
            let checked = try CommandLine.run("check", directory.path)
            #expect(checked.ending == .exit(1) && checked.errors.contains(message), "\(message): \(checked.errors)")
        }
    }
}
