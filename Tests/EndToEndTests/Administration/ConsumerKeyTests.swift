import Foundation
import Testing

/// `portcullis keys`, and the same through the admin listener: keys open routes, are kept as digests and go nowhere.
@Suite struct ConsumerKeyTests {
    @Test("a key is shown once, opens routes, is rotated and revoked", arguments: Administrator.Way.allCases)
    func keys(_ way: Administrator.Way) throws {
        let admin = try Administrator(way) {
            $0["consumers"] = #"[{"name": "billing", "roles": ["Clerk"]}]"#
            $0.addRoutes(
                #"{"path": "/invoices", "upstream": "stub", "loginRequired": false, "roles": ["Clerk"]}"#,
                #"{"path": "/users", "upstream": "stub", "roles": ["Clerk"]}"#)
        }
        let key = try admin.done("keys", "add", "billing", "--expires", "90d")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(key.hasPrefix("pck_") && key.utf8.count == 51)
        #expect(try admin.bearer(key, "GET", "/invoices") == 200)
        #expect(try !admin.fixture.lastRequest("/invoices").values("Authorization").contains { $0.contains(key) })
        #expect(try admin.fixture.request("GET", "/invoices", ["X-API-Key: \(key)"]).status == 200)
        #expect(try admin.fixture.lastRequest("/invoices").values("X-API-Key").isEmpty)
        #expect(try admin.fixture.request("GET", "/invoices", [.basic("\(key):")]).status == 200)
        #expect(try admin.fixture.lastRequest("/invoices").values("Authorization").isEmpty)
        // A consumer is no user.
        #expect(try admin.bearer(key, "GET", "/users") == 401)
        #expect(try admin.bearer(String(key.dropLast()), "GET", "/invoices") == 401)
        let next = try admin.done("keys", "rotate", "billing", "--overlap", "1h")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        for good in [key, next] { #expect(try admin.bearer(good, "GET", "/invoices") == 200) }
        let list = try admin.done("keys", "list")
        let ids = try admin.keyIDs("billing")
        #expect(ids.count == 2 && Set(ids).count == 2 && !list.contains("sha256") && !list.contains("withdrawn"))
        try admin.done("keys", "revoke", "billing", ids[0])
        #expect(try admin.bearer(key, "GET", "/invoices") == 401)
        #expect(try admin.bearer(next, "GET", "/invoices") == 200)
        let last = try admin.done("keys", "rotate", "billing", "--overlap", "0s")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try admin.bearer(next, "GET", "/invoices") == 401)
        #expect(try admin.bearer(last, "GET", "/invoices") == 200)
        #expect(try admin.keyIDs("billing").filter { ids.contains($0) } == [ids[1]])
        #expect(try admin.refused("keys", "rotate", "biling").contains(#"did you mean "billing"?"#))
        #expect(try admin.refused("keys", "revoke", "billing", "k9").contains(#"no key "k9""#))
        let files = try admin.fixture.gateway.configuration.contents().values.joined()
        for secret in [key, next, last] {
            #expect(!files.contains(secret) && !admin.fixture.gateway.everythingWritten.contains(secret))
        }
        #expect(admin.fixture.gateway.everythingWritten.contains("api_key_unknown"))
    }

    @Test("the id of a removed key is not given again", arguments: Administrator.Way.allCases)
    func ids(_ way: Administrator.Way) throws {
        let admin = try Administrator(way) { $0["consumers"] = #"[{"name": "billing"}]"# }
        var given: Set<String> = []
        for _ in 0..<4 {
            _ = try admin.done("keys", "add", "billing")
            let ids = try admin.keyIDs("billing")
            #expect(ids.count == 1 && given.insert(ids[0]).inserted, "\(ids)")
            try admin.done("keys", "revoke", "billing", ids[0])
        }
    }

    @Test("a key that would have ended when it is made is refused, with the cause")
    func endless() throws {
        let admin = try Administrator(.listener) { $0["consumers"] = #"[{"name": "billing"}]"# }
        let before = try admin.fixture.gateway.configuration.contents()
        for action in ["add", "rotate"] {
            for text in ["0d", "0s", "-1d"] {
                let said = try admin.run(["keys", action, "billing", "--expires", text])
                #expect(said.ending == .exit(2), "\(said)")
                let cause = text == "-1d" ? "not a duration" : "what is made now would have ended already"
                #expect(said.errors.contains("--expires is ") && said.errors.contains(cause), "\(said.errors)")
            }
            let target = "/admin/consumers/billing/" + (action == "add" ? "keys" : action)
            let answer = try admin.fixture.admin("POST", target, body: #"{"expiresIn": "0h"}"#)
            #expect(answer.status == 400 && answer.text.contains("would have ended already"), "\(answer.text)")
        }
        #expect(try admin.fixture.gateway.configuration.contents() == before)
    }

    @Test("a consumer has limits over all routes, and counters")
    func limits() throws {
        let admin = try Administrator(.listener) {
            $0["rateLimits"] = #"{"few": {"requests": 1, "per": "1h", "burst": 2, "key": "address"}}"#
            $0["consumers"] = """
                [{"name": "billing", "rateLimit": "few"}, {"name": "stock", "rateLimit": ["few"]},
                 {"name": "audit", "rateLimit": {"requests": 1, "per": "1h"}}]
                """
            $0.addRoutes(
                #"{"path": "/one", "upstream": "stub", "loginRequired": false}"#,
                #"{"path": "/two", "upstream": "stub", "loginRequired": false}"#)
        }
        func key(_ name: String) throws -> String {
            try admin.done("keys", "add", name).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let keys = try ["billing", "billing", "stock", "audit"].map(key)
        #expect(try admin.bearer(keys[0], "GET", "/one") == 200)
        #expect(try admin.bearer(keys[1], "GET", "/two") == 200)
        // All keys and all routes count together, and other consumers apart.
        let refused = try admin.fixture.request("GET", "/two", [.bearer(keys[0])])
        #expect(refused.status == 429 && refused.only("Retry-After") != nil)
        #expect(try admin.bearer(keys[2], "GET", "/one") == 200)
        #expect(try admin.bearer(keys[3], "GET", "/one") == 200)
        #expect(try admin.bearer(keys[3], "GET", "/two") == 429)
        // Users are not limited, and a refused key counts for no consumer.
        let user = try admin.fixture.token("joe")
        for _ in 0..<3 { #expect(try admin.bearer(user, "GET", "/one") == 200) }
        #expect(try admin.bearer(String(keys[0].dropLast()), "GET", "/one") == 401)
        let metrics = try admin.fixture.gateway.metrics()
        let counts = [
            ("audit", "200", 1), ("audit", "429", 1), ("billing", "200", 2), ("billing", "429", 1), ("stock", "200", 1),
        ]
        let name = "portcullis_consumer_requests_total"
        for (consumer, code, count) in counts {
            #expect(metrics.sum(name, ["consumer": consumer, "code": code]) == Double(count), "\(consumer) \(code)")
        }
        #expect(metrics.sum(name) == 6)
    }

    @Test("check warns of a consumer whose last key ends")
    func ending() throws {
        let admin = try Administrator(.files) {
            $0["consumers"] = #"[{"name": "billing"}, {"name": "stock"}, {"name": "audit"}]"#
        }
        for name in ["billing", "stock"] { _ = try admin.done("keys", "add", name, "--expires", "2d") }
        _ = try admin.done("keys", "add", "stock")
        func check() throws -> String {
            try Program.run(GatewayProcess.binary, ["check", admin.fixture.gateway.configuration.path]).errors
        }
        let warnings = try check()
        #expect(warnings.contains(#"/consumers/0/keys: the last key of "billing" expires within 48 hours"#))
        #expect(!warnings.contains("stock") && !warnings.contains("audit"))
        let former = try admin.keyIDs("billing")
        let text = try admin.fixture.gateway.configuration.read("gateway.json")
        let past = text.replacing(/"expiresAt": ?\d+/, with: #""expiresAt": 1000"#)
        try admin.fixture.gateway.configuration.write("gateway.json", past)
        #expect(try check().contains(#"the last key of "billing" has expired"#))
        // Another rotation removes what has expired.
        _ = try admin.done("keys", "rotate", "billing")
        let left = try admin.keyIDs("billing")
        #expect(left.count == 1 && !former.contains(left[0]), "\(left)")
    }
}
