import Identity
import Model
import Testing

@testable import Policy

@Suite("AMB-32: the order of questions")
struct DecisionOrderTests {
    private let snapshot = TestPolicy.snapshot()
    private let evil = ("Origin", "https://evil.net")

    @Test("each question is asked only when the ones before it were answered well")
    func order() {
        let weak = TestPolicy.token(kind: .client, client: TestPolicy.scheduler, roles: [], level: 0)
        #expect(decide(TestRequest("GET", "/x%2fy", [evil, bearer("x")]), snapshot) == .denied(.ambiguousPath))
        #expect(decide(TestRequest("GET", "/nowhere", [evil, bearer("x")]), snapshot) == .denied(.corsDenied))
        #expect(decide(TestRequest("GET", "/nowhere", [bearer("x")]), snapshot) == .denied(.noRoute))
        #expect(decide(TestRequest("GET", "/inventory/items", [evil, bearer("x")]), snapshot) == .denied(.corsDenied))
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer("x")]), snapshot) == .denied(.malformedToken))
        let other = ("Oracle-Mobile-Backend-ID", "mbe-inv-1")
        #expect(
            decide(TestRequest("GET", "/inventory/items", [bearer(weak), other]), snapshot) == .denied(.backendMismatch)
        )
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(weak)]), snapshot) == .denied(.clientNotAllowed))
        let client = TestPolicy.token(kind: .client, roles: [], level: 0)
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(client)]), snapshot) == .denied(.loginRequired))
        let low = TestPolicy.token("bob", roles: [], level: 1)
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(low)]), snapshot) == .denied(.stepUpRequired))
        let bob = TestPolicy.token("bob", roles: [])
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(bob)]), snapshot) == .denied(.roleRequired))
        #expect(
            decide(TestRequest("GET", "/inventory/items", [bearer(TestPolicy.token())]), snapshot) == .allowed("joe"))
    }

    @Test("the driver is asked in the order of the list, and only for what the target has")
    func questions() {
        func asked(_ request: TestRequest, _ steps: Decision.Steps = .request) -> [Decision.Step] {
            let path = request.canonicalPath ?? []
            var decision = Decision(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers,
                steps: steps, now: TestPolicy.now)
            var asked: [Decision.Step] = []
            while case .ask(let step) = decision.advance(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers)
            {
                asked.append(step)
            }
            return asked
        }
        let request = TestRequest("GET", "/inventory/items")
        #expect(asked(request) == [.rate, .body, .credential, .principalRate])
        #expect(asked(request, .request.subtracting(.rates)) == [.body, .credential])
        #expect(asked(request, .review) == [.credential])
        #expect(asked(request, .target).isEmpty)
        #expect(asked(TestRequest("GET", "/inventory/items", [evil])).isEmpty)
        #expect(asked(TestRequest("GET", "/nowhere")).isEmpty)
    }

    @Test("a route without an upstream has the questions of any route, and its answer last")
    func answers() {
        var settings = TestPolicy.settings()
        settings.routes[0].answer = .response(RouteResponse())
        let snapshot = TestPolicy.snapshot(settings)
        func last(_ fields: [(String, String)]) -> (Decision.Step?, DecisionOutcome) {
            let request = TestRequest("GET", "/inventory/items", fields)
            let path = request.canonicalPath ?? []
            var decision = Decision(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers,
                now: TestPolicy.now)
            if case .principal(let known) = request.authenticate(snapshot, decision.route) {
                decision.principal = known
            }
            var step: Decision.Step?
            while case .ask(let next) = decision.advance(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers)
            {
                step = next
            }
            return (step, decide(request, snapshot))
        }
        let joe = last([bearer(TestPolicy.token())])
        #expect(joe.0 == .answer && joe.1 == .allowed("joe"))
        let bob = last([bearer(TestPolicy.token("bob", roles: []))])
        #expect(bob.0 == .principalRate && bob.1 == .denied(.roleRequired))
        #expect(last([]).1 == .denied(.missingCredential))
    }

    @Test("a preflight is answered before credentials are asked for (CORS-06, CHAL-09)")
    func preflight() {
        let request = TestRequest(
            "OPTIONS", "/inventory/items",
            [("Origin", "https://www.example.com"), ("Access-Control-Request-Method", "POST"), bearer("garbage")])
        #expect(decide(request, snapshot) == .preflight)
    }

    @Test("no access rule means login, no route means 404 (GW-01)")
    func defaultDeny() {
        #expect(decide(TestRequest("GET", "/anyone"), snapshot) == .denied(.missingCredential))
        #expect(decide(TestRequest("GET", "/nowhere"), snapshot) == .denied(.noRoute))
        #expect(decide(TestRequest("OPTIONS", "*"), snapshot) == .denied(.ambiguousPath))
    }

    @Test("a public route looks at no credential and takes its word for nothing (ROLE-02)")
    func publicRoute() {
        #expect(decide(TestRequest("GET", "/open/ping"), snapshot) == .allowed("no caller"))
        #expect(decide(TestRequest("GET", "/open/ping", [bearer("garbage")]), snapshot) == .allowed("no caller"))
        #expect(
            decide(TestRequest("GET", "/open/ping", [bearer(TestPolicy.token())]), snapshot) == .allowed("no caller"))
        #expect(
            decide(TestRequest("GET", "/open/ping", [bearer("a"), bearer("b")]), snapshot)
                == .denied(.duplicateCredential))
        #expect(decide(TestRequest("GET", "/open/ping", [evil]), snapshot) == .denied(.corsDenied))
    }

    @Test(
        "no spelling of a path gets around its rule (ROLE-05, peers: path confusion)",
        arguments: [
            "/inventory/public/../items", "/inventory/./items", "/inventory//items", "//inventory/items",
            "/inventory/%69tems", "/inventory/public/%2e%2e/items", "/inventory/public/..%2fitems",
            "/inventory%2fitems",
            "/open/ping/../../inventory/items", "/open/ping/..;/../inventory/items",
            "/open/ping%2f..%2f..%2finventory/items",
            "/open/ping%00/../../inventory/items", "/open/ping%5c..%5c..%5cinventory%5citems",
            "/open/ping/%252e%252e/x",
            "/inventory/items?x=/open/ping", "/inventory/items/", "/inventory/items/extra", "/INVENTORY/items",
            "/inventory/items;x=1",
        ])
    func bypass(_ path: String) {
        let client = TestPolicy.token(kind: .client, roles: [], level: 0)
        for fields in [[], [bearer(client)]] {
            guard case .denied = decide(TestRequest("GET", path, fields), snapshot) else {
                Issue.record("\(path) is let in")
                return
            }
        }
    }

    @Test(
        "no field of the client's changes the decision (peers: magic bypasses)",
        arguments: [
            ("X-HTTP-Method-Override", "OPTIONS"), ("X-HTTP-Method", "GET"), ("X-Original-URL", "/open/ping"),
            ("X-Rewrite-URL", "/open/ping"), ("X-Original-Method", "OPTIONS"), ("X-Forwarded-Host", "gw.example.com"),
            ("X-Forwarded-For", "127.0.0.1"), ("X-Gateway-User", "root"), ("X-Gateway-Roles", "Manager"),
            ("User-Agent", "kube-probe/1.0"), ("Cookie", "token=x"), ("Proxy-Authorization", "Basic am9lOldlbGNvbWUx"),
            ("X_Authorization", "Bearer x"), ("Oracle-Mobile-Backend-ID", "mbe-inv-1"),
        ])
    func spoofing(_ name: String, _ value: String) {
        #expect(
            decide(TestRequest("POST", "/inventory/items", [(name, value)]), snapshot) == .denied(.missingCredential))
        let ann = TestPolicy.token("ann", roles: ["Clerk"])
        #expect(
            decide(TestRequest("POST", "/inventory/items", [bearer(ann), (name, value)]), snapshot)
                == .denied(.roleRequired))
    }

    @Test("a token in the query is none")
    func queryToken() {
        let request = TestRequest("GET", "/inventory/me?access_token=\(TestPolicy.token())")
        #expect(decide(request, snapshot) == .denied(.missingCredential))
    }
}
