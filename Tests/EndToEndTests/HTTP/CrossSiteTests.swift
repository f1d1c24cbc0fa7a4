import Testing

/// Cross-site requests (CORS-01 to CORS-10).
@Suite struct CrossSiteTests {
    private static var vectors: [JSONText] { Vectors.json("cors/cors.json").list }
    private static let seed = "https://myexample.com, https://*.example.com, https://*.example2.com"

    private func gateway(_ policy: String?, _ change: (inout FixtureSettings) -> Void = { _ in }) throws -> Fixture {
        try Fixture { settings in
            if let policy { settings["policies"] = #"{"Security_AllowOrigin": "\#(policy)"}"# }
            change(&settings)
        }
    }

    @Test(
        "CORS-01 to CORS-05 CORS-08: every vector holds for requests and preflights", arguments: vectors.map(\.vectorID)
    )
    func vector(_ id: String) throws {
        let vector = try #require(Self.vectors.first { $0.vectorID == id })
        let origin = try #require(vector["origin"].string)
        let allowed = vector["allow"].bool == true
        let fixture = try gateway(vector["policy"].string)
        let response = try fixture.request("GET", "/open/ping", [.origin(origin)])
        #expect(response.status == (allowed ? 200 : 403))
        #expect(response.values("Access-Control-Allow-Origin") == (allowed ? [origin] : []))
        #expect(response.values("Vary").joined(separator: ",").contains("Origin"))
        #expect(fixture.upstream.requests.count == (allowed ? 1 : 0))
        if !allowed { #expect(JSONText(response.text)["code"].string == "cors_denied") }
        let preflight = try fixture.request(
            "OPTIONS", "/inventory/items", [.origin(origin), "Access-Control-Request-Method: GET"])
        #expect(preflight.status == (allowed ? 204 : 403))
        #expect(preflight.values("Access-Control-Allow-Origin") == (allowed ? [origin] : []))
    }

    @Test("CORS-01: an unlisted origin is refused with any credential, and the upstream not called")
    func refused() throws {
        let fixture = try gateway(Self.seed)
        let token = Field.bearer(try fixture.token("joe"))
        let refused = try fixture.request("GET", "/inventory/me", [token, .origin("https://evil.net")])
        #expect(refused.status == 403)
        #expect(refused.head.fields.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") })
        #expect(fixture.upstream.requests.isEmpty)
        let allowed = try fixture.request("GET", "/inventory/me", [token, .origin("https://www.example.com")])
        #expect(allowed.status == 200)
        #expect(allowed.only("Access-Control-Allow-Origin") == "https://www.example.com")
    }

    @Test("CORS-06: a preflight is answered before authentication, with the route's methods and the allowed fields")
    func preflight() throws {
        let fixture = try gateway(Self.seed)
        let asked = "authorization, content-type, oracle-mobile-backend-id, x-apiomat-apikey, x-unknown"
        let response = try fixture.request(
            "OPTIONS", "/inventory/items",
            [
                .origin("https://shop.example2.com"), "Access-Control-Request-Method: POST",
                "Access-Control-Request-Headers: \(asked)",
            ])
        #expect(response.head.startLine == "HTTP/1.1 204 No Content")
        #expect(response.body.isEmpty)
        #expect(response.values("WWW-Authenticate").isEmpty)
        #expect(response.values("Content-Length").isEmpty)
        #expect(response.only("Access-Control-Allow-Origin") == "https://shop.example2.com")
        #expect(response.only("Access-Control-Max-Age") == "600")
        let list = { (name: String) in
            Set((response.only(name) ?? "").lowercased().split(separator: ",").map { $0.trimming { $0 == " " } })
        }
        #expect(list("Access-Control-Allow-Methods").isSuperset(of: ["get", "post"]))
        #expect(
            list("Access-Control-Allow-Headers").isSuperset(
                of: ["authorization", "content-type", "oracle-mobile-backend-id", "x-apiomat-apikey"]))
        #expect(!list("Access-Control-Allow-Headers").contains("x-unknown"))
        #expect(response.values("Vary").joined(separator: ",").contains("Origin"))
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("CORS-06: OPTIONS without preflight fields is an ordinary request")
    func options() throws {
        let fixture = try gateway(Self.seed)
        #expect(try fixture.request("OPTIONS", "/open/x").status == 200)
        #expect(try fixture.request("OPTIONS", "/inventory/me").status == 401)
        #expect(fixture.upstream.requests.map(\.method) == ["OPTIONS"])
    }

    @Test("CORS-07: the upstream's CORS fields are replaced; no wildcard; credentials only if configured")
    func upstreamFields() throws {
        for credentials in [false, true] {
            let fixture = try gateway(Self.seed) { $0["cors"] = #"{"allowCredentials": \#(credentials)}"# }
            fixture.upstream.on("/open/star") { _ in
                [
                    .reply(
                        "200 OK",
                        [
                            "Access-Control-Allow-Origin: *", "Access-Control-Allow-Credentials: true",
                            "Access-Control-Expose-Headers: X-Secret", "Vary: Accept-Encoding",
                        ], body: "x")
                ]
            }
            let cross = try fixture.request("GET", "/open/star", [.origin("https://www.example.com")])
            #expect(cross.values("Access-Control-Allow-Origin") == ["https://www.example.com"])
            #expect(cross.values("Access-Control-Allow-Credentials") == (credentials ? ["true"] : []))
            #expect(!cross.values("Access-Control-Expose-Headers").joined().contains("X-Secret"))
            let vary = cross.values("Vary").joined(separator: ",")
            #expect(vary.contains("Accept-Encoding") && vary.contains("Origin"))
            let same = try fixture.request("GET", "/open/star")
            #expect(same.head.fields.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") })
        }
    }

    @Test("CORS-07: the gateway's own origin and requests without Origin are not cross-site")
    func sameSite() throws {
        let fixture = try gateway("disallow") { $0["additionalBaseUrls"] = #"["https://alias.example.com"]"# }
        for fields in [[], [Field.origin("http://gw.example.com")], [Field.origin("https://alias.example.com")]] {
            #expect(try fixture.request("GET", "/open/ping", fields).status == 200)
        }
        #expect(try fixture.request("GET", "/open/ping", [.origin("https://gw.example.com")]).status == 403)
    }

    @Test("CORS-08: two Origin fields are 400; null and invalid origins 403")
    func malformed() throws {
        let fixture = try gateway(Self.seed)
        let twice = try fixture.request(
            "GET", "/open/ping", [.origin("https://www.example.com"), .origin("https://www.example.com")])
        #expect(twice.status == 400)
        for origin in [
            "null", "", "https://", "https://www.example.com/x", "//www.example.com", "https://www.example.com#",
        ] {
            #expect(try fixture.request("GET", "/open/ping", [.origin(origin)]).status == 403, "\(origin)")
        }
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("CORS-09: localhost is allowed in development, and `check --production` reports the policy")
    func localhost() throws {
        let fixture = try gateway("http://localhost:3000")
        #expect(try fixture.request("GET", "/open/ping", [.origin("http://localhost:3000")]).status == 200)
        let result = try Program.run(
            GatewayProcess.binary, ["check", fixture.gateway.configuration.path, "--production"])
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("warning: /policies/Security_AllowOrigin"), "\(result.errors)")
    }

    @Test("CORS-10: a route's own list replaces the policy; endpoints use the policy")
    func routeList() throws {
        let fixture = try gateway(Self.seed) { settings in
            settings.addRoutes(
                #"{"path": "/own", "upstream": "stub", "public": true, "allowOrigin": "https://only.example.net"}"#)
        }
        #expect(try fixture.request("GET", "/own", [.origin("https://only.example.net")]).status == 200)
        #expect(try fixture.request("GET", "/own", [.origin("https://www.example.com")]).status == 403)
        #expect(try fixture.request("GET", "/open/x", [.origin("https://only.example.net")]).status == 403)
        let post = { (origin: String) in
            try fixture.request(
                "POST", "/oauth2/token",
                [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded", .origin(origin)],
                body: "grant_type=client_credentials")
        }
        #expect(try post("https://evil.net").status == 403)
        let allowed = try post("https://www.example.com")
        #expect(allowed.status == 200)
        #expect(allowed.only("Access-Control-Allow-Origin") == "https://www.example.com")
        let preflight = try fixture.request(
            "OPTIONS", "/oauth2/token", [.origin("https://www.example.com"), "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 204)
    }

    @Test("a route's own settings are in place of the gateway's, on all of its answers")
    func routeSettings() throws {
        let fixture = try gateway(Self.seed) { settings in
            settings["cors"] = #"{"allowCredentials": true, "exposeHeaders": ["X-Common"]}"#
            settings.addRoutes(
                """
                {"path": "/own", "upstream": "stub", "public": true,
                 "cors": {"allowOrigins": ["https://only.example.net", "https://*.example.org"], "allowMethods": ["GET"],
                          "allowHeaders": ["X-Own"], "exposeHeaders": ["X-Seen"], "allowCredentials": false,
                          "maxAge": "60s", "allowPrivateNetwork": true}}
                """,
                #"{"path": "/closed", "upstream": "stub", "cors": {"exposeHeaders": ["X-Seen"]}}"#)
        }
        for origin in ["https://only.example.net", "https://a.example.org"] {
            let response = try fixture.request("GET", "/own", [.origin(origin)])
            #expect(response.status == 200 && response.only("Access-Control-Allow-Origin") == origin)
            #expect(response.only("Access-Control-Expose-Headers") == "X-Seen")
            #expect(response.values("Access-Control-Allow-Credentials").isEmpty)
        }
        let asked: [Field] = [
            .origin("https://only.example.net"), "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: x-own, x-other", "Access-Control-Request-Private-Network: true",
        ]
        let preflight = try fixture.request("OPTIONS", "/own", asked)
        #expect(preflight.status == 204)
        #expect(preflight.only("Access-Control-Allow-Methods") == "GET, HEAD")
        #expect(preflight.only("Access-Control-Allow-Headers") == "x-own")
        #expect(preflight.only("Access-Control-Max-Age") == "60")
        #expect(preflight.only("Access-Control-Allow-Private-Network") == "true")
        let before = fixture.upstream.requests.count
        // The origin is one of the gateway's list, and the method would need no preflight.
        #expect(try fixture.request("GET", "/own", [.origin("https://www.example.com")]).status == 403)
        #expect(try fixture.request("POST", "/own", [.origin("https://only.example.net")], body: "x").status == 403)
        #expect(fixture.upstream.requests.count == before)
        #expect(try fixture.request("POST", "/own", body: "x").status == 200)
        let refused = try fixture.request("GET", "/closed", [.origin("https://www.example.com")])
        #expect(refused.status == 401 && refused.only("Access-Control-Allow-Credentials") == "true")
        #expect(refused.only("Access-Control-Expose-Headers") == "WWW-Authenticate, X-Seen")
        let common = try fixture.request(
            "OPTIONS", "/open/x", [.origin("https://www.example.com")] + asked.dropFirst())
        #expect(common.status == 204 && common.values("Access-Control-Allow-Private-Network").isEmpty)
    }

    @Test("CORS-06 CHAL-09: all answers of the gateway have the fields for an allowed origin")
    func ownAnswers() throws {
        let fixture = try gateway(Self.seed)
        let origin = Field.origin("https://www.example.com")
        fixture.upstream.on("/open/gone") { _ in [.close] }
        let token = Field.bearer(try fixture.token("bob"))
        let answers = try [
            fixture.request("GET", "/nowhere", [origin]), fixture.request("GET", "/inventory/me", [origin]),
            fixture.request("GET", "/inventory/items", [origin, token]), fixture.request("GET", "/open/gone", [origin]),
        ]
        #expect(answers.map(\.status) == [404, 401, 403, 502])
        for answer in answers {
            #expect(answer.values("Access-Control-Allow-Origin") == ["https://www.example.com"])
            #expect(answer.values("Vary").joined(separator: ",").contains("Origin"))
        }
    }

    @Test("story 8: after a reload to disallow, both are refused")
    func reloaded() throws {
        let fixture = try gateway(Self.seed)
        let origins = ["https://shop.example2.com", "https://evil.net"]
        let statuses = { () throws -> [Int] in
            try origins.map { try fixture.request("GET", "/open/ping", [.origin($0)]).status }
        }
        #expect(try statuses() == [200, 403])
        try fixture.reload { $0["policies"] = #"{"Security_AllowOrigin": "disallow"}"# }
        #expect(try statuses() == [403, 403])
    }
}
