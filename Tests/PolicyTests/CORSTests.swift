import HTTP
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("CORS: verdicts and fields")
struct CORSTests {
    private let snapshot = TestPolicy.snapshot()
    private let site = "https://www.example.com"

    private func preflight(_ path: String, _ method: String, _ more: [(String, String)] = []) -> TestRequest {
        TestRequest("OPTIONS", path, [("Origin", site), ("Access-Control-Request-Method", method)] + more)
    }

    @Test("no Origin is not across sites (CORS-07, AMB-29)")
    func noOrigin() { #expect(TestRequest().screen(snapshot) == .notCrossSite) }

    @Test("the gateway's own origin passes under any policy (CORS-07)")
    func ownOrigin() {
        var settings = TestPolicy.settings()
        settings.allowOrigin = "disallow"
        settings.ownOrigins.append("http://127.0.0.1:8080")
        let snapshot = TestPolicy.snapshot(settings)
        #expect(TestRequest([("Origin", "https://GW.example.com:443")]).screen(snapshot) == .allowed)
        #expect(TestRequest([("Origin", "http://127.0.0.1:8080")]).screen(snapshot) == .allowed)
        #expect(TestRequest([("Origin", "http://gw.example.com")]).screen(snapshot) == .refused)
        // AMB-31: what the request calls its host is no evidence.
        #expect(TestRequest(host: "evil.net", [("Origin", "https://evil.net")]).screen(snapshot) == .refused)
    }

    @Test("refused and malformed (CORS-01, CORS-08)")
    func refusals() {
        #expect(TestRequest([("Origin", "https://evil.net")]).screen(snapshot) == .refused)
        #expect(TestRequest([("Origin", "null")]).screen(snapshot) == .refused)
        #expect(TestRequest([("Origin", "")]).screen(snapshot) == .refused)
        #expect(TestRequest([("Origin", site), ("origin", site)]).screen(snapshot) == .malformed)
        #expect(OriginVerdict.refused.denial == .corsDenied)
        #expect(OriginVerdict.malformed.denial?.status == 400)
        let two = preflight("/inventory/items", "GET", [("Access-Control-Request-Method", "PUT")])
        #expect(two.screen(snapshot) == .malformed)
    }

    @Test("a refused preflight is 403, not a challenge (CORS-06)")
    func refusedPreflight() {
        let request = TestRequest(
            "OPTIONS", "/inventory/items", [("Origin", "https://evil.net"), ("Access-Control-Request-Method", "GET")])
        #expect(request.screen(snapshot) == .refused)
        #expect(request.corsFields(snapshot, .refused, status: 403) == ["vary": "Origin"])
    }

    @Test("the fields of an allowed reply name the exact origin (CORS-06, CORS-07)")
    func replyFields() {
        let request = TestRequest([("Origin", site)])
        #expect(request.corsFields(snapshot, .allowed) == ["vary": "Origin", "access-control-allow-origin": site])
        #expect(TestRequest().corsFields(snapshot, .notCrossSite) == ["vary": "Origin"])
    }

    @Test("a 401 lets the page read its challenge (CHAL-09)")
    func challengeFields() {
        let fields = TestRequest([("Origin", site)]).corsFields(snapshot, .allowed, status: 401)
        #expect(fields["access-control-expose-headers"] == "WWW-Authenticate")
        #expect(fields["access-control-allow-origin"] == site)
    }

    @Test("credentials and exposed fields only when the policy says so (CORS-07)")
    func settings() {
        var settings = TestPolicy.settings()
        settings.cors.allowCredentials = true
        settings.cors.exposeHeaders = ["X-Foo"]
        let snapshot = TestPolicy.snapshot(settings)
        let request = TestRequest([("Origin", site)])
        #expect(request.corsFields(snapshot, .allowed)["access-control-allow-credentials"] == "true")
        #expect(request.corsFields(snapshot, .allowed)["access-control-expose-headers"] == "X-Foo")
        #expect(
            request.corsFields(snapshot, .allowed, status: 401)["access-control-expose-headers"]
                == "WWW-Authenticate, X-Foo")
        let answer = preflight("/inventory/items", "GET").preflightFields(snapshot.route("items"))
        #expect(answer["access-control-allow-credentials"] == "true")
    }

    @Test("a route with a list of origins alone has the gateway's settings, but not its list on trial")
    func routeList() {
        var settings = TestPolicy.settings()
        settings.cors.allowCredentials = true
        settings.cors.trialOrigin = "https://new.example.org"
        settings.routes[0].options.allowOrigin = "https://only.example.org"
        let snapshot = TestPolicy.snapshot(settings)
        let (route, other) = (snapshot.route("items"), snapshot.route("me"))
        let (only, usual) = (
            TestRequest([("Origin", "https://only.example.org")]), TestRequest([("Origin", site)])
        )
        #expect(only.screen(snapshot, route) == .allowed && usual.screen(snapshot, route) == .refused)
        #expect(usual.screen(snapshot, other) == .allowed && only.screen(snapshot, other) == .refused)
        #expect(only.corsFields(snapshot, .allowed, route)["access-control-allow-credentials"] == "true")
        let refused = (
            own: route.cors.refusesOnTrial(only.headers, only.bytes.span),
            usual: other.cors.refusesOnTrial(usual.headers, usual.bytes.span)
        )
        #expect(!refused.own && refused.usual)
    }

    @Test("a route's own settings are in place of the gateway's, one by one")
    func routeSettings() {
        var settings = TestPolicy.settings()
        settings.cors.allowCredentials = true
        settings.cors.exposeHeaders = ["X-Foo"]
        var own = CORSSettings()
        own.allowOrigin = "https://only.example.org"
        own.allowMethods = ["GET", "PUT", "PURGE"]
        own.exposeHeaders = ["X-Bar"]
        own.allowPrivateNetwork = true
        settings.routes[0].options.cors = own
        let snapshot = TestPolicy.snapshot(settings)
        let (route, only) = (snapshot.route("items"), "https://only.example.org")
        func request(_ origin: String, _ method: String = "GET") -> TestRequest {
            TestRequest(method, "/inventory/items", [("Origin", origin)])
        }
        #expect(request(site).screen(snapshot) == .allowed)
        #expect(request(site).screen(snapshot, route) == .refused)
        #expect(request(only).screen(snapshot, route) == .allowed)
        // A form may send a POST without a preflight.
        #expect(request(only, "POST").screen(snapshot, route) == .refused)
        #expect(request(only, "HEAD").screen(snapshot, route) == .allowed)
        let fields = request(only).corsFields(snapshot, .allowed, route)
        #expect(fields["access-control-expose-headers"] == "X-Bar")
        #expect(fields["access-control-allow-credentials"] == "true")
        let asked = ("Access-Control-Request-Private-Network", "true")
        let answer = TestRequest(
            "OPTIONS", "/inventory/items", [("Origin", only), ("Access-Control-Request-Method", "POST"), asked]
        ).preflightFields(route)
        #expect(answer["access-control-allow-methods"] == "GET, HEAD")
        #expect(answer["access-control-allow-private-network"] == "true")
        let elsewhere = preflight("/open/x", "GET", [asked]).preflightFields(snapshot.route("open"))
        #expect(elsewhere["access-control-allow-private-network"] == nil)
    }

    @Test("the answer to a preflight (CORS-06)")
    func preflightAnswer() {
        let request = preflight(
            "/inventory/items", "POST",
            [
                ("Access-Control-Request-Headers", "authorization, X-Unknown ,,content-type"),
                ("Access-Control-Request-Headers", "Oracle-Mobile-Backend-ID"),
            ])
        #expect(request.screen(snapshot) == .preflight)
        #expect(
            request.preflightFields(snapshot.route("items")) == [
                "vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
                "access-control-allow-origin": site, "access-control-allow-methods": "GET, HEAD, POST",
                "access-control-allow-headers": "authorization, content-type, Oracle-Mobile-Backend-ID",
                "access-control-max-age": "600",
            ])
    }

    @Test("without allowed request fields there is no list of them")
    func noAllowedHeaders() {
        let request = preflight("/inventory/items", "GET", [("Access-Control-Request-Headers", "x-a, x-b")])
        let fields = request.preflightFields(snapshot.route("items"))
        #expect(fields["access-control-allow-headers"] == nil)
    }

    @Test("a preflight leads to the route of the request that it announces")
    func preflightRoute() {
        var settings = TestPolicy.settings()
        settings.routes[0].methods = [MethodEntry("GET")]
        var other = ResolvedRoute(RouteEntry(name: "write", path: "/inventory/items"))
        other.methods = [MethodEntry("PUT")]
        settings.routes.append(other)
        let snapshot = TestPolicy.snapshot(settings)
        func name(_ method: String) -> String? {
            guard case .route(let route)? = preflight("/inventory/items", method).match(snapshot) else { return nil }
            return route.name
        }
        #expect(name("PUT") == "write")
        #expect(name("GET") == "items")
        // Another method is answered with what there is, and the browser refuses it.
        #expect(name("DELETE") == "items")
        #expect(snapshot.route("items").allowedMethodsText == Array("GET, HEAD, PUT".utf8))
    }

    @Test("a route of every method names the extension method that was asked for")
    func extensionMethod() {
        let route = snapshot.route("open")
        let methods = preflight("/anyone", "PURGE").preflightFields(route)["access-control-allow-methods"]
        #expect(methods == "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH, PURGE")
        #expect(
            preflight("/anyone", "TRACE").preflightFields(route)["access-control-allow-methods"]
                == "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH")
    }

    @Test("OPTIONS without a requested method is no preflight")
    func plainOptions() {
        let request = TestRequest("OPTIONS", "/inventory/items", [("Origin", site)])
        #expect(request.screen(snapshot) == .allowed)
        guard case .methodNotAllowed? = request.match(snapshot) else {
            Issue.record("OPTIONS is not one of the route's methods")
            return
        }
    }

    @Test("a route's own list stands instead of the policy's (CORS-10)")
    func routeOverride() {
        let route = snapshot.route("only")
        #expect(TestRequest([("Origin", site)]).screen(snapshot, route) == .refused)
        #expect(TestRequest([("Origin", "https://only.example.com")]).screen(snapshot, route) == .allowed)
        #expect(TestRequest([("Origin", site)]).screen(snapshot, snapshot.route("me")) == .allowed)
    }

    @Test("private networks are not granted by default, an origin is never *")
    func neverGranted() {
        var settings = TestPolicy.settings()
        settings.allowOrigin = "https://*:*, https://*.example.com:*"
        let snapshot = TestPolicy.snapshot(settings)
        let request = preflight("/inventory/items", "GET", [("Access-Control-Request-Private-Network", "true")])
        let fields = request.preflightFields(snapshot.route("items"))
        #expect(fields["access-control-allow-private-network"] == nil)
        #expect(fields["access-control-allow-origin"] == site)
    }
}

extension TestRequest {
    fileprivate init(host: String = "gw.example.com", _ fields: [(String, String)]) {
        self.init("GET", "/inventory/me", host: host, fields)
    }
}
