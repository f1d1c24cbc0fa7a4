import Testing

/// Rules on trial: requests that they would refuse are admitted, logged and counted.
@Suite struct RuleTrialTests {
    private static let trial = #""roles": ["Manager", "Clerk"], "trial": {"roles": ["Manager"]}"#

    private func denials(_ fixture: Fixture, _ labels: [String: String]) throws -> Double {
        try fixture.gateway.metrics().sum("portcullis_trial_denied_total", labels) ?? 0
    }

    @Test("a request that the rule on trial would refuse is forwarded, and log, counter and explain say so")
    func admitted() throws {
        let fixture = try Fixture {
            $0.addRoutes(#"{"name": "tried", "path": "/tried", "upstream": "stub", \#(Self.trial)}"#)
        }
        for (user, status) in [("joe", 200), ("ann", 200), ("ann", 200), ("bob", 403)] {
            #expect(try fixture.request("GET", "/tried", [.bearer(fixture.token(user))]).status == status)
        }
        #expect(try fixture.request("GET", "/tried").status == 401)
        #expect(try denials(fixture, ["route": "tried", "reason": "role_required"]) == 2)
        #expect(try denials(fixture, [:]) == 2)
        func line(of user: String) -> JSONText? {
            fixture.gateway.waitForAccess { $0["route"].string == "tried" && $0["subject"].string == user }
        }
        let tried = try #require(line(of: "ann"))
        #expect(tried["trial"].string == "role_required" && tried["decision"].string == "allowed")
        #expect(try #require(line(of: "joe"))["trial"].string == nil)
        #expect(try #require(line(of: "bob"))["trial"].string == nil)
        let directory = fixture.gateway.configuration
        for (user, line) in [("ann", "would be refused: role_required; missing: the role Manager"), ("joe", nil)] {
            try directory.write("token", try fixture.mint(user))
            let explained = try CommandLine.run(
                "explain", "GET", "/tried", "--config", directory.path, "--token-file", "\(directory.path)/token")
            #expect(explained.ending == .exit(0), "\(explained.output)")
            #expect(line.map(explained.output.contains) ?? !explained.output.contains("trial"), "\(explained.output)")
        }
    }

    @Test("scopes and claims are on trial as roles are, for methods of their own, and where the route answers itself")
    func kinds() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try Fixture {
            $0["trustedIssuers"] = "[\(issuer.entry())]"
            $0.addRoutes(
                #"""
                {"name": "m", "path": "/m", "upstream": "stub",
                 "methods": {"GET": {"trial": {"scopes": ["read"]}}, "POST": {"trial": {"claims": {"tenant": "north"}}}}}
                """#,
                #"{"name": "own", "path": "/own", "response": {"status": 200}, "trial": {"jwt": "idp"}}"#)
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        let token = Field.bearer(issuer.token("a", more: #","scope":"read","tenant":"south""#))
        #expect(try fixture.request("GET", "/m", [token]).status == 200)
        #expect(try denials(fixture, [:]) == 0)
        #expect(try fixture.request("POST", "/m", [token], body: "{}").status == 200)
        #expect(try denials(fixture, ["route": "m POST", "reason": "claim_required"]) == 1)
        #expect(try fixture.request("GET", "/own", [.bearer(fixture.token("joe"))]).status == 200)
        #expect(try denials(fixture, ["route": "own", "reason": "issuer_not_allowed"]) == 1)
    }

    @Test("origins on trial refuse nothing, and log, counter and explain tell what they would refuse")
    func origins() throws {
        let fixture = try Fixture {
            $0["cors"] = #"{"trialOrigins": ["https://new.example.com"]}"#
            $0["policies"] = #"{"Security_AllowOrigin": "https://*.example.com"}"#
            $0.addRoutes(
                #"{"name": "usual", "path": "/usual", "upstream": "stub", "public": true}"#,
                #"""
                {"name": "own", "path": "/own", "upstream": "stub", "public": true,
                 "cors": {"allowOrigins": ["https://a.example.com"]}}
                """#,
                #"""
                {"name": "tried", "path": "/tried", "upstream": "stub", "roles": ["Clerk"], "trial": {"roles": ["Manager"]},
                 "cors": {"allowOrigins": ["https://a.example.com", "https://b.example.com"],
                          "trialOrigins": ["https://b.example.com"]}}
                """#)
        }
        func status(_ path: String, _ origin: String, _ more: Field...) throws -> Int {
            try fixture.request("GET", path, [.origin("https://\(origin)")] + more).status
        }
        #expect(try status("/usual", "new.example.com") == 200)
        #expect(try status("/usual", "old.example.com") == 200)
        #expect(try fixture.lastRequest("/usual").only("Origin") == "https://old.example.com")
        // The list in force refuses as before.
        #expect(try status("/usual", "evil.example") == 403)
        #expect(try denials(fixture, ["route": "usual", "reason": "cors_denied"]) == 1)
        #expect(try fixture.request("GET", "/usual").status == 200)
        #expect(try status("/own", "a.example.com") == 200)
        let token = Field.bearer(try fixture.token("ann"))
        #expect(try status("/tried", "a.example.com", token) == 200)
        #expect(try denials(fixture, ["route": "tried", "reason": "cors_denied"]) == 1)
        #expect(try status("/tried", "b.example.com", token) == 200)
        #expect(try denials(fixture, ["route": "tried", "reason": "role_required"]) == 1)
        #expect(try denials(fixture, [:]) == 3)
        let preflight = try fixture.request(
            "OPTIONS", "/tried", [.origin("https://a.example.com"), "Access-Control-Request-Method: GET"])
        #expect(preflight.status == 204)
        #expect(try denials(fixture, ["route": "tried", "reason": "cors_denied"]) == 2)
        #expect(fixture.gateway.waitForAccess { $0["trial"].string == "cors_denied" } != nil)
        let directory = fixture.gateway.configuration
        try directory.write("fields", "Origin: https://old.example.com")
        let explained = try CommandLine.run(
            "explain", "GET", "/usual", "--config", directory.path, "--headers", "\(directory.path)/fields")
        #expect(explained.ending == .exit(0) && explained.output.contains("would be refused: cors_denied"))
    }

    @Test("a rule on trial needs a caller, says something else, and has no other members")
    func invalid() throws {
        for (access, message) in [
            (#""public": true, "trial": {"roles": ["Manager"]}"#, "/trial: a rule on trial is asked about callers"),
            (
                #""identity": "optional", "trial": {"roles": ["Manager"]}"#,
                "/trial: a rule on trial is asked about callers"
            ),
            (#""trial": {}"#, "/trial: it requires what the rule around it does"),
            (#""trial": {"public": true}"#, #"unknown member "public""#),
            (#""trial": {"roles": ["Nowhere"]}"#, "/trial/roles/0"),
        ] {
            let directory = try ConfigurationDirectory([
                "gateway.json": """
                {"baseUrl": "http://127.0.0.1:8080", "listeners": [{"address": "127.0.0.1", "port": 8080}],
                 "roles": ["Manager"], "upstreams": {"u": {"url": "http://127.0.0.1:9"}},
                 "routes": [{"path": "/a", "upstream": "u", \(access)}]}
                """
            ])
            let checked = try CommandLine.run("check", directory.path)
            #expect(checked.ending == .exit(1) && checked.errors.contains(message), "\(checked.errors)")
        }
    }
}
