import Bytes
import HTTP
import Identity
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Policy

/// Questions to policy servers, what counts as an answer, and which answers are kept.
@Suite struct PolicyServerTests {
    private struct Asked: Equatable {
        let calls: Int
        let denial: Reason?

        init(_ calls: Int, _ denial: Reason? = nil) { (self.calls, self.denial) = (calls, denial) }
    }

    /// A snapshot whose only route asks one server, and its clock in microseconds.
    final class Setup {
        let server: HoldingCaller
        let snapshot: PolicySnapshot
        let asker: PolicyAsker

        init(
            _ result: OutboundResult?, path: PathPattern = "/items/{id}",
            _ change: (inout PolicyServerRules) -> Void = { _ in }
        ) throws {
            let server = HoldingCaller(result)
            var rules = PolicyServerRules()
            change(&rules)
            var asked = PolicyServer(
                name: "authz", url: try WebURL("https://opa.example.com/v1/data/api/allow"), rules: rules)
            asked.authorization = "Bearer ours"
            let clock = Clock()
            let asker = PolicyAsker(asked, caller: server) { clock.now.load(ordering: .relaxed) }
            var settings = TestPolicy.settings()
            var route = ResolvedRoute(RouteEntry(name: "items", path: path))
            route.access.policyServers = ["authz"]
            route.access.loginRequired = false
            settings.routes = [route]
            settings.policyServers = [asker]
            (self.server, self.asker, self.clock) = (server, asker, clock)
            snapshot = PolicySnapshot(settings)
        }

        final class Clock: Sendable {
            let now = Atomic<Int64>(1_000_000)
        }

        let clock: Clock
        var requestID = ""
        var time: Int64?

        func pass(milliseconds: Int64) { clock.now.add(milliseconds * 1000, ordering: .relaxed) }

        func effect(
            _ target: String = "/items/7", _ fields: [(String, String)] = [], method: String = "GET",
            roles: [String] = ["Clerk"], subject: String = "ann"
        ) throws(Reason) -> Effect<PolicyAnswer> {
            let request = TestRequest(method, target, fields)
            let route = snapshot.routes.routes[0]
            let path = request.canonicalPath ?? []
            var told = try PolicyRequest(
                route, telling: route.policyServers.inputHeaders, path: path.span, bytes: request.bytes.span,
                head: request.head,
                headers: request.headers, isSecure: true, address: IPAddress("192.0.2.1"))
            (told.requestID, told.time) = (requestID, time)
            let claims = snapshot.claims.select(
                try? JSONNode.parse(Array(#"{"scope":"read write","tenant":"north","secret":"s"}"#.utf8).span))
            let principal = Principal(
                kind: .user, method: .bearer, subject: subject, issuer: "own", backendID: nil,
                roles: TestPolicy.catalogue.roles(named: roles), catalogue: TestPolicy.catalogue, level: 2,
                claims: claims)
            return route.policyServers.ask(told, principal, route)
        }

        func answer(
            _ target: String = "/items/7", _ fields: [(String, String)] = [], roles: [String] = ["Clerk"],
            subject: String = "ann"
        ) throws(Reason) -> PolicyAnswer {
            try effect(target, fields, roles: roles, subject: subject).settled()
        }

        /// The document that the server was sent last.
        func input() throws -> JSONNode {
            let body = try #require(server.calls.last).body
            return try #require(try JSONNode.parse(body.span)["input"])
        }
    }

    static func reply(_ text: String, status: Int = 200, _ headers: [(name: String, value: String)] = [])
        -> OutboundResult
    {
        .response(OutboundResponse(status: status, headers: headers, body: Array(text.utf8)))
    }

    @Test("the input is a closed document without credentials, in which only listed fields and claims are")
    func input() throws {
        let setup = try Setup(Self.reply(#"{"result": true}"#)) {
            $0.inputHeaders = ["X-Tenant"]
            $0.claims = [ClaimPath(literal: "tenant")]
        }
        let fields = [
            ("Authorization", "Bearer secret-token"), ("Cookie", "session=secret-cookie"), ("X-Tenant", "a"),
            ("x-tenant", "b"), ("X-Other", "hidden"),
        ]
        #expect(try setup.answer("/items/a%20b?q=1%202&access_token=secret-query&q=%C3%A9", fields).denial == nil)
        let body = String(decoding: try #require(setup.server.calls.last).body, as: UTF8.self)
        #expect(!body.contains("secret") && !body.contains("hidden"), "\(body)")
        let input = try setup.input()
        #expect(input["method"]?.string == "GET" && input["host"]?.string == "gw.example.com")
        #expect(input["path"]?.string == "/items/a%20b")
        #expect(input["variables"]?["id"]?.string == "a b")
        #expect(input["query"]?.array?.compactMap { $0["value"]?.string } == ["1 2", "é"])
        #expect(input["headers"]?.members?.map { $0.name } == ["x-tenant"])
        #expect(input["headers"]?["x-tenant"]?.texts == ["a", "b"])
        #expect(input["user"]?.string == "ann" && input["roles"]?.texts == ["Clerk"])
        #expect(input["scopes"]?.texts == ["read", "write"])
        #expect(input["claims"]?["tenant"]?.string == "north")
        #expect(input["client"]?.string == "192.0.2.1" && input["route"]?.string == "items")
        let call = try #require(setup.server.calls.last)
        #expect(call.method == "POST" && call.headers.first { $0.name == "Authorization" }?.value == "Bearer ours")
    }

    @Test(
        "what can be read in two ways is not asked about",
        arguments: [
            ("/items/7", ("X_Tenant", "b")), ("/items/7", ("HTTP-X-Tenant", "b")), ("/items/7", ("XTenant", "b")),
            ("/items/7?q=%FF", ("X-Other", "a")),
        ])
    func ambiguous(_ target: String, _ field: (String, String)) throws {
        let setup = try Setup(Self.reply(#"{"result": true}"#)) { $0.inputHeaders = ["X-Tenant"] }
        #expect(throws: Reason.policyInputInvalid) { try setup.answer(target, [("X-Tenant", "a"), field]) }
        #expect(setup.server.calls.isEmpty)
    }

    @Test("a field that Connection removes from the request is not told")
    func removedField() throws {
        let setup = try Setup(Self.reply(#"{"result": true}"#)) { $0.inputHeaders = ["X-Tenant"] }
        #expect(try setup.answer("/items/7", [("X-Tenant", "a"), ("Connection", "X-Tenant")]).denial == nil)
        #expect(try setup.input()["headers"]?["x-tenant"]?.array?.isEmpty == true)
    }

    @Test(
        "answers of Open Policy Agent",
        arguments: [
            (#"{"result": true}"#, nil), (#"{"result": {"allow": true}}"#, nil), (#"{"result": false}"#, .policyDenied),
            ("{}", .policyDenied), (#"{"result": null}"#, .policyDenied), (#"{"result": "true"}"#, .policyDenied),
            (#"{"result": 1}"#, .policyDenied), (#"{"result": {"allow": "true"}}"#, .policyDenied),
            (#"{"result": {}}"#, .policyDenied),
            (#"{"result": {"allow": false, "status": 401}}"#, .policyLoginRequired),
            (#"{"result": {"allow": false, "status": 404}}"#, .policyHidden),
            (#"{"result": {"allow": false, "status": 200}}"#, .policyDenied), ("true", .policyUnavailable),
            ("", .policyUnavailable), ("<html>", .policyUnavailable), (#"{"result": true"#, .policyUnavailable),
            (#"[{"result": true}]"#, .policyUnavailable),
            (#"{"result": false, "result": true}"#, .policyUnavailable),
        ] as [(String, Reason?)])
    func documents(_ text: String, _ denial: Reason?) throws {
        #expect(try Setup(Self.reply(text)).answer().denial == denial)
        // An answer that cannot be read is no outage.
        #expect(try Setup(Self.reply(text)) { $0.onFailure = .allow }.answer().denial == denial)
    }

    @Test("statuses of a server that answers by them")
    func statuses() throws {
        let expected: [(Int, Reason?)] = [
            (200, nil), (204, nil), (401, .policyLoginRequired), (403, .policyDenied), (404, .policyHidden),
            (302, .policyUnavailable), (400, .policyUnavailable), (500, .policyUnavailable),
        ]
        for (status, denial) in expected {
            let setup = try Setup(Self.reply("", status: status)) { $0.format = FieldsFormat.self }
            #expect(try setup.answer("/items/7?a=b&access_token=s").denial == denial, "\(status)")
            let call = try #require(setup.server.calls.last)
            let fields = Dictionary(call.headers.map { ($0.name, $0.value) }) { $1 }
            #expect(call.method == "GET" && call.body.isEmpty)
            #expect(fields["X-Forwarded-Method"] == "GET" && fields["X-Forwarded-Uri"] == "/items/7?a=b")
            #expect(fields["X-Gateway-User"] == "ann" && fields["X-Gateway-Roles"] == "Clerk")
        }
        // Only an outage is admitted.
        for (status, denial) in [(302, Reason.policyUnavailable), (500, nil), (429, nil)] {
            let setup = try Setup(Self.reply("", status: status)) {
                ($0.format, $0.onFailure) = (FieldsFormat.self, .allow)
            }
            #expect(try setup.answer().denial == denial, "\(status)")
        }
    }

    /// Asks by the path alone, and reads one word.
    private enum WordFormat: AskedFormat {
        static let name = "word"
        static let meaning = "`word` sends the path and reads `yes`"
        static let hasClaims = false
        static let ownFields: [String] = []

        static func call(
            to server: PolicyServer, _ question: PolicyQuestion, headers: [(name: String, value: String)]
        ) -> OutboundCall {
            let body = question.fields.filter { $0.name == "X-Forwarded-Uri" }.flatMap { Array($0.value.utf8) }
            return server.transport.call("PUT", server.url, headers: headers, body: body, maximumBytes: 8)
        }

        static func answer(in response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
            response.body.elementsEqual("yes".utf8) ? PolicyAnswer(outcome: .allowed) : PolicyAnswer.denied(404)
        }
    }

    @Test("a further format is asked and read by its own file")
    func furtherFormat() throws {
        for (text, denial) in [("yes", nil), ("no", Reason.policyHidden)] {
            let setup = try Setup(Self.reply(text)) { $0.format = WordFormat.self }
            #expect(try setup.answer("/items/7").denial == denial)
            let call = try #require(setup.server.calls.last)
            #expect(call.method == "PUT" && call.body.elementsEqual("/items/7".utf8) && call.mayRepeat)
            #expect(call.headers.contains { $0.name == "Authorization" && $0.value == "Bearer ours" })
        }
    }

    @Test("servers can be asked by each format of the list", arguments: PolicyFormats.all.indices)
    func formats(_ index: Int) {
        let format = PolicyFormats.all[index]
        #expect(format is any AskedFormat.Type)
        #expect(PolicyFormats.all.count { $0.name == format.name } == 1)
    }

    @Test("failures of calls refuse, and only an outage is admitted where that is configured")
    func failures() throws {
        for failure in OutboundFailure.allCases {
            #expect(try Setup(.failed(failure)).answer().denial == .policyUnavailable)
            let isOutage = [.resolve, .connect, .timeout, .unavailable].contains(failure)
            let answer = try Setup(.failed(failure)) { $0.onFailure = .allow }.answer()
            #expect(answer.denial == (isOutage ? nil : .policyUnavailable) && answer.outcome == .failed, "\(failure)")
        }
    }

    @Test("the upstream gets listed fields of the answer alone, each in one line")
    func answerFields() throws {
        let text = #"""
            {"result": {"allow": true, "headers": {"X-Tier": "gold", "x-list": ["a", "b"], "X-Bad": "a\r\nX-Admin: 1",
             "Authorization": "Bearer x"}}}
            """#
        let setup = try Setup(Self.reply(text)) { $0.answerHeaders = ["X-Tier", "X-List"] }
        #expect(
            String(decoding: try setup.answer().fields, as: UTF8.self) == "X-Tier: gold\r\nX-List: a\r\nX-List: b\r\n")
        // Without a field that the upstream needs, the request must not reach it.
        let bad = try Setup(Self.reply(text)) { $0.answerHeaders = ["X-Tier", "X-Bad"] }.answer()
        #expect(bad.denial == .policyUnavailable && bad.fields.isEmpty)
    }

    @Test("answers are kept by the whole input, for the time of the configuration or less")
    func cache() throws {
        let setup = try Setup(Self.reply(#"{"result": true}"#)) {
            ($0.allowedMilliseconds, $0.deniedMilliseconds) = (10_000, 1000)
        }
        /// The calls that one request needs, and what it is refused for.
        func ask(
            _ target: String = "/items/7", roles: [String] = ["Clerk"], subject: String = "ann"
        ) throws -> Asked {
            let before = setup.server.calls.count
            let denial = try setup.answer(target, roles: roles, subject: subject).denial
            return Asked(setup.server.calls.count - before, denial)
        }
        #expect(try ask() == Asked(1))
        #expect(try ask() == Asked(0))
        #expect(try setup.answer().isCached)
        #expect(try ask(subject: "bob") == Asked(1))
        #expect(try ask(roles: []) == Asked(1))
        #expect(try ask("/items/8") == Asked(1))
        #expect(try ask("/items/7?a=b") == Asked(1))
        // The same to a server that decodes it as a form, and not to others.
        #expect(try ask("/items/7?a=%20b") == Asked(1))
        #expect(try ask("/items/7?a=+b") == Asked(1))
        setup.pass(milliseconds: 9_999)
        #expect(try ask() == Asked(0))
        setup.pass(milliseconds: 1)
        setup.server.answer(Self.reply(#"{"result": false}"#))
        #expect(try ask() == Asked(1, .policyDenied))
        #expect(try ask() == Asked(0, .policyDenied))
        setup.pass(milliseconds: 1000)
        setup.server.answer(Self.reply(#"{"result": true}"#, [("Cache-Control", "private, max-age=2")]))
        #expect(try ask() == Asked(1))
        setup.pass(milliseconds: 1999)
        #expect(try ask() == Asked(0))
        setup.pass(milliseconds: 1)
        setup.server.answer(Self.reply(#"{"result": true}"#, [("cache-control", "no-store")]))
        #expect(try ask() == Asked(1))
        #expect(try ask() == Asked(1))
        setup.server.answer(.failed(.connect))
        #expect(try ask() == Asked(1, .policyUnavailable))
        setup.server.answer(Self.reply(#"{"result": true}"#))
        #expect(try ask() == Asked(1))
        #expect(setup.asker.report.hits == 5)
    }

    @Test("the oldest of too many answers are forgotten")
    func eviction() throws {
        let setup = try Setup(Self.reply(#"{"result": true}"#)) {
            ($0.allowedMilliseconds, $0.maximumEntries) = (10_000, 8)
        }
        for i in 0..<100 { _ = try setup.answer("/items/\(i)") }
        #expect(setup.asker.report.remembered <= 8)
    }

    @Test("equal questions share one call, and others do not")
    func sharing() throws {
        let setup = try Setup(nil)
        let answers = Mutex<[String: Int]>([:])
        for subject in ["ann", "ann", "bob"] {
            try setup.effect(subject: subject).finish { answer in
                answers.withLock { $0["\(answer.outcome)", default: 0] += 1 }
            }
        }
        #expect(setup.server.calls.count == 2)
        setup.server.release(Self.reply(#"{"result": true}"#))
        #expect(answers.withLock { $0 } == ["allowed": 3])
        #expect(setup.asker.report.shared == 1 && setup.asker.report.calls == 2)
    }

    @Test("a failing server is left alone for a while")
    func breaker() throws {
        let setup = try Setup(.failed(.connect)) { $0.breaker.failures = 2 }
        for _ in 0..<5 { #expect(try setup.answer().denial == .policyUnavailable) }
        #expect(setup.server.calls.count == 2)
        setup.server.answer(Self.reply(#"{"result": true}"#))
        setup.pass(milliseconds: 1000)
        #expect(try setup.answer().denial == nil)
    }

    @Test("answers that cannot be used do not count as an outage, however many there are")
    func unusableAnswers() throws {
        let setup = try Setup(Self.reply("no", status: 400)) { ($0.breaker.failures, $0.onFailure) = (2, .allow) }
        for _ in 0..<5 { #expect(try setup.answer().denial == .policyUnavailable) }
        #expect(setup.server.calls.count == 5)
    }

    @Test("servers are asked after every other rule, for public routes too, and on trial after the rule itself")
    func steps() throws {
        let server = HoldingCaller(nil)
        let asker = try PolicyAsker(
            PolicyServer(name: "authz", url: WebURL("https://opa.example.com/")), caller: server
        ) { 0 }
        func asked(_ change: (inout AccessRule) -> Void) -> [Decision.Step] {
            var settings = TestPolicy.settings()
            var route = ResolvedRoute(RouteEntry(name: "items", path: "/items"))
            change(&route.access)
            settings.routes = [route]
            settings.policyServers = [asker]
            let snapshot = PolicySnapshot(settings)
            let request = TestRequest("GET", "/items", [bearer(TestPolicy.token("joe"))])
            let path = request.canonicalPath ?? []
            var decision = Decision(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers,
                now: TestPolicy.now)
            var steps: [Decision.Step] = []
            while case .ask(let step) = decision.advance(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers)
            {
                steps.append(step)
                if step == .credential, case .principal(let principal) = request.authenticate(snapshot, decision.route)
                {
                    decision.principal = principal
                }
            }
            return steps.filter { [.policy, .trial, .trialPolicy].contains($0) }
        }
        #expect(asked { $0.policyServers = ["authz"] } == [.policy])
        #expect(asked { ($0.policyServers, $0.isPublic) = (["authz"], true) } == [.policy])
        #expect(asked { ($0.policyServers, $0.roles) = (["authz"], RoleNames(any: ["Auditor"])) } == [])
        func trial(_ change: (inout AccessRule) -> Void) -> [AccessRule] {
            var rule = AccessRule()
            rule.policyServers = ["authz"]
            change(&rule)
            return [rule]
        }
        #expect(asked { $0.trial = trial { _ in } } == [.trialPolicy])
        #expect(asked { $0.trial = trial { $0.roles = RoleNames(any: ["Auditor"]) } } == [.trial])
        #expect(asked { ($0.policyServers, $0.trial) = (["authz"], trial { $0.level = 1 }) } == [.policy])
        #expect(asked { _ in } == [])
    }
}

extension Effect {
    /// Reports the value once it is there.
    fileprivate func finish(_ done: @escaping @Sendable (Value) -> Void) {
        switch self {
        case .done(let value): done(value)
        case .await(let begin): begin { $0.finish(done) }
        case .offload(let work), .hash(_, let work): work().finish(done)
        }
    }
}
