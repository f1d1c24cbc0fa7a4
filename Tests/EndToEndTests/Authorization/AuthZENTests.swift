import Testing

/// The gateway as policy enforcement point in front of a decision point that is written to the examples of the
/// Authorization API 1.0: subjects have ids, actions names, resources types and ids.
@Suite struct AuthZENTests {
    private let fixture: Fixture
    private let server: StubUpstream
    private static let paths = ["/access/v1/evaluation", "/access/v1/evaluations"]

    init() throws {
        let server = try StubUpstream()
        server.on(Self.paths[0]) { request in
            Self.reply(to: request) { Self.decision(Self.tuple($0)) }
        }
        server.on(Self.paths[1]) { request in
            Self.reply(to: request) { body in
                var answers: [String] = []
                // `deny_on_first_deny`: nothing is behind the first denial.
                for evaluation in body["evaluations"].list {
                    answers.append(Self.decision(Self.tuple(evaluation, or: body)))
                    if answers.last?.contains("false") == true { break }
                }
                return #"{"evaluations": [\#(answers.joined(separator: ", "))]}"#
            }
        }
        self.server = server
        fixture = try Fixture { settings in
            settings["policyServers"] = """
                {"one": {"url": "\(server.url)\(Self.paths[0])", "allowHttp": true, "format": "authzen",
                         "token": "gateways-own", "answerHeaders": ["X-Tier"]},
                 "two": {"url": "\(server.url)\(Self.paths[1])", "allowHttp": true, "format": "authzen",
                         "evaluations": [{"action": "can_read", "resourceType": "document", "resourceId": "{name}"},
                                         {"action": "enter", "resourceType": "area", "resourceId": "documents"}]}}
                """
            settings.addRoutes(
                #"{"name": "area", "path": "/area/**", "upstream": "stub", "policy": "one"}"#,
                #"{"name": "shop", "path": "/shop/**", "upstream": "stub", "public": true, "policy": "one"}"#,
                #"{"name": "docs", "path": "/docs/{name}", "upstream": "stub", "policy": ["two"]}"#)
        }
    }

    private static func reply(
        to request: RecordedRequest, _ answer: (JSONText) -> String
    ) -> [StubUpstream.Step] {
        let body = answer(JSONText(String(decoding: request.body, as: UTF8.self)))
        let id = Field(name: "X-Request-ID", value: request.only("X-Request-ID") ?? "")
        return [.reply("200 OK", ["Content-Type: application/json", id], body: body)]
    }

    /// Subject, action, type and id of the resource.
    private static func tuple(_ evaluation: JSONText, or defaults: JSONText? = nil) -> [String] {
        func text(_ member: String, _ name: String) -> String {
            evaluation[member][name].string ?? defaults?[member][name].string ?? ""
        }
        return [
            "\(text("subject", "type")):\(text("subject", "id"))", text("action", "name"), text("resource", "type"),
            text("resource", "id"),
        ]
    }

    private static func decision(_ tuple: [String]) -> String {
        let allowed = [
            ["user:ann", "GET", "route", "/area/51"], ["anonymous:anonymous", "GET", "route", "/shop/a"],
            ["user:ann", "can_read", "document", "boxcarring.md"],
            ["user:joe", "can_read", "document", "boxcarring.md"],
            ["user:ann", "enter", "area", "documents"],
        ]
        guard allowed.contains(tuple) else {
            return #"{"decision": false, "context": {"reason_admin": {"en": "no rule for \#(tuple[0])"}}}"#
        }
        return #"{"decision": true, "context": {"headers": {"X-Tier": "gold"}}}"#
    }

    private func status(_ path: String, _ user: String? = nil, method: String = "GET") throws -> Int {
        let token = try user.map { [Field.bearer(try fixture.token($0))] } ?? []
        return try fixture.request(method, path, token).status
    }

    @Test("a decision point decides about caller, method and path, and its reason is in the log")
    func evaluation() throws {
        #expect(try status("/area/51", "ann") == 200)
        #expect(try fixture.lastRequest("/area/51").values("X-Tier") == ["gold"])
        #expect(try status("/area/51", "joe") == 403)
        #expect(try status("/area/51", "ann", method: "DELETE") == 403)
        #expect(try status("/area/52", "ann") == 403)
        #expect(try status("/shop/a") == 200)
        let line = try #require(
            fixture.gateway.waitForAccess { $0["route"].string == "area" && $0["subject"].string == "joe" })
        #expect(line["policy_server"].string == "one" && line["policy_reason"].string == "no rule for user:joe")
        let asked = server.requests(Self.paths[0])
        #expect(asked.count == 5 && asked.allSatisfy { $0.only("Authorization") == "Bearer gateways-own" })
        // The id is that of the log.
        #expect(asked[1].only("X-Request-ID") == line["request_id"].string)
        let context = JSONText(String(decoding: asked[0].body, as: UTF8.self))["context"]
        #expect(context["client"].string == "127.0.0.1" && context["time"].string?.hasSuffix("Z") == true)
        #expect(context["host"].string?.isEmpty == false)
    }

    @Test("several decisions are one question, and the first refusal decides")
    func evaluations() throws {
        #expect(try status("/docs/boxcarring.md", "ann") == 200)
        #expect(try status("/docs/boxcarring.md", "joe") == 403)
        #expect(try status("/docs/search.md", "ann") == 403)
        #expect(server.requests(Self.paths[1]).count == 3 && server.requests(Self.paths[0]).isEmpty)
        #expect(fixture.upstream.requests("/docs/search.md").isEmpty)
        // A segment with parameters is no value.
        #expect(try status("/docs/boxcarring.md;v=1", "ann") == 400)
    }

    @Test("answers that are none refuse with their cause in the log")
    func badAnswers() throws {
        let answers: [(cause: String, step: StubUpstream.Step)] = [
            ("decision", .reply("200 OK", [], body: #"{"decision": "true"}"#)),
            ("decision", .reply("200 OK", [], body: "{}")),
            ("unusable", .reply("200 OK", [], body: "<html>true</html>")),
            ("request_id", .reply("200 OK", ["X-Request-ID: another"], body: #"{"decision": true}"#)),
            ("status_401", .reply("401 Unauthorized", [], body: #"{"decision": true}"#)),
            ("status_201", .reply("201 Created", [], body: #"{"decision": true}"#)),
        ]
        for (place, answer) in answers.enumerated() {
            server.on(Self.paths[0]) { _ in [answer.step] }
            let response = try fixture.request("GET", "/shop/\(place)")
            #expect(response.status == 503 && JSONText(response.text)["code"].string == "policy_unavailable")
            let line = fixture.gateway.waitForAccess { $0["path"].string == "/shop/\(place)" }
            #expect(line?["policy_reason"].string == answer.cause, "\(place)")
        }
        server.on(Self.paths[1]) { _ in [.reply("200 OK", [], body: #"{"evaluations": [{"decision": true}]}"#)] }
        #expect(try status("/docs/boxcarring.md", "ann") == 503)
        #expect(fixture.upstream.requests.isEmpty)
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_policy_requests_total", ["outcome": "allowed"]) == 0)
    }
}
