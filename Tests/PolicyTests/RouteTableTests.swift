import Bytes
import HTTP
import Model
import TestSupport
import Testing

@testable import Policy

/// What a table answers, as text.
private func answer(_ table: RouteTable, _ path: String, host: String = "", method: String = "GET") -> String {
    let (path, host, text) = (Array(path.utf8), Array(host.utf8), Array(method.utf8))
    switch table.match(host: host.span, path: path.span, method: Method(text.span), methodText: text.span) {
    case .route(let route): return route.name
    case .selection: return "selection"
    case .endpoint(let endpoint): return "endpoint \(endpoint.descriptor)"
    case .methodNotAllowed(let route): return "405 \(route.name)"
    case .notFound: return "404"
    }
}

private func table(_ routes: [ResolvedRoute], endpoints: [(path: String, endpoint: EndpointDescriptor)] = [])
    -> RouteTable
{
    var settings = TestPolicy.settings()
    settings.routes = routes
    settings.endpoints = endpoints
    return TestPolicy.snapshot(settings).routes
}

private func route(_ path: String, hosts: [String] = [], methods: [String]? = nil) -> ResolvedRoute {
    var route = ResolvedRoute(
        RouteEntry(name: (hosts + [path] + (methods ?? [])).joined(separator: " "), path: "\(path)"))
    route.hosts = hosts.map { "\($0)" }
    route.methods = (methods ?? []).map { MethodEntry($0) }
    return route
}

@Suite("GW-01, ROLE-05: the route table")
struct RouteTableTests {
    @Test(
        "the most specific pattern has the request",
        arguments: [
            ("/a", "/a"), ("/a/", "/a/**"), ("/a/b", "/a/b"), ("/a/x", "/a/*"), ("/a/x/c", "/a/*/c"),
            ("/a/b/c", "/a/b/**"),
            ("/a/b/d", "/a/b/**"), ("/a/b/", "/a/b/**"), ("/a/x/d", "/a/**"), ("/a/x/", "/a/**"),
            ("/a/b/c/d", "/a/b/**"),
            ("/", "/"), ("/x", "404"), ("/A", "404"), ("/ab", "404"), ("", "404"), ("*", "404"), ("/s/", "/s/"),
            ("/s", "404"),
        ])
    func specificity(_ path: String, _ expected: String) {
        let patterns = ["/a/**", "/a/*", "/a/b/**", "/a/*/c", "/a", "/a/b", "/", "/s/"]
        #expect(answer(table(patterns.map { route($0) }), path) == expected)
    }

    @Test("a variable matches as * does")
    func variables() {
        let table = table(["/a/{x}", "/a/b", "/a/{y}/c", "/{z}/d/**"].map { route($0) })
        #expect(answer(table, "/a/x") == "/a/{x}" && answer(table, "/a/b") == "/a/b")
        #expect(answer(table, "/a/") == "404" && answer(table, "/a/x/c") == "/a/{y}/c")
        #expect(answer(table, "/a/d") == "/a/{x}" && answer(table, "/b/d") == "/{z}/d/**")
        #expect(("/a/{x}" as PathPattern).isCanonical)
    }

    @Test("a method that the most specific pattern lacks never falls through to a general one")
    func methods() {
        let table = table([
            route("/a/**"), route("/a/b", methods: ["GET"]), route("/a/b", methods: ["PUT", "PURGE"]),
        ])
        #expect(answer(table, "/a/b") == "/a/b GET")
        #expect(answer(table, "/a/b", method: "HEAD") == "/a/b GET")
        #expect(answer(table, "/a/b", method: "PURGE") == "/a/b PUT PURGE")
        #expect(answer(table, "/a/b", method: "DELETE") == "405 /a/b GET")
        #expect(answer(table, "/a/b", method: "get") == "405 /a/b GET")
        #expect(answer(table, "/a/c", method: "DELETE") == "/a/**")
        #expect(answer(table, "/a/c", method: "ANY") == "/a/**")
        #expect(answer(table, "/a/c", method: "TRACE") == "405 /a/**")
        #expect(answer(table, "/a/c", method: "CONNECT") == "405 /a/**")
    }

    @Test(
        "hosts: exact, then wildcard of one label, then any",
        arguments: [
            ("api.example.com", "api.example.com /x"), ("API.Example.COM:8080", "api.example.com /x"),
            ("api.example.com.", "api.example.com /x"), ("www.example.com", "*.example.com /**"),
            ("a.b.example.com", "/x"),
            ("example.com", "/x"), (".example.com", "/x"), ("", "/x"), ("[::1]:80", "[::1] /x"), ("[::2]", "/x"),
            ("evilapi.example.com", "*.example.com /**"), ("api.example.comx", "/x"),
        ])
    func hosts(_ host: String, _ expected: String) {
        let table = table([
            route("/x"), route("/x", hosts: ["api.example.com"]), route("/**", hosts: ["*.example.com"]),
            route("/x", hosts: ["[::1]"]),
        ])
        #expect(answer(table, "/x", host: host) == expected)
    }

    @Test("a host without a fitting pattern leaves the request to the more general hosts")
    func hostFallThrough() {
        let table = table([
            route("/only", hosts: ["api.example.com"]), route("/**", hosts: ["*.example.com"]), route("/y"),
        ])
        #expect(answer(table, "/only", host: "api.example.com") == "api.example.com /only")
        #expect(answer(table, "/else", host: "api.example.com") == "*.example.com /**")
        #expect(answer(table, "/y", host: "other") == "/y")
        #expect(answer(table, "/only", host: "other") == "404")
    }

    @Test("endpoints go before routes, by their exact path")
    func endpoints() {
        let table = table([route("/**")], endpoints: [("/oauth2/token", .token), ("/.well-known/jwks.json", .jwks)])
        #expect(answer(table, "/oauth2/token", method: "POST") == "endpoint token")
        #expect(answer(table, "/.well-known/jwks.json") == "endpoint jwks")
        #expect(answer(table, "/oauth2/token/") == "/**")
        #expect(answer(table, "/oauth2") == "/**")
    }

    @Test(
        "patterns that no request can have",
        arguments: [
            ("a", PathPattern.Problem.noLeadingSlash), ("", .noLeadingSlash), ("/a*", .partialWildcard),
            ("/**/a", .misplacedDeep), ("/a**", .partialWildcard), ("/a//b", .emptySegment),
            ("//", .emptySegment), ("/a/../b", .dotSegment), ("/a/.", .dotSegment), ("/a%2fb", .refusedEscape),
            ("/%61", .needlessEscape), ("/a%3Ab", .needlessEscape), ("/%40", .needlessEscape), ("/a?b", .missingEscape),
            ("/a#b", .missingEscape), ("/a b", .missingEscape),
            ("//**", .emptySegment), ("/%c3%a9", .lowerCaseEscape), ("/%C", .malformedEscape), ("/%", .malformedEscape),
        ])
    func invalidPatterns(_ text: String, _ expected: PathPattern.Problem) {
        #expect(throws: expected) { try PathPattern(text) }
    }

    @Test("patterns of which no canonical path can be made", arguments: ["/%FF", "/a/..;x", "/%252f"])
    func notCanonical(_ text: String) throws {
        var settings = TestPolicy.settings()
        settings.routes = [route("/a"), route(text)]
        #expect(settings.routes[0].path.isCanonical && !settings.routes[1].path.isCanonical)
    }

    @Test("a pattern of plain characters is canonical, and one with others is refused", arguments: UInt8(0)...127)
    func characters(_ byte: UInt8) {
        guard byte != UInt8(ascii: "*"), byte != ASCII.slash, byte != ASCII.percent else { return }
        let path = [ASCII.slash, UInt8(ascii: "a"), byte]
        let isPattern = (try? PathPattern(String(decoding: path, as: UTF8.self))) != nil
        #expect(isPattern == (CanonicalPath.canonical(path) == path))
    }

    @Test(
        "hosts that no request can have",
        arguments: [
            "", "*", "*.", "a..b", "a.*", "a:80", "http://a", "*.[::1]", "[::1", "a b", "::1", "[a]", "-a", "a-.b",
        ])
    func invalidHosts(_ text: String) { #expect(HostPattern(text) == nil) }

    @Test("it answers as one that tries every route (seeded)", arguments: 0..<60)
    func likeANaiveMatcher(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let routes = randomRoutes(&random)
        let table = table(routes)
        for _ in 0..<200 {
            let path = "/" + randomParts(["a", "b", "", "c", "a"], 0...4, &random).joined(separator: "/")
            let host = ["", "x.test", "y.x.test", "z.y.x.test", "X.TEST:80"].randomElement(using: &random) ?? ""
            let method = ["GET", "HEAD", "PUT", "OPTIONS", "PURGE", "TRACE"].randomElement(using: &random) ?? ""
            #expect(
                answer(table, path, host: host, method: method) == naive(routes, path, host, method),
                "\(routes.map(\.name)) \(host) \(method) \(path)")
        }
    }
}

private func randomParts(_ choices: [String], _ count: ClosedRange<Int>, _ random: inout SeededRandom) -> [String] {
    (0..<Int.random(in: count, using: &random)).map { _ in choices.randomElement(using: &random) ?? "" }
}

/// Routes without two that a request could be for at the same time.
private func randomRoutes(_ random: inout SeededRandom) -> [ResolvedRoute] {
    var routes: [ResolvedRoute] = []
    for _ in 0..<12 {
        let parts =
            randomParts(["a", "b", "*", "a"], 0...3, &random)
            + ([["**"], [""], [], ["c"]].randomElement(using: &random) ?? [])
        let hosts = [[], [], ["x.test"], ["*.x.test"], ["x.test", "y.x.test"]].randomElement(using: &random) ?? []
        let methods = [nil, ["GET"], ["PUT", "PURGE"]].randomElement(using: &random) ?? nil
        let fresh = route("/" + parts.joined(separator: "/"), hosts: hosts, methods: methods)
        let clash = routes.contains { other in
            other.path == fresh.path && !other.methodSet.isDisjoint(with: fresh.methodSet)
                && (other.hosts.isEmpty && fresh.hosts.isEmpty || !Set(other.hosts).isDisjoint(with: fresh.hosts))
        }
        if !clash { routes.append(fresh) }
    }
    return routes
}

/// The definition of the table, read off its comment: rank all routes that fit and take the best.
private func naive(_ routes: [ResolvedRoute], _ path: String, _ host: String, _ method: String) -> String {
    let name = host.lowercased().split(separator: ":").first.map(String.init) ?? ""
    let covering = "*." + name.split(separator: ".").dropFirst().joined(separator: ".")
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    for group in [name, covering, ""] {
        let fitting = routes.filter { group.isEmpty ? $0.hosts.isEmpty : $0.hosts.contains { "\($0)" == group } }
            .compactMap { route in rank(route.path.text, segments).map { (route, $0) } }
        guard let best = fitting.map(\.1).min(by: { $0.lexicographicallyPrecedes($1) }) else { continue }
        let candidates = fitting.filter { $0.1 == best }.map(\.0)
        let taking = candidates.first { route in
            let methods = route.methods.map(\.method)
            if methods.isEmpty { return method != "TRACE" }
            return methods.contains(method) || method == "HEAD" && methods.contains("GET")
        }
        return taking?.name ?? "405 \(candidates[0].name)"
    }
    return "404"
}

/// How specific a pattern is for a path, smaller being more; nil where it does not fit.
private func rank(_ pattern: String, _ segments: [String]) -> [Int]? {
    var rank: [Int] = []
    var rest = segments[...]
    for part in pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
        if part == "**" { return rank + [2] }
        guard let segment = rest.popFirst() else { return nil }
        if part == "*", !segment.isEmpty {
            rank.append(1)
        } else if part == segment {
            rank.append(0)
        } else {
            return nil
        }
    }
    return rest.isEmpty ? rank + [0] : nil
}
