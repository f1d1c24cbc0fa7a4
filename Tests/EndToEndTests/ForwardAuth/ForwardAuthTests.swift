import Foundation
import Glibc
import Testing

/// Decisions for other proxies, which a script asks as Traefik and Caddy do.
@Suite struct ForwardAuthTests {
    private static let basic: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]

    @Test("an allowed request gets the fields for its upstream, and an empty body")
    func allowed() throws {
        let fixture = try ForwardAuthFixture.make()
        let token = try fixture.token("joe")
        let response = try fixture.ask("GET", "/inventory/me?a=b", [.bearer(token), "X-Gateway-User: eve"])
        #expect(response.status == 200 && response.body.isEmpty, "\(response.text)")
        #expect(response.values("X-Gateway-User") == ["joe"])
        #expect(response.values("X-Gateway-Roles") == ["Manager"])
        #expect(response.values("X-Gateway-Backend") == ["mbe-inv-1"])
        #expect(response.only("Cache-Control") == "no-store")
        #expect(response.only("X-Envoy-Auth-Headers-To-Remove") == nil)
        let issued = try #require(response.only("Authorization"))
        #expect(issued.hasPrefix("Bearer ey") && !issued.contains(token))
        // The same token that the gateway sends itself.
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        #expect(try fixture.lastRequest("/inventory/me").only("Authorization") == issued)
        #expect(fixture.upstream.requests("/inventory/me").count == 1)
    }

    @Test("without a caller and without a token for the upstream, these fields are absent")
    func absent() throws {
        let fixture = try ForwardAuthFixture.make()
        let open = try fixture.ask("GET", "/open/x", ["X-Gateway-User: eve", "X-Gateway-Roles: Manager"])
        #expect(open.status == 200)
        #expect(!open.head.raw.lowercased().contains("x-gateway"))
        let plain = try fixture.ask("GET", "/plain", [.bearer(fixture.token("joe"))])
        #expect(plain.status == 200 && plain.only("X-Gateway-User") == "joe" && plain.only("Authorization") == nil)
    }

    @Test("the fields of the route, the client's own credential, and cookies without the gateway's")
    func fields() throws {
        let fixture = try ForwardAuthFixture.make {
            $0.addRoutes(
                """
                {"path": "/a", "upstream": "stub", "forwardCredential": true,
                 "requestHeaders": {"set": {"X-Mail": "${claim.email}", "X-None": "${claim.none}"}, "add": {"X-Stage": "1"}},
                 "responseHeaders": {"set": {"X-Mail": "for the client"}}}
                """)
        }
        let cookies: [Field] = ["Cookie: a=b; portcullis=x; c=d", "Cookie: __Host-portcullis=y; e=f"]
        let response = try fixture.ask("GET", "/a", Self.basic + cookies)
        #expect(response.status == 200, "\(response.text)")
        #expect(response.values("X-Mail") == ["joe@example.com"] && response.values("X-None").isEmpty)
        #expect(response.values("X-Stage") == ["1"])
        #expect(response.values("Authorization") == [Self.basic[0].value])
        #expect(response.values("Cookie") == ["a=b; c=d; e=f"])
        for name in ["X_Mail: eve", "XMail: eve", "HTTP_X_MAIL: eve"] {
            let imitation = try fixture.ask("GET", "/a", Self.basic + [Field(stringLiteral: name)])
            #expect(imitation.status == 400 && fixture.reason(of: imitation) == "forward_auth_malformed", "\(name)")
        }
        #expect(try fixture.ask("GET", "/a", Self.basic + ["X-Mail: eve"]).values("X-Mail") == ["joe@example.com"])
    }

    @Test("a refusal is what the gateway's own clients get")
    func refusals() throws {
        let fixture = try ForwardAuthFixture.make {
            $0["policies"] = #"{"Security_AllowOrigin": "https://a.example.com"}"#
            $0["rateLimits"] = #"{"one": {"requests": 1, "per": "1h", "burst": 1, "key": "address"}}"#
            $0.addRoutes(
                #"{"path": "/never", "upstream": "stub", "public": true, "rateLimit": "one"}"#,
                #"{"path": "/local", "upstream": "stub", "public": true, "addresses": {"allow": ["10.0.0.0/8"]}}"#,
                #"{"path": "/old", "public": true, "redirect": {"to": "https://new.example.com/"}}"#)
        }
        let ann = try Field.bearer(fixture.token("ann"))
        let agent = Field("User-Agent: OAMMS-Agent")
        let origin = Field.origin("https://a.example.com")
        let cases: [(method: String, target: String, fields: [Field], status: Int)] = [
            ("GET", "/inventory/items", [], 401), ("GET", "/inventory/items", [origin], 401),
            ("GET", "/mobileapp?a=b", [agent], 401), ("GET", "/plain", [.bearer("nonsense")], 401),
            ("GET", "/plain", [.bearer("a"), .bearer("b")], 400), ("POST", "/inventory/items", [ann], 403),
            ("POST", "/inventory/items", [ann, origin], 403), ("GET", "/nowhere", [], 404),
            ("GET", "/nowhere", [origin], 404), ("DELETE", "/inventory/items", [ann], 405),
            ("GET", "/plain", [.origin("https://evil.net")], 403), ("GET", "/inventory/a%2Fb", [], 400),
            ("GET", "/open/a%00", [], 400), ("GET", "/local", [], 403), ("GET", "/old", [], 308),
            ("GET", "/plain", ["Accept: text/html"], 401),
            (
                "OPTIONS", "/inventory/items",
                [.origin("https://evil.net"), "Access-Control-Request-Method: POST"], 403
            ),
        ]
        for (method, target, fields, status) in cases {
            let front = try fixture.request(method, target, fields)
            let asked = try fixture.ask(method, target, fields)
            #expect(front.status == status && asked.status == status, "\(method) \(target): \(asked.status)")
            #expect(front.reason == asked.reason)
            let context = /request-ctx="[^"]*"/
            #expect(normal(front).replacing(context, with: "") == normal(asked).replacing(context, with: ""))
            #expect(
                front.text.replacing(front.only("X-Request-Id") ?? "", with: "")
                    == asked.text.replacing(asked.only("X-Request-Id") ?? "", with: ""))
        }
        #expect(fixture.upstream.requests("/inventory/items").isEmpty)
        // The limit counts the client that the proxy names.
        let clients = ["192.0.2.1", "192.0.2.2", "192.0.2.1"]
        let statuses = try clients.map { client in
            try fixture.ask(fields: ForwardAuthFixture.description("GET", "/never", client: client)).status
        }
        #expect(statuses == [200, 200, 429])
        #expect(
            try fixture.ask(fields: ForwardAuthFixture.description("GET", "/local", client: "10.1.2.3")).status == 200)
    }

    /// The fields of a response that say something about the decision.
    private func normal(_ response: Response) -> String {
        response.head.fields.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
            .map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            .replacing(response.only("X-Request-Id") ?? "?", with: "ID")
    }

    @Test("an allowed cross-site request gets the cross-site fields")
    func crossSite() throws {
        let fixture = try ForwardAuthFixture.make {
            $0["policies"] = #"{"Security_AllowOrigin": "https://a.example.com"}"#
        }
        let response = try fixture.ask("GET", "/open/x", [.origin("https://a.example.com")])
        #expect(response.status == 200)
        #expect(response.only("Access-Control-Allow-Origin") == "https://a.example.com")
    }

    @Test(
        "what the gateway answers itself is no permission",
        arguments: [
            ("GET", "/favicon.ico", 404, "no_route"), ("POST", "/oauth2/token", 404, "no_route"),
            ("GET", "/mobile/platform/users/~", 404, "no_route"), ("GET", "/.well-known/jwks.json", 404, "no_route"),
            ("OPTIONS", "/oauth2/token", 404, "no_route"),
            ("OPTIONS", "/inventory/items", 501, "forward_auth_unsupported"),
            ("GET", "/hello", 501, "forward_auth_unsupported"),
            ("GET", "/gone", 410, "responded"), ("GET", "/_auth", 404, "no_route"),
            ("GET", "/certified", 403, "client_certificate_required"),
        ])
    func ownAnswers(_ method: String, _ target: String, _ status: Int, _ reason: String) throws {
        let fixture = try ForwardAuthFixture.make {
            $0.addRoutes(
                #"{"path": "/hello", "public": true, "response": {"status": 200, "body": "hello"}}"#,
                #"{"path": "/gone", "public": true, "response": {"status": 410, "body": "gone"}}"#,
                #"{"path": "/certified", "upstream": "stub", "public": true, "clientCertificate": true}"#)
        }
        let response = try fixture.ask(
            method, target, ["Origin: http://gw.example.com", "Access-Control-Request-Method: POST"])
        #expect(response.status == status && fixture.reason(of: response) == reason)
    }

    @Test("a route whose upstream challenges the gateway, and a token in the query, are not for other proxies")
    func unsupported() throws {
        let fixture = try ForwardAuthFixture.make {
            $0.addRoutes(
                """
                {"path": "/challenged", "upstream": "stub", "backends": ["inventory/1.0"], "injection": {"issuer": "local"},
                 "upstreamAuth": "oam-challenge"}
                """,
                #"{"path": "/query", "upstream": "stub", "tokenSources": [{"query": "t"}, {"header": "X-Token"}]}"#,
                """
                {"path": "/own", "upstream": "stub", "backends": ["inventory/1.0"],
                 "injection": {"issuer": "local", "header": "X-Upstream-Token"}}
                """)
        }
        let token = try fixture.token("joe")
        #expect(try fixture.ask("GET", "/own", [.bearer(token)]).only("X-Upstream-Token")?.hasPrefix("Bearer ") == true)
        let imitation = try fixture.ask("GET", "/own", [.bearer(token), "X_Upstream.Token: eve"])
        #expect(imitation.status == 400 && fixture.reason(of: imitation) == "forward_auth_malformed")
        let challenged = try fixture.ask("GET", "/challenged", [.bearer(token)])
        #expect(challenged.status == 501 && fixture.reason(of: challenged) == "forward_auth_unsupported")
        #expect(try fixture.ask("GET", "/query?t=\(token)").status == 501)
        #expect(try fixture.ask("GET", "/query?u=v", [Field(name: "X-Token", value: token)]).status == 200)
    }

    @Test("one connection carries many questions, with any method and with a body")
    func connection() throws {
        let fixture = try ForwardAuthFixture.make()
        let connection = try fixture.gateway.connect("auth")
        let described = ForwardAuthFixture.description("HEAD", "/inventory/items")
        for (method, body) in [("GET", nil), ("POST", "{}"), ("GET", nil), ("HEAD", nil), ("GET", nil)] {
            let response = try connection.exchange(method, "/_auth", described + Self.basic, body: body)
            #expect(response.status == 200 && response.only("X-Gateway-User") == "joe", "\(method)")
            let refused = try connection.exchange(method, "/_auth", described, body: body)
            #expect(refused.status == 401 && refused.body.isEmpty == (method == "HEAD"), "\(method)")
        }
        // Pipelined ones, the first of which waits for a password check.
        let question = RawConnection.request("GET", "/_auth", ForwardAuthFixture.description("GET", "/open/x"))
        try connection.send(RawConnection.request("GET", "/_auth", described + Self.basic) + question + question)
        for _ in 0..<3 { #expect(try connection.readResponse().status == 200) }
    }

    @Test("the access log and the metrics have the decision as one of the endpoint, with its route")
    func traces() throws {
        let fixture = try ForwardAuthFixture.make { $0["log"] = #"{"fields": ["host"]}"# }
        let response = try fixture.ask("POST", "/inventory/%69tems?secret=1", Self.basic)
        #expect(response.status == 200)
        let id = response.only("X-Request-Id")
        let line = try #require(fixture.gateway.waitForAccess { $0["request_id"].string == id })
        #expect(line["endpoint"].string == "forward_auth" && line["route"].string == "/inventory/items")
        #expect(line["method"].string == "POST" && line["path"].string == "/inventory/items")
        #expect(line["client_ip"].string == "192.0.2.7" && line["host"].string == "shop.example.com")
        #expect(line["subject"].string == "joe" && line["decision"].string == "answered")
        #expect(line["reason"].string == "forward_auth_allowed" && line["upstream"].string == nil)
        _ = try fixture.ask("GET", "/nowhere")
        let metrics = try fixture.gateway.metrics()
        let label = ["endpoint": "forward_auth", "route": "/inventory/items", "code": "200"]
        #expect(metrics.sum("portcullis_requests_total", label) == 1)
        let nowhere = ["endpoint": "forward_auth", "route": "", "code": "404"]
        #expect(metrics.sum("portcullis_requests_total", nowhere) == 1)
        #expect(metrics.sum("portcullis_requests_total", ["route": "/inventory/items"]) == 1)
        let refused = try fixture.ask(fields: [])
        #expect(refused.status == 400)
        let other = fixture.gateway.waitForAccess { $0["reason"].string == "forward_auth_malformed" }
        #expect(other?["endpoint"].string == "forward_auth" && other?["path"].string == "/_auth")
        #expect(other?["client_ip"].string == "127.0.0.1")
    }

    @Test("a read-only token opens no WebSocket")
    func webSocket() throws {
        let app = try AppFixture { $0["listeners"] = ForwardAuthFixture.listeners }
        let token = try app.wish("scope=read_only").access
        let fields = [.bearer(token), Field(name: "X-Apiomat-Apikey", value: AppFixture.key)]
        #expect(try app.gateway.ask("GET", "/notes/1", fields).status == 200)
        let handshake: [Field] = ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
        #expect(try app.gateway.ask("GET", "/notes/1", fields + handshake).status == 403)
        #expect(try app.gateway.ask("POST", "/notes/1", fields).status == 403)
    }

    @Test("a browser is sent to the login form at the origin of its proxy, or of the gateway, and comes back")
    func login() throws {
        let fixture = try ForwardAuthFixture.make {
            BrowserFixture.prepare(&$0)
            $0["additionalBaseUrls"] = #"["https://shop.example.com"]"#
        }
        for (host, scheme, origin) in [
            ("shop.example.com", "https", "https://shop.example.com"),
            ("SHOP.example.com:443", "https", "https://shop.example.com"),
            ("shop.example.com", "http", "http://gw.example.com"), ("evil.net", "https", "http://gw.example.com"),
        ] {
            let described = ForwardAuthFixture.description("GET", "/mobileapp?page=2", host: host, scheme: scheme)
            let response = try fixture.ask(fields: described + BrowserFixture.navigation)
            #expect(response.status == 302)
            let location = try #require(response.only("Location"))
            #expect(location.hasPrefix("\(origin)/oic_rest/mobilesso?serviceDomain="), "\(host): \(location)")
            #expect(response.values("Vary").contains("Cookie"))
            // The form takes the target, and sends the browser back there.
            let jar = CookieJar(fixture.gateway)
            let form = String(location.dropFirst(origin.count))
            let done = try jar.fill(jar.send("GET", form), form, "username=joe&password=Welcome1")
            #expect(done.only("Location") == "/mobileapp?page=2")
        }
        let script = ForwardAuthFixture.description("POST", "/mobileapp")
        #expect(try fixture.ask(fields: script + BrowserFixture.navigation).status == 401)
    }

    @Test("a browser's session counts, and its cookie is not for the upstream")
    func session() throws {
        let fixture = try ForwardAuthFixture.make { BrowserFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        try jar.logIn()
        let described = ForwardAuthFixture.description("GET", "/mobileapp", host: "gw.example.com", scheme: "http")
        let cookies = jar.field[0].value
        let response = try fixture.ask(fields: described + [Field(name: "Cookie", value: "a=b; \(cookies); c=d")])
        #expect(response.status == 200 && response.only("X-Gateway-User") == "joe", "\(response.text)")
        #expect(response.values("Cookie") == ["a=b; c=d"])
        let alone = try fixture.ask(fields: described + jar.field)
        #expect(alone.status == 200 && alone.values("Cookie").isEmpty)
        // A form of another site.
        let post = ForwardAuthFixture.description("POST", "/mobileapp", host: "gw.example.com", scheme: "http")
        #expect(try fixture.ask(fields: post + jar.field).status == 403)
        let own = post + jar.field + ["Sec-Fetch-Site: same-origin"]
        #expect(try fixture.ask(fields: own).status == 200)
        // The plain cookie counts on plain connections alone.
        let secure = ForwardAuthFixture.description("GET", "/mobileapp", host: "gw.example.com")
        #expect(try fixture.ask(fields: secure + jar.field).status == 401)
    }

    @Test("the listener serves nothing else, the others have no such endpoint, and a reload changes it")
    func listeners() throws {
        let fixture = try ForwardAuthFixture.make()
        let described = ForwardAuthFixture.description("GET", "/open/x")
        for path in [
            "/open/x", "/", "/_auth/", "/_auth/x", "//_auth", "/x/../_auth", "/%5Fauth", "/_envoy", "/_envoyx/open/x",
        ] {
            #expect(try fixture.ask(fields: described, path: path).status == 404, "\(path)")
        }
        #expect(try fixture.ask(fields: described, path: "/_auth?a=b").status == 200)
        #expect(try fixture.request("GET", "/_auth", described).status == 404)
        #expect(fixture.upstream.requests("/open/x").isEmpty)
        let connection = try fixture.gateway.connect("auth")
        #expect(try connection.exchange("GET", "/_auth", described).status == 200)
        try fixture.reload {
            $0["listeners"] = ForwardAuthFixture.listeners.replacing(#"["127.0.0.1"]"#, with: #"["127.0.0.9"]"#)
        }
        #expect(try connection.exchange("GET", "/_auth", described).status == 403)
        try fixture.reload {
            $0["listeners"] = ForwardAuthFixture.listeners.replacing(#""pathPrefix": "/_envoy", "#, with: "")
        }
        #expect(try connection.exchange("GET", "/_auth", described).status == 200)
        #expect(try connection.exchange("GET", "/_envoy/open/x", Array(described.dropFirst(3))).status == 404)
    }
}
