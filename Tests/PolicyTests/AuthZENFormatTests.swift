import Bytes
import Model
import Outbound
import TestSupport
import Testing

@testable import Policy

/// Questions in the format of AuthZEN and what counts as an answer to them.
@Suite struct AuthZENFormatTests {
    private typealias Setup = PolicyServerTests.Setup

    private static let documents = ["boxcarring.md", "subject-search.md", "resource-search.md"].map {
        PolicyEvaluation(action: "can_read", resourceType: "document", resourceID: $0)
    }

    private static func setup(
        _ answer: String, status: Int = 200, id: String? = nil, _ evaluations: [PolicyEvaluation] = [],
        _ change: (inout PolicyServerRules) -> Void = { _ in }
    ) throws -> Setup {
        let fields = id.map { [(name: "x-request-id", value: $0)] } ?? []
        let setup = try Setup(PolicyServerTests.reply(answer, status: status, fields)) {
            ($0.format, $0.evaluations) = (AuthZENFormat.self, evaluations)
            change(&$0)
        }
        setup.requestID = "bfe9eb29-ab87-4ca3-be83-a1d5d8305716"
        setup.time = 1_717_194_120
        return setup
    }

    private static func body(_ setup: Setup) throws -> JSONNode {
        let body = try #require(setup.server.calls.last).body
        return try JSONNode.parse(body.span)
    }

    @Test("one decision is asked about caller, method and path")
    func evaluation() throws {
        let setup = try Self.setup(#"{"decision": true}"#) {
            $0.inputHeaders = ["X-Tenant"]
            $0.claims = [ClaimPath(literal: "tenant")]
        }
        let fields = [("Authorization", "Bearer secret-token"), ("X-Tenant", "a"), ("X-Other", "hidden")]
        #expect(try setup.answer("/items/a%20b?q=1&access_token=secret-query", fields).denial == nil)
        let call = try #require(setup.server.calls.last)
        #expect(call.method == "POST" && call.mayRepeat)
        for (name, value) in [
            ("Authorization", "Bearer ours"), ("Content-Type", "application/json"),
            ("X-Request-ID", "bfe9eb29-ab87-4ca3-be83-a1d5d8305716"),
        ] {
            #expect(call.headers.filter { $0.name == name }.map(\.value) == [value])
        }
        let expected = #"""
            {"subject":{"type":"user","id":"ann","properties":{"method_of_login":"bearer","level":2,"issuer":"own",
            "roles":["Clerk"],"scopes":["read","write"],"claims":{"tenant":"north"}}},
            "context":{"time":"2024-05-31T22:22:00Z","request_id":"bfe9eb29-ab87-4ca3-be83-a1d5d8305716",
            "client":"192.0.2.1","method":"GET","host":"gw.example.com","scheme":"https",
            "query":[{"name":"q","value":"1"}],"headers":{"x-tenant":["a"]}},
            "action":{"name":"GET"},
            "resource":{"type":"route","id":"/items/a%20b","properties":{"route":"items","path":"/items/a%20b",
            "variables":{"id":"a b"}}}}
            """#
        #expect(String(decoding: call.body, as: UTF8.self) == expected.filter { $0 != "\n" })
    }

    @Test("several decisions are one call, with texts that name variables of the path")
    func evaluations() throws {
        let asked = [
            PolicyEvaluation(action: "can_read", resourceType: "document", resourceID: "docs/{id}"),
            PolicyEvaluation(resourceType: "{id}-of-{id}", resourceID: "all"), PolicyEvaluation(),
        ]
        let setup = try Self.setup(
            #"{"evaluations": [{"decision": true}, {"decision": true}, {"decision": true}]}"#, asked)
        #expect(try setup.answer("/items/7").denial == nil)
        let body = try Self.body(setup)
        #expect(body["subject"]?["id"]?.string == "ann" && body["action"] == nil && body["resource"] == nil)
        #expect(body["options"]?["evaluations_semantic"]?.string == "deny_on_first_deny")
        let evaluations = try #require(body["evaluations"]?.array)
        #expect(evaluations.map { $0["action"]?["name"]?.string } == ["can_read", "GET", "GET"])
        #expect(evaluations.map { $0["resource"]?["type"]?.string } == ["document", "7-of-7", "route"])
        #expect(evaluations.map { $0["resource"]?["id"]?.string } == ["docs/7", "all", "/items/7"])
    }

    @Test("a request without a variable of the question is refused, and not asked about as another one")
    func variables() throws {
        for name in ["owner", ""] {
            let setup = try Self.setup(#"{"decision": true}"#, [PolicyEvaluation(resourceID: "docs/{\(name)}")])
            let answer = try setup.answer("/items/7")
            #expect(answer.denial == .policyInputInvalid && answer.server == "authz" && setup.server.calls.isEmpty)
        }
        // A bracket alone is text.
        for text in ["a{b", "a}b", "}{"] {
            let setup = try Self.setup(#"{"decision": true}"#, [PolicyEvaluation(resourceID: text)])
            #expect(try setup.answer("/items/7").denial == nil)
            #expect(try Self.body(setup)["resource"]?["id"]?.string == text)
        }
    }

    @Test(
        "answers about one decision",
        arguments: [
            (#"{"decision": true}"#, nil, ""), (#"{"decision": true, "context": {}}"#, nil, ""),
            (#"{"decision": true, "context": {"reason": "owner"}}"#, nil, "owner"),
            (#"{"decision": false}"#, .policyDenied, ""),
            (#"{"decision": false, "context": {"reason": "resource not found"}}"#, .policyDenied, "resource not found"),
            (
                #"{"decision": false, "context": {"id": "0", "reason_admin": {"en": "policy C076E82F"}}}"#,
                .policyDenied,
                "policy C076E82F"
            ),
            (
                #"{"decision": false, "context": {"error": {"status": 404, "message": "Resource not found"}}}"#,
                .policyDenied, "Resource not found"
            ),
            (#"{"decision": "true"}"#, .policyUnavailable, "decision"),
            (#"{"decision": 1}"#, .policyUnavailable, "decision"),
            (#"{"decision": null}"#, .policyUnavailable, "decision"), ("{}", .policyUnavailable, "decision"),
            (#"{"evaluations": [{"decision": true}]}"#, .policyUnavailable, "decision"),
            (#"{"decision": true, "evaluations": [{"decision": false}]}"#, .policyUnavailable, "evaluations"),
            (#"{"result": true}"#, .policyUnavailable, "decision"),
            (#"{"decision": false, "decision": true}"#, .policyUnavailable, "unusable"),
            (#"[{"decision": true}]"#, .policyUnavailable, "unusable"), ("true", .policyUnavailable, "unusable"),
            ("", .policyUnavailable, "unusable"), (#"{"decision": true"#, .policyUnavailable, "unusable"),
        ] as [(String, Reason?, String)])
    func decisions(_ text: String, _ denial: Reason?, _ note: String) throws {
        for mode in PolicyServerRules.FailureMode.allCases {
            let answer = try Self.setup(text) { $0.onFailure = mode }.answer()
            #expect(answer.denial == denial && answer.note == note)
        }
    }

    @Test(
        "answers about three decisions",
        arguments: [
            ("[T, T, T]", nil, ""), ("[T, F, T]", .policyDenied, "no"), ("[T, F]", .policyDenied, "no"),
            ("[F]", .policyDenied, "no"), ("[]", .policyUnavailable, "evaluations"),
            ("[T]", .policyUnavailable, "evaluations"), ("[T, T]", .policyUnavailable, "evaluations"),
            ("[T, T, T, T]", .policyUnavailable, "evaluations"), ("[T, T, F, T]", .policyUnavailable, "evaluations"),
            ("[T, {}, T]", .policyUnavailable, "decision"), ("[T, true, T]", .policyUnavailable, "decision"),
            ("[F, {}, T]", .policyUnavailable, "decision"), ("true", .policyUnavailable, "evaluations"),
            ("{}", .policyUnavailable, "evaluations"),
        ] as [(String, Reason?, String)])
    func lists(_ list: String, _ denial: Reason?, _ note: String) throws {
        let text =
            list.replacing("T", with: #"{"decision": true}"#)
            .replacing("F", with: #"{"decision": false, "context": {"reason": "no"}}"#)
        // A decision beside the list counts for nothing (section 7.2).
        for more in ["", #""decision": true, "#] {
            let answer = try Self.setup(#"{\#(more)"evaluations": \#(text)}"#, Self.documents).answer()
            #expect(answer.denial == denial && answer.note == note)
        }
        #expect(
            try Self.setup(#"{"decision": true}"#, Self.documents).answer().denial == .policyUnavailable)
    }

    @Test("a status other than 200 is no decision, and only an outage is admitted where that is configured")
    func statuses() throws {
        for (status, isOutage) in [
            (201, false), (204, false), (302, false), (400, false), (401, false), (403, false), (404, false),
            (429, true), (500, true), (503, true),
        ] {
            // Another server may have answered in the place of an unreachable one.
            for id in ["bfe9eb29-ab87-4ca3-be83-a1d5d8305716", "other"] {
                let answer = try Self.setup(#"{"decision": true}"#, status: status, id: id).answer()
                #expect(answer.denial == .policyUnavailable && answer.note == "status_\(status)")
                let lenient = try Self.setup(#"{"decision": true}"#, status: status, id: id) { $0.onFailure = .allow }
                #expect(try lenient.answer().denial == (isOutage ? nil : .policyUnavailable), "\(status)")
            }
        }
    }

    @Test("an answer with the id of another request is none")
    func requestID() throws {
        let own = "bfe9eb29-ab87-4ca3-be83-a1d5d8305716"
        #expect(try Self.setup(#"{"decision": true}"#, id: own).answer().denial == nil)
        for id in ["", "other", own.uppercased(), "\(own), \(own)"] {
            let answer = try Self.setup(#"{"decision": true}"#, id: id) { $0.onFailure = .allow }.answer()
            #expect(answer.denial == .policyUnavailable && answer.note == "request_id", "\(id)")
        }
        // Without one of the request, none is sent and none compared.
        let setup = try Self.setup(#"{"decision": true}"#, id: "other")
        setup.requestID = ""
        #expect(try setup.answer().denial == nil)
        #expect(setup.server.calls.allSatisfy { $0.headers.allSatisfy { $0.name != "X-Request-ID" } })
    }

    @Test("kept answers depend on caller and request, and not on time and id")
    func cache() throws {
        let setup = try Self.setup(#"{"decision": true}"#) { $0.allowedMilliseconds = 10_000 }
        #expect(try setup.answer().denial == nil)
        (setup.requestID, setup.time) = ("another", 1_717_194_121)
        #expect(try setup.answer().isCached)
        #expect(try !setup.answer("/items/8").isCached)
        #expect(try !setup.answer(subject: "bob").isCached)
        #expect(setup.server.calls.count == 3)
    }

    @Test("the upstream gets listed fields that the contexts of the answer have")
    func answerFields() throws {
        let text = #"""
            {"evaluations": [{"decision": true, "context": {"headers": {"X-Tier": "gold", "X-Secret": "no"}}},
             {"decision": true}, {"decision": true, "context": {"headers": {"x-list": ["a", "b"], "X-Bad": "a\nb"}}}]}
            """#
        let setup = try Self.setup(text, Self.documents) { $0.answerHeaders = ["X-Tier", "X-List"] }
        #expect(
            String(decoding: try setup.answer().fields, as: UTF8.self) == "X-Tier: gold\r\nX-List: a\r\nX-List: b\r\n")
        let bad = try Self.setup(text, Self.documents) { $0.answerHeaders = ["X-Bad"] }.answer()
        #expect(bad.denial == .policyUnavailable && bad.fields.isEmpty)
    }
}
