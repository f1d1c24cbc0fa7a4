import Foundation
import Testing

/// An API key and another credential in one request.
@Suite struct PairedCredentialTests {
    private let admin: Administrator
    private var fixture: Fixture { admin.fixture }

    init() throws {
        admin = try Administrator(.listener) {
            $0["listeners"] = ForwardAuthFixture.listeners
            $0["consumers"] = """
                [{"name": "app", "roles": ["Manager"]}, {"name": "shop"},
                 {"name": "slow", "rateLimit": {"requests": 1, "per": "1h"}}]
                """
            $0.addRoutes(
                #"""
                {"path": "/both", "upstream": "stub", "authenticators": [{"all": ["apiKey", "bearer"]}],
                 "roles": ["Manager"], "loginRequired": true}
                """#,
                #"""
                {"path": "/limited", "upstream": "stub", "authenticators": [{"all": ["bearer", "apiKey"]}],
                 "rateLimit": {"requests": 1, "per": "1h", "key": "principal"}}
                """#,
                #"{"path": "/either", "upstream": "stub", "authenticators": ["basic", {"all": ["apiKey", "bearer"]}]}"#,
                #"""
                {"path": "/first", "upstream": "stub", "loginRequired": false,
                 "authenticators": [{"type": "apiKey", "onFailure": "next"}, "bearer"]}
                """#)
        }
    }

    private func key(_ name: String = "app") throws -> Field {
        let key = try admin.done("keys", "add", name).trimmingCharacters(in: .whitespacesAndNewlines)
        return Field(name: "X-API-Key", value: key)
    }

    /// Status and reason.
    private func answer(_ path: String, _ fields: Field...) throws -> String {
        let response = try fixture.request("GET", path, fields)
        return "\(response.status) \(fixture.reason(of: response) ?? "")"
    }

    @Test("the upstream and the log get user and consumer, and neither credential")
    func both() throws {
        let (key, token) = (try key(), try fixture.token("joe"))
        for _ in 0..<2 {
            let response = try fixture.request("GET", "/both", [key, .bearer(token), "X-Gateway-Consumer: eve"])
            #expect(response.status == 200, "\(response.text)")
            let request = try fixture.lastRequest("/both")
            #expect(request.values("X-Gateway-User") == ["joe"] && request.values("X-Gateway-Consumer") == ["app"])
            #expect(request.values("X-Gateway-Roles") == ["Manager"] && request.values("X-API-Key").isEmpty)
            #expect(!request.head.raw.contains(token))
            let id = response.only("X-Request-Id")
            let line = try #require(fixture.gateway.waitForAccess { $0["request_id"].string == id })
            #expect(line["subject"].string == "joe" && line["consumer"].string == "app")
            // The token is known by now, and does not bring the key with it.
            #expect(try answer("/both", .bearer(token)) == "401 api_key_missing")
        }
        let sums = try fixture.gateway.metrics()
        #expect(sums.sum("portcullis_consumer_requests_total", ["consumer": "app", "code": "200"]) == 2)
    }

    @Test("one of the two is not enough, a bad one is refused, and roles are the user's")
    func halves() throws {
        let (key, token) = (try key(), Field.bearer(try fixture.token("joe")))
        let missing = try fixture.request("GET", "/both", [key])
        #expect(missing.status == 401 && missing.values("WWW-Authenticate").count == 1)
        #expect(missing.only("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        #expect(fixture.reason(of: missing) == "user_credential_missing")
        #expect(try answer("/both", token) == "401 api_key_missing")
        #expect(try answer("/both") == "401 missing_credential")
        #expect(try answer("/both", "X-API-Key: pck_x", token) == "401 api_key_unknown")
        #expect(try answer("/both", key, .bearer("x")) == "401 malformed_token")
        let expired = try fixture.request("GET", "/both", [key, .bearer(fixture.mint("joe", "--lifetime", "-100"))])
        let line = fixture.gateway.waitForAccess { $0["request_id"].string == expired.only("X-Request-Id") }
        #expect(line?["reason"].string == "token_expired" && line?["detail"].string?.contains("expired") == true)
        // The consumer has the role, the user has not.
        #expect(try answer("/both", key, .bearer(try fixture.token("ann"))) == "403 role_required")
        #expect(fixture.upstream.requests.isEmpty)
        #expect(try answer("/either", token) == "401 api_key_missing")
        #expect(try answer("/either", key, token).hasPrefix("200"))
        #expect(
            try answer("/either", .basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1").hasPrefix("200"))
        try admin.done("keys", "revoke", "app", admin.keyIDs("app")[0])
        #expect(try answer("/both", key, token) == "401 api_key_unknown")
    }

    @Test("without such an entry the first of the list counts, or the refusal says what came")
    func apart() throws {
        let (key, token) = (try key(), Field.bearer(try fixture.token("joe")))
        #expect(try answer("/first", key, token).hasPrefix("200"))
        #expect(try fixture.lastRequest("/first").values("X-Gateway-User") == ["app"])
        #expect(try answer("/first", "X-API-Key: pck_x", token).hasPrefix("200"))
        #expect(try fixture.lastRequest("/first").values("X-Gateway-User") == ["joe"])
        let refused = try fixture.request("GET", "/inventory/items", [key, token])
        #expect(refused.status == 400 && JSONText(refused.text)["code"].string == "key_beside_credential")
        #expect(refused.text.contains("an API key beside another credential"))
    }

    @Test("rates count by consumer, and by the pair")
    func rates() throws {
        let (app, shop, slow) = (try key(), try key("shop"), try key("slow"))
        let token = Field.bearer(try fixture.token("joe"))
        #expect(try answer("/limited", app, token).hasPrefix("200"))
        #expect(try answer("/limited", app, token) == "429 rate_limited")
        #expect(try answer("/limited", shop, token).hasPrefix("200"))
        #expect(try answer("/both", slow, token).hasPrefix("200"))
        #expect(try answer("/both", slow, token) == "429 rate_limited")
        #expect(try answer("/both", app, token).hasPrefix("200"))
    }

    @Test("other proxies and explain say the same")
    func elsewhere() throws {
        let (key, token) = (try key(), Field.bearer(try fixture.token("joe")))
        let allowed = try fixture.ask("GET", "/both", [key, token])
        #expect(allowed.status == 200)
        #expect(allowed.only("X-Gateway-User") == "joe" && allowed.only("X-Gateway-Consumer") == "app")
        #expect(try fixture.ask("GET", "/both", [key]).status == 401)
        #expect(try fixture.ask("GET", "/both", [token]).status == 401)
        func explain(_ fields: Field...) throws -> String {
            let directory = fixture.gateway.configuration
            try directory.write("fields", fields.map { "\($0.name): \($0.value)\n" }.joined())
            return try CommandLine.run(
                "explain", "GET", "/both", "--config", directory.path, "--headers", directory.path + "/fields",
                "--plain"
            ).output
        }
        let both = try explain(key, token)
        #expect(both.contains("by apiKey and bearer") && both.contains("joe, user by bearer"), "\(both)")
        #expect(both.contains("key of app"))
        #expect(try explain(token).contains("api_key_missing"))
    }
}
