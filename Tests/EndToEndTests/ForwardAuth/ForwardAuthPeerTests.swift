import Foundation
import Testing

/// Real proxies, with the configurations that `init` writes: what they forward is what the gateway has decided about, with
/// the fields of its answer and no others. Those that are not installed are left out.
@Suite struct ForwardAuthPeerTests {
    private static let basic: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
    private static let identities = [
        "X-Gateway-User", "X-Gateway-Issuer", "X-Gateway-Roles", "X-Gateway-Backend", "X-Gateway-Consumer",
        "X-Gateway-Client", "X-Gateway-Client-Subject",
        "X-Gateway-Client-Names",
        "X-Gateway-Client-Fingerprint",
    ]

    @Test("an allowed request has the gateway's identity fields and token", arguments: ForwardAuthPeer.Kind.installed)
    func allowed(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        let token = try peer.fixture.token("joe")
        let response = try peer.request(
            "GET", "/inventory/me?a=b",
            [.bearer(token), "X-Gateway-User: eve", "X-Gateway-Client-Subject: eve", "Cookie: a=b"])
        #expect(response.status == 200, "\(response.head.raw)\(response.text)")
        #expect(!response.head.raw.contains("eyJ"), "the client got the token for the upstream")
        let request = try peer.fixture.lastRequest("/inventory/me")
        #expect(request.target == "/inventory/me?a=b")
        #expect(request.values("X-Gateway-User") == ["joe"])
        #expect(request.values("X-Gateway-Roles") == ["Manager"])
        #expect(request.values("X-Gateway-Backend") == ["mbe-inv-1"])
        #expect(request.values("X-Gateway-Client") == ["inv-client"])
        #expect(request.values("X-Gateway-Client-Subject").isEmpty)
        #expect(request.values("Cookie") == ["a=b"])
        #expect(request.values("Authorization").count == 1 && !request.head.raw.contains(token))
        let line = peer.fixture.gateway.waitForAccess { $0["endpoint"].string == "forward_auth" }
        // Envoy names a client on loopback by another address of the machine.
        #expect(line?["client_ip"].string == "127.0.0.1" || kind == .envoy)
        #expect(line?["path"].string == "/inventory/me")
    }

    @Test(
        "a public route gets none of the client's identity fields and credentials",
        arguments: ForwardAuthPeer.Kind.installed)
    func anonymous(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        let forged = Self.identities.map { Field(name: $0, value: "eve") }
        let more: [Field] = ["X-Apiomat-Apikey: 123", "Oracle-Mobile-Social-Access-Token: abc", .bearer("secret")]
        #expect(try peer.request("GET", "/open/x", forged + more).status == 200)
        let request = try peer.fixture.lastRequest("/open/x")
        for name in Self.identities + more.map(\.name) { #expect(request.values(name).isEmpty, "\(name)") }
        // Imitations do not come so far.
        for name in ["X_Gateway_User", "X.Gateway.User"] {
            let response = try peer.request("GET", "/open/imitated", [Field(name: name, value: "eve")])
            #expect(response.status == 400 || response.status == 200, "\(name)")
        }
        let seen = peer.fixture.upstream.requests("/open/imitated").map(\.head.raw).joined()
        #expect(!seen.contains("eve"))
    }

    @Test("a refused request does not reach the upstream", arguments: ForwardAuthPeer.Kind.installed)
    func refused(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind) {
            $0["rateLimits"] = #"{"one": {"requests": 1, "per": "1h", "burst": 1, "key": "address"}}"#
            $0.addRoutes(#"{"path": "/seldom", "upstream": "stub", "public": true, "rateLimit": "one"}"#)
        }
        let ann = try Field.bearer(peer.fixture.token("ann"))
        let origin = Field.origin("https://a.example.com")
        let challenged = try peer.request("GET", "/mobileapp", ["User-Agent: OAMMS-Agent", origin])
        #expect(challenged.status == 401)
        #expect(
            challenged.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="MobileWG:2 /mobileapp", request-ctx="#)
                == true)
        #expect(challenged.values("Access-Control-Allow-Origin") == ["https://a.example.com"])
        for (method, target, fields, status) in [
            ("GET", "/plain", [], 401), ("GET", "/plain", [.bearer("nonsense")], 401),
            ("POST", "/inventory/items", [ann], 403), ("GET", "/nowhere", [], 404),
            ("DELETE", "/inventory/items", [ann], 405), ("GET", "/favicon.ico", [], 404),
            ("GET", "/plain", [.origin("https://evil.net")], 403), ("GET", "/open/a%2Fb", [], 400),
            ("GET", "/open/x", ["X-HTTP-Method-Override: DELETE"], 400), ("GET", "/open//x", [], 400),
        ] as [(String, String, [Field], Int)] {
            let response = try peer.request(method, target, fields)
            #expect(response.status == status, "\(method) \(target) \(response.status)")
        }
        #expect(try peer.request("GET", "/seldom").status == 200)
        let limited = try peer.request("GET", "/seldom")
        #expect(limited.status == 429 && limited.only("Retry-After") != nil)
        let reached = ["/plain", "/inventory/items", "/nowhere", "/mobileapp", "/favicon.ico", "/open/x", "/open//x"]
        for path in reached { #expect(peer.fixture.upstream.requests(path).isEmpty, "\(path)") }
    }

    @Test(
        "what a client says of another request does not change the decision", arguments: ForwardAuthPeer.Kind.installed)
    func forged(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        for field in [
            "X-Forwarded-Uri: /open/x", "X-Forwarded-Method: OPTIONS", "X-Original-URI: /open/x",
            "X-Original-Method: OPTIONS",
            "X-Original-URL: http://shop.example.com/open/x", "X-Forwarded-Host: other", "X-Forwarded-Proto: https",
            "X-Forwarded-For: 127.0.0.1, 10.0.0.1", "X_Forwarded_Uri: /open/x", "X-Rewrite-URL: /open/x",
        ] {
            let response = try peer.request("GET", "/plain", [Field(stringLiteral: field)])
            #expect([400, 401].contains(response.status), "\(field): \(response.status)")
        }
        for target in ["/open/../plain", "/open/..%2fplain", "/open/%2e%2e/plain", "//plain", "/open/x/../../plain"] {
            let response = try peer.request("GET", target)
            #expect([400, 401, 404].contains(response.status), "\(target): \(response.status)")
        }
        #expect(try peer.request("GET", "http://other.example.com/plain").status == 401)
        #expect(peer.fixture.upstream.requests.isEmpty)
    }

    @Test("fields that upstreams trust, and API keys, do not pass", arguments: ForwardAuthPeer.Kind.installed)
    func trusted(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind) { $0["consumers"] = #"[{"name": "billing"}]"# }
        for field in [
            "X-Original-URL: /secret/eve", "X-Original-URI: /eve", "X-Original-Method: EVE", "X-Forwarded-Uri: /eve",
            "X-Forwarded-Method: EVE", "X-Forwarded-Prefix: /eve", "Forwarded: for=eve", "OAM-Remote-User: eve",
            "Remote-User: eve", "X-Forwarded-User: eve", "X-SSL-Client-Verify: eve", "X-Gateway-Foo: eve",
            "X-API-Key: eve",
        ] {
            let response = try peer.request("GET", "/open/trusted", [Field(stringLiteral: field)])
            #expect([200, 400, 401].contains(response.status), "\(field): \(response.status)")
        }
        let seen = peer.fixture.upstream.requests("/open/trusted").map(\.head.raw).joined()
        #expect(!seen.contains("eve") && !seen.contains("EVE"), "\(seen)")
        let named = try peer.request(
            "GET", "/inventory/me", Self.basic + ["Connection: keep-alive, X-Gateway-User, X-Gateway-Roles"])
        if named.status == 200 {
            #expect(try peer.fixture.lastRequest("/inventory/me").values("X-Gateway-User") == ["joe"])
        }
    }

    @Test("a request that only resembles a preflight is refused", arguments: ForwardAuthPeer.Kind.installed)
    func falsePreflight(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        let response = try peer.request(
            "OPTIONS", "/inventory/items", [.origin("https://a.example.com"), "Access-Control-Request-Method: "],
            body: "x")
        #expect(response.status >= 400, "\(response.status)")
        #expect(peer.fixture.upstream.requests("/inventory/items").isEmpty)
    }

    @Test("a preflight is answered by the gateway", arguments: ForwardAuthPeer.Kind.installed)
    func preflight(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        let asked = Field("Access-Control-Request-Method: POST")
        let response = try peer.request("OPTIONS", "/inventory/items", [.origin("https://a.example.com"), asked])
        #expect(response.status == 204)
        #expect(response.only("Access-Control-Allow-Methods") == "GET, HEAD, POST")
        #expect(try peer.request("OPTIONS", "/inventory/items", [.origin("https://evil.net"), asked]).status == 403)
        let allowed = try peer.request("GET", "/open/x", [.origin("https://a.example.com")])
        #expect(allowed.status == 200)
        if kind != .caddy { #expect(allowed.only("Access-Control-Allow-Origin") == "https://a.example.com") }
        #expect(peer.fixture.upstream.requests("/inventory/items").isEmpty)
    }

    @Test("bodies go to the upstream alone, and endpoints to the gateway", arguments: ForwardAuthPeer.Kind.installed)
    func bodies(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind)
        let body = String(repeating: "x", count: 100_000)
        #expect(try peer.request("POST", "/inventory/items", Self.basic, body: body).status == 200)
        #expect(try peer.fixture.lastRequest("/inventory/items").bodyCount == body.utf8.count)
        #expect(try peer.request("HEAD", "/open/x").status == 200)
        let form = "grant_type=client_credentials"
        let fields: [Field] = [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"]
        let granted = try peer.request("POST", "/oauth2/token", fields, body: form)
        #expect(JSONText(granted.text)["access_token"].string != nil, "\(granted.status) \(granted.text)")
    }
}
