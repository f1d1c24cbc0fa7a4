import Model
import Testing

/// What a caller without a good credential gets (CHAL-01 to CHAL-09).
@Suite struct ChallengeTests {
    /// `request-ctx` is different each time: the text without it.
    private static func withoutContext(_ challenge: String?) -> String? {
        challenge.map { $0.replacing(/request-ctx="[A-Za-z0-9_.~%-]+"/, with: #"request-ctx="<RC>""#) }
    }

    @Test("CHAL-01 CON-26: one WWW-Authenticate field in the exact form of the seed")
    func exactForm() throws {
        let fixture = try Fixture()
        for agent in ["OAMMS-Agent", "curl/8.0"] {
            let response = try fixture.request("GET", "/inventory/items", ["User-Agent: \(agent)"])
            #expect(response.head.startLine == "HTTP/1.1 401 Authorization Required")
            let challenge = try #require(response.only("WWW-Authenticate"))
            #expect(
                challenge.wholeMatch(
                    of: /OAM-Auth realm="InventoryWG:2 \/inventory\/items", request-ctx="[A-Za-z0-9_.~%-]+"/) != nil,
                "\(challenge)")
            #expect(
                response.text
                    == #"{"status":401,"title":"Unauthorized","detail":"invalid or missing token","code":"unauthorized"}"#
            )
            #expect(response.only("Content-Type") == "application/json")
        }
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test(
        "CHAL-01 CHAL-02: challenges are rendered as specified",
        arguments: Vectors.json("challenge/challenge.json")["render"].list.map(\.vectorID))
    func rendered(_ id: String) throws {
        let vector = try #require(Vectors.json("challenge/challenge.json")["render"].list.first { $0.vectorID == id })
        let webgate = try #require(vector["webgate"].string)
        let target = try #require(vector["target"].string)
        let level = try #require(vector["level"].integer)
        let fixture = try Fixture { settings in
            settings["issuers"] = nil
            settings["webgates"] = #"[{"name": "\#(webgate)", "level": \#(level)}]"#
            settings["routes"] = #"[{"path": "/**", "upstream": "stub", "webgate": "\#(webgate)"}]"#
        }
        let response = try fixture.request("GET", target)
        if id == "H04" {
            // A quote or a backslash in a target is no URI (RFC 9112 section 3.2): refused before anything is rendered.
            #expect(response.status == 400)
        } else {
            #expect(response.status == 401)
            #expect(Self.withoutContext(response.only("WWW-Authenticate")) == vector["header"].string)
        }
    }

    @Test("CHAL-02: a target over 2048 characters is reduced to its path")
    func longTarget() throws {
        let fixture = try Fixture()
        let response = try fixture.request("GET", "/inventory/items?q=" + String(repeating: "x", count: 2100))
        #expect(
            Self.withoutContext(response.only("WWW-Authenticate"))
                == #"OAM-Auth realm="InventoryWG:2 /inventory/items", request-ctx="<RC>""#)
    }

    @Test("CHAL-03: equal requests get different contexts that contain no clear text of the request")
    func contextsDiffer() throws {
        let fixture = try Fixture()
        let contexts = try (0..<2).map { _ in
            let challenge = try #require(
                fixture.request("GET", "/inventory/items?secret=swordfish").only("WWW-Authenticate"))
            return String(try #require(challenge.firstMatch(of: /request-ctx="([^"]+)"/)).1)
        }
        #expect(contexts[0] != contexts[1])
        for context in contexts { #expect(!context.contains("swordfish") && !context.contains("items")) }
    }

    @Test(
        "CHAL-04: the User-Agent selects the challenge",
        arguments: Vectors.json("challenge/challenge.json")["userAgent"].list.map(\.vectorID))
    func userAgent(_ id: String) throws {
        let vector = try #require(
            Vectors.json("challenge/challenge.json")["userAgent"].list.first { $0.vectorID == id })
        let parameters =
            vector["configured"].string.map { #", "userDefinedParameters": {"User-Agent": "\#($0)"}"# } ?? ""
        let fixture = try Fixture { settings in
            settings["webgates"] = #"[{"name": "MobileWG", "level": 2\#(parameters)}]"#
            settings["routes"] = #"[{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG"}]"#
        }
        let fields = vector["sent"].string.map { [Field(name: "User-Agent", value: $0)] } ?? []
        let challenge = try #require(fixture.request("GET", "/mobileapp", fields).only("WWW-Authenticate"))
        if vector["match"].bool == true {
            #expect(challenge.hasPrefix(#"OAM-Auth realm="MobileWG:2 /mobileapp""#))
        } else {
            #expect(challenge == #"Bearer realm="MobileWG""#)
        }
    }

    @Test("challenges of other schemes, with parameters in their order and values of the request")
    func ownSchemes() throws {
        let fixture = try Fixture {
            $0["authenticationSchemes"] = #"""
                [{"name": "keys", "authenticationLevel": 1, "challenges": [
                   {"scheme": "ApiKey", "parameters": {
                      "realm": "${realm}", "max_age": 60, "id": "${request_id}", "error": "${error}", "note": "a \"b\" \\"}},
                   {"scheme": "xBasic"}]},
                 {"name": "quiet", "authenticationLevel": 1, "challengeMethod": "BASIC",
                  "challenges": [{"scheme": "xBasic", "parameters": {"realm": "${realm}:${level}"}}]}]
                """#
            $0["webgates"] = #"""
                [{"name": "All", "authenticationScheme": "quiet"},
                 {"name": "Some", "authenticationScheme": "keys", "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}}]
                """#
            $0["routes"] = #"""
                [{"path": "/keys", "upstream": "stub", "authenticationScheme": "keys"},
                 {"path": "/all", "upstream": "stub", "webgate": "All"}, {"path": "/some", "upstream": "stub", "webgate": "Some"}]
                """#
        }
        let keys = try fixture.request("GET", "/keys", ["X-Request-Id: a\"b"])
        #expect(keys.status == 401 && keys.values("WWW-Authenticate").count == 2)
        let id = try #require(keys.only("X-Request-Id")).replacing("\"", with: "\\\"")
        #expect(
            keys.values("WWW-Authenticate") == [
                #"ApiKey realm="portcullis", max_age=60, id="\#(id)", note="a \"b\" \\""#, "xBasic",
            ])
        let wrong = try fixture.request("GET", "/keys", [.bearer("a.b.c")])
        #expect(wrong.values("WWW-Authenticate").first?.contains(#", error="invalid_token", "#) == true)
        #expect(try fixture.request("GET", "/all").values("WWW-Authenticate") == [#"xBasic realm="All:1""#])
        #expect(try fixture.request("GET", "/some").values("WWW-Authenticate").last == "xBasic")
        let agent = try fixture.request("GET", "/some", ["User-Agent: OAMMS-Agent"])
        #expect(agent.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="Some:1 /some""#) == true)
    }

    @Test("SCH-01: a BASIC scheme challenges with Basic, and authenticates against the route's backend")
    func basicScheme() throws {
        let fixture = try Fixture { settings in
            settings["authenticationSchemes"] = """
                [{"name": "BasicScheme", "authenticationLevel": 2, "challengeMethod": "BASIC"}]
                """
            settings["webgates"] = """
                [{"name": "BasicWG", "authenticationScheme": "BasicScheme"},
                 {"name": "MixedWG", "authenticationScheme": "BasicScheme",
                  "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}}, {"name": "OtherWG", "level": 2}]
                """
            settings["routes"] = FixtureSettings.list([
                #"{"path": "/basic", "upstream": "stub", "webgate": "BasicWG", "backends": ["inventory/1.0"]}"#,
                #"{"path": "/mixed", "upstream": "stub", "webgate": "MixedWG"}"#,
                #"{"path": "/own", "upstream": "stub", "webgate": "OtherWG", "authenticationScheme": "BasicScheme"}"#,
                #"{"path": "/bare", "upstream": "stub", "authenticationScheme": "BasicScheme"}"#,
            ])
        }
        func challenge(_ target: String, _ fields: [Field] = []) throws -> String? {
            let refused = try fixture.request("GET", target, fields)
            #expect(refused.status == 401)
            return refused.only("WWW-Authenticate")
        }
        let basic = { (realm: String) in #"Basic realm="\#(realm)", charset="UTF-8""# }
        #expect(try challenge("/basic") == basic("BasicWG"))
        #expect(try challenge("/basic", [.bearer("wrong")]) == basic("BasicWG"))
        #expect(try challenge("/mixed", ["User-Agent: curl/8"]) == basic("MixedWG"))
        #expect(try challenge("/mixed", ["User-Agent: OAMMS-Agent"])?.hasPrefix("OAM-Auth ") == true)
        #expect(try challenge("/own") == basic("OtherWG") && challenge("/bare") == basic("portcullis"))
        // As a browser answers it: without the id of a backend.
        #expect(try fixture.request("GET", "/basic", [.basic("joe:Welcome1")]).status == 200)
        #expect(try fixture.lastRequest("/basic").only("X-Gateway-User") == "joe")
        #expect(try challenge("/basic", [.basic("joe:wrong")]) == basic("BasicWG"))
        // Without a backend of the route, the realm of the user is unknown.
        #expect(try challenge("/mixed", [.basic("joe:Welcome1")]) == basic("MixedWG"))
    }

    @Test("CHAL-05: a route without a Webgate answers a Bearer challenge without a context")
    func withoutWebgate() throws {
        let fixture = try Fixture()
        let response = try fixture.request("GET", "/inventory/me")
        #expect(response.head.startLine == "HTTP/1.1 401 Unauthorized")
        let challenge = try #require(response.only("WWW-Authenticate"))
        #expect(challenge.hasPrefix("Bearer"))
        #expect(!challenge.contains("request-ctx"))
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("CHAL-06: too low a level is challenged for the higher one, never 403")
    func stepUp() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        let refused = try fixture.request("GET", "/payroll", [.bearer(token)])
        #expect(refused.status == 401)
        #expect(refused.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="HighWG:3 /payroll""#) == true)
        let high = try fixture.mint("joe", "--level", "3")
        #expect(try fixture.request("GET", "/payroll", [.bearer(high)]).status == 200)
    }

    @Test("CHAL-07: missing, malformed, expired, revoked and unknown tokens are answered alike")
    func allAlike() throws {
        let fixture = try Fixture()
        let revoked = try fixture.token("ann")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(revoked)]).status == 200)
        #expect(try fixture.admin("POST", "/admin/revocations", body: #"{"subject":"ann"}"#).status == 204)
        let expired = try fixture.mint("joe", "--lifetime", "-100")
        let good = try fixture.token("joe")
        let last = good.last == "A" ? "Q" : "A"
        let other = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJqb2UifQ."
        let connection = try fixture.connect()
        let credentials: [[Field]] = [
            [], [.bearer("garbage")], [.bearer(expired)], [.bearer(revoked)], [.bearer(other)],
            [.bearer(good.dropLast() + last)], ["Authorization: Digest x"], ["Authorization: Bearer"],
        ]
        var bodies: Set<String> = []
        for fields in credentials {
            let response = try connection.exchange("GET", "/inventory/items", fields)
            #expect(response.head.startLine == "HTTP/1.1 401 Authorization Required")
            #expect(response.only("WWW-Authenticate")?.hasPrefix("OAM-Auth realm=\"InventoryWG:2 ") == true)
            bodies.insert(response.text)
        }
        #expect(bodies.count == 1)
        #expect(try connection.exchange("GET", "/inventory/items", [.bearer(good)]).status == 200)
        for reason in ["missing_credential", "malformed_token", "token_expired", "token_revoked", "unsupported_scheme"]
        {
            #expect(fixture.gateway.waitForAccess { $0["reason"].string == reason } != nil, "\(reason)")
        }
    }

    @Test("CHAL-07: the body of a refused request is drained, and the next request answered")
    func bodyIsDrained() throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        for size in [10, 60_000] {
            let body = String(repeating: "x", count: size)
            #expect(try connection.exchange("POST", "/inventory/items", body: body).status == 401)
        }
        try connection.send(
            "POST /inventory/items HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        #expect(try connection.readResponse(to: "POST").status == 401)
        #expect(try connection.exchange("GET", "/open/after").status == 200)
        #expect(fixture.upstream.requests.map(\.path) == ["/open/after"])
    }

    @Test("CHAL-08: a name that would need quoting is a configuration error", arguments: ["a:b", "a b", "", "é"])
    func names(_ name: String) throws {
        let upstream = try StubUpstream()
        var settings = FixtureSettings(upstream: upstream.url)
        settings["webgates"] = #"[{"name": "\#(name)", "level": 2}]"#
        settings["routes"] = #"[{"path": "/a", "upstream": "stub"}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try Program.run(GatewayProcess.binary, ["check", directory.path])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("error: /webgates/0/name:"), "\(result.errors)")
    }

    @Test("CHAL-08: a level is 0 to 10", arguments: ["-1", "11", "1.5"])
    func levels(_ level: String) throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["webgates"] = #"[{"name": "a", "level": \#(level)}]"#
        settings["routes"] = #"[{"path": "/a", "upstream": "stub"}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try Program.run(GatewayProcess.binary, ["check", directory.path])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("error: /webgates/0/level:"), "\(result.errors)")
    }

    @Test(
        "CHAL-09: an allowed origin can read a 401; HEAD has no body; preflights are never challenged"
    )
    func crossSite() throws {
        let fixture = try Fixture { $0["policies"] = #"{"Security_AllowOrigin": "https://a.example.com"}"# }
        let origin = Field.origin("https://a.example.com")
        for method in ["GET", "HEAD"] {
            let response = try fixture.request(method, "/inventory/items", [origin, "User-Agent: OAMMS-Agent"])
            #expect(response.status == 401)
            #expect(response.only("Access-Control-Allow-Origin") == "https://a.example.com")
            #expect(response.values("Access-Control-Expose-Headers").joined().contains("WWW-Authenticate"))
            #expect(response.values("Vary").joined(separator: ",").contains("Origin"))
            #expect(response.only("WWW-Authenticate")?.hasPrefix("OAM-Auth") == true)
            #expect(response.body.isEmpty == (method == "HEAD"))
        }
        let preflight = try fixture.request(
            "OPTIONS", "/inventory/items", [origin, "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 204)
        #expect(preflight.values("WWW-Authenticate").isEmpty)
    }
}

extension JSONText {
    /// The id of a test vector.
    var vectorID: String { self["id"].string ?? "?" }
}
