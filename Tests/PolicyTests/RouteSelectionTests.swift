import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Routes of one path that header fields and the query choose between.
@Suite struct RouteSelectionTests {
    private typealias Condition = RouteConditions.Condition

    private static func route(
        _ name: String, _ path: PathPattern = "/a", _ headers: [(String, String?)] = [],
        query: [(String, String?)] = [],
        methods: [String]? = nil
    ) -> ResolvedRoute {
        var route = ResolvedRoute(RouteEntry(name: name, path: path))
        route.conditions = RouteConditions(
            headers: headers.map { RouteConditions.Condition($0, value: $1) },
            query: query.map { RouteConditions.Condition($0, value: $1) })
        route.methods = (methods ?? []).map { MethodEntry($0) }
        route.access.isPublic = true
        return route
    }

    private func snapshot(_ routes: [ResolvedRoute]) -> PolicySnapshot {
        var settings = TestPolicy.settings()
        settings.routes = routes
        settings.endpoints = []
        return TestPolicy.snapshot(settings)
    }

    /// The name of the route that a request is admitted to, or the reason why it is not.
    private func answer(_ snapshot: PolicySnapshot, _ request: TestRequest) -> String {
        let path = request.canonicalPath ?? []
        var decision = Decision(
            snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers,
            now: TestPolicy.now)
        while true {
            switch decision.advance(
                snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers)
            {
            case .ask: break
            case .deny(let reason): return "\(reason.code) \(decision.route?.name ?? "")"
            case .admit: return decision.route?.name ?? "endpoint"
            case .answerPreflight: return "preflight \(decision.route?.name ?? "")"
            case .answerIcon: return "icon"
            }
        }
    }

    private let versions = [
        route("plain"), route("any", "/a", [("x-version", nil)]), route("two", "/a", [("x-version", "2")]),
        route("both", "/a", [("x-version", "2")], query: [("beta", nil)]),
        route("beta", "/a", query: [("beta", "1 2")]),
        route("wide", "/**"),
    ]

    @Test(
        "more conditions go before fewer, values before presence, and a name counts only once",
        arguments: [
            ("/a", [], "plain"), ("/a", ["X-Version: 2"], "two"), ("/a", ["x-VERSION:2 "], "two"),
            ("/a", ["X-Version: 3"], "any"), ("/a", ["X-Version:"], "any"), ("/a", ["X-Version: 2, 2"], "any"),
            ("/a", ["X-Version: 2", "X-Version: 2"], "plain"), ("/a", ["X-Version: 2", "x-version: 3"], "plain"),
            ("/a", ["X_Version: 2"], "plain"), ("/a", ["X-Versions: 2"], "plain"),
            ("/a?beta", ["X-Version: 2"], "both"), ("/a?beta=", ["X-Version: 2"], "both"),
            ("/a?beta&beta", ["X-Version: 2"], "two"), ("/a?beta=1&bet%61=2", ["X-Version: 2"], "two"),
            ("/a?beta=1+2", [], "beta"), ("/a?beta=1%202", [], "beta"), ("/a?x=y&b%65ta=1+2&z", [], "beta"),
            ("/a?beta=1+2", ["X-Version: 3"], "beta"), ("/a?beta=1+2&beta=1+2", [], "plain"),
            ("/a?beta=1+2&beta=3", [], "plain"), ("/a?beta=1+2&BETA=3", [], "beta"), ("/a?beta=1", [], "plain"),
            ("/a?beta=1+2;x", [], "plain"), ("/a?", [], "plain"), ("/a?&&", [], "plain"), ("/a?xbeta=1+2", [], "plain"),
        ])
    func conditions(_ target: String, _ lines: [String], _ expected: String) {
        let fields = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts[1])
        }
        for routes in [versions, versions.reversed()] {
            #expect(answer(snapshot(routes), TestRequest("GET", target, fields)) == expected)
        }
    }

    @Test("a request that meets no conditions of the most specific path reaches no wider path")
    func noWiderPath() {
        let snapshot = snapshot([Self.route("two", "/a", [("x-version", "2")]), Self.route("wide", "/**")])
        #expect(answer(snapshot, TestRequest("GET", "/a")) == "no_route ")
        #expect(answer(snapshot, TestRequest("GET", "/a", [("X-Version", "2")])) == "two")
        #expect(answer(snapshot, TestRequest("GET", "/b")) == "wide")
    }

    @Test("methods choose among the routes whose conditions hold")
    func methods() {
        let snapshot = snapshot([
            Self.route("read", "/a", [("x-version", "2")], methods: ["GET"]),
            Self.route("write", "/a", [("x-version", "2")], methods: ["POST"]),
            Self.route("rest", "/a", methods: ["GET", "PUT"]),
        ])
        let two = [("X-Version", "2")]
        #expect(answer(snapshot, TestRequest("HEAD", "/a", two)) == "read")
        #expect(answer(snapshot, TestRequest("POST", "/a", two)) == "write")
        #expect(answer(snapshot, TestRequest("PUT", "/a", two)) == "rest")
        #expect(answer(snapshot, TestRequest("DELETE", "/a", two)) == "method_not_allowed read")
        #expect(answer(snapshot, TestRequest("POST", "/a")) == "method_not_allowed rest")
        #expect(snapshot.route("read").allowedMethodsText == Array("GET, HEAD, POST, PUT".utf8))
    }

    @Test("of routes with as many conditions the first of the file is tried first")
    func orderOfFile() {
        let routes = [Self.route("b", "/a", [("x-b", "1")]), Self.route("a", "/a", [("x-a", "1")])]
        let request = TestRequest("GET", "/a", [("X-A", "1"), ("X-B", "1")])
        #expect(answer(snapshot(routes), request) == "b" && answer(snapshot(routes.reversed()), request) == "a")
    }

    @Test("a path parameter leads to the same route with the same conditions, or is refused")
    func parameters() {
        let routes = [
            Self.route("two", "/a/*", [("x-version", "2")]), Self.route("plain", "/a/*"), Self.route("b", "/a/b"),
        ]
        let two = [("X-Version", "2")]
        #expect(answer(snapshot(routes), TestRequest("GET", "/a/c;x", two)) == "two")
        #expect(answer(snapshot(routes), TestRequest("GET", "/a/c;x")) == "plain")
        #expect(answer(snapshot(routes), TestRequest("GET", "/a/b;x", two)) == "ambiguous_path two")
        let other = [Self.route("one", "/a/c;x"), Self.route("two", "/a/c", [("x-version", "2")])]
        #expect(answer(snapshot(other), TestRequest("GET", "/a/c;x", two)) == "ambiguous_path one")
    }

    @Test(
        "a preflight leads to the route whose fields it announces",
        arguments: [
            ("/a", "x-version", "GET", "preflight any"), ("/a", "x-other, X-Version", "GET", "preflight any"),
            ("/a?beta=1", "x-version", "GET", "preflight both"), ("/a", "", "GET", "preflight plain"),
            ("/a?beta=1%202", "", "PUT", "preflight beta"),
        ])
    func preflights(_ target: String, _ announced: String, _ method: String, _ expected: String) {
        // Without values of fields the two of one field cannot be distinguished.
        let routes = versions.filter { $0.name != "two" }
        let fields =
            [("Origin", "https://shop.example.com"), ("Access-Control-Request-Method", method)]
            + (announced.isEmpty ? [] : [("Access-Control-Request-Headers", announced)])
        #expect(answer(snapshot(routes), TestRequest("OPTIONS", target, fields)) == expected)
    }

    @Test("what goes on stays with the conditions it began with")
    func readmission() {
        let routes = [
            Self.route("plain"), Self.route("two", "/a", [("x-version", "2")], query: [("b c", "d&e"), ("f", nil)]),
        ]
        let conditions = routes[1].conditions
        let (path, host) = (Array("/a".utf8), Array("gw.example.com".utf8))
        func readmitted(_ routes: [ResolvedRoute], _ conditions: RouteConditions) -> String {
            let request = BufferedRequest(.get, host: host.span, conditions: conditions)
            switch snapshot(routes).readmit(
                nil, request, path: path.span, now: TestPolicy.now, cache: VerifiedTokenCache(capacity: 1))
            {
            case .admitted(let route, _): return route.name
            case .refused(let reason): return reason.code
            }
        }
        #expect(readmitted(routes, conditions) == "two" && readmitted(routes, RouteConditions()) == "plain")
        #expect(
            readmitted([routes[1]], conditions) == "two" && readmitted([routes[1]], RouteConditions()) == "no_route")
        #expect(readmitted([Self.route("any", "/a", [("x-version", nil)])], conditions) == "any")
    }
}
