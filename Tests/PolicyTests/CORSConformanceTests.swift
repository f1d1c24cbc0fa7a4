import Bytes
import Model
import TestSupport
import Testing

@testable import Policy

/// What a browser does with our answers (Fetch, "CORS check" and "CORS-preflight fetch"). Outside cases are judged by
/// it, since the exact lists in a preflight's answer are ours to choose (CORS-06).
private struct Browser {
    let request: TestRequest
    let verdict: OriginVerdict
    let fields: [String: String]

    init(_ request: TestRequest, _ snapshot: PolicySnapshot, _ route: Route) {
        self.request = request
        verdict = request.screen(snapshot, route)
        fields =
            verdict == .preflight
            ? request.preflightFields(route)
            : request.corsFields(snapshot, verdict, status: verdict.denial?.status ?? 200)
    }

    func list(_ name: String) -> [String] {
        (fields[name] ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    /// Whether the request that a preflight announces may be sent.
    func mayProceed(method: String, headers: [String]) -> Bool {
        let methods = list("access-control-allow-methods") + ["GET", "HEAD", "POST"]
        let allowed = list("access-control-allow-headers").map { $0.lowercased() }
        return verdict == .preflight && fields["access-control-allow-origin"] != nil && methods.contains(method)
            && headers.allSatisfy { allowed.contains($0.lowercased()) }
    }
}

extension String {
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(String(drop(while: isBlank).reversed()).drop(while: isBlank).reversed())
    }
}

/// A snapshot with one route, made of what the outside cases configure.
private func snapshot(
    origins: [String], methods: [String]?, headers: [String], exposed: [String], credentials: Bool, maxAge: Int
) -> (PolicySnapshot, Route) {
    var settings = TestPolicy.settings()
    settings.allowOrigin = AllowOriginPolicy(origins.joined(separator: ","))
    settings.ownOrigins = []
    settings.cors.allowCredentials = credentials
    settings.cors.allowHeaders = headers
    settings.cors.exposeHeaders = exposed
    settings.cors.maxAgeSeconds = maxAge
    var route = ResolvedRoute(RouteEntry(name: "route", path: "/**"))
    route.methods = (methods ?? []).map { MethodEntry($0) }
    settings.routes = [route]
    let snapshot = TestPolicy.snapshot(settings)
    return (snapshot, snapshot.route("route"))
}

/// A case of `jub0bs/cors` whose configuration our policy can express.
private struct OutsideCase: CustomTestStringConvertible, Sendable {
    let name: String
    let configuration: JSONNode
    let request: JSONNode
    var testDescription: String { name }

    /// Why we decide otherwise.
    static let differences: [String: String] = [
        "credentialed: preflight with PURGE and Content-Type from allowed": "CORS-06 allows Content-Type always",
        "arbitrary subdomains and arbitrary ports: actual GET from deeper subdomain": "CORS-05: * does not cross a dot",
        "arbitrary subdomains and arbitrary ports: actual GET from deeper subdomain and port":
            "CORS-05: * does not cross a dot",
        "outer Vary middleware: fake preflight with CORS-safelisted method from allowed":
            "the origin is allowed and GET needs no leave; elsewhere in this set the same is answered as we do",
    ]

    static let all: [OutsideCase] = (Fixtures.json("cors-jub0bs/cases.json").array ?? []).flatMap { group in
        guard let configuration = group["cfg"], isExpressible(configuration) else { return [OutsideCase]() }
        return (group["cases"]?.array ?? []).compactMap { request in
            // Values that only a Go program can compute.
            guard fields(of: request) != nil else { return nil }
            return OutsideCase(
                name: "\(group.text("desc")): \(request.text("desc"))", configuration: configuration, request: request)
        }
    }

    /// Not expressible: `*` for every origin (AMB-13), method or request field.
    private static func isExpressible(_ configuration: JSONNode) -> Bool {
        guard let origins = configuration["Origins"] else { return false }
        return !origins.strings.contains("*") && !(configuration["RequestHeaders"]?.strings ?? []).contains("*")
    }

    static func fields(of request: JSONNode) -> [(String, String)]? {
        var fields: [(String, String)] = []
        for member in request["reqHeaders"]?.members ?? [] {
            guard let values = member.node.array, values.count == member.node.strings.count else { return nil }
            fields += member.node.strings.map { (member.name, $0) }
        }
        return fields
    }
}

@Suite("Outside CORS cases")
struct CORSConformanceTests {
    @Test("how many of jub0bs/cors our policy can express")
    func count() { #expect(OutsideCase.all.count == 84) }

    @Test("jub0bs/cors: the browser's verdict is the same", arguments: OutsideCase.all)
    fileprivate func jub0bs(_ outside: OutsideCase) throws {
        let configuration = outside.configuration
        let (snapshot, route) = snapshot(
            origins: configuration["Origins"]?.strings ?? [],
            methods: (configuration["Methods"]?.strings ?? ["GET", "HEAD", "POST"]).map {
                String($0.split(separator: "http.Method").last ?? "").uppercased()
            } + ["OPTIONS"],
            headers: configuration["RequestHeaders"]?.strings ?? [],
            exposed: configuration["ResponseHeaders"]?.strings ?? [],
            credentials: configuration["Credentialed"]?.bool ?? false,
            maxAge: Int(configuration["MaxAgeInSeconds"]?.integer ?? 5))
        let fields = try #require(OutsideCase.fields(of: outside.request))
        let browser = Browser(TestRequest(outside.request.text("reqMethod"), "/", fields), snapshot, route)
        let expected = outside.request["wantRespHeaders"]
        let isSame: Bool
        switch outside.request["wantOutcome"]?.string {
        case "isPreflightAndSucceeds"?, "isPreflightAndFailsDuringCORSCheck"?, "isPreflightAndFailsAfterCORSCheck"?:
            let succeeds = outside.request["wantOutcome"]?.string == "isPreflightAndSucceeds"
            let wanted = fields.filter { $0.0 == "Access-Control-Request-Headers" }.flatMap {
                $0.1.split(separator: ",")
            }
            .map { String($0).trimmed }.filter { !$0.isEmpty }
            let method = fields.first { $0.0 == "Access-Control-Request-Method" }?.1 ?? ""
            isSame = browser.mayProceed(method: method, headers: wanted) == succeeds
            if succeeds {
                #expect(
                    browser.fields["access-control-max-age"] == expected?["Access-Control-Max-Age"]?.strings.first
                        ?? "5")
            }
        default:
            isSame =
                browser.fields["access-control-allow-origin"] == expected?["Access-Control-Allow-Origin"]?.strings.first
                && browser.fields["access-control-allow-credentials"]
                    == expected?["Access-Control-Allow-Credentials"]?.strings.first
                && Set(browser.list("access-control-expose-headers").map { $0.lowercased() })
                    == Set(
                        (expected?["Access-Control-Expose-Headers"]?.strings.first ?? "").split(separator: ",").map(
                            String.init))
            #expect(browser.fields["vary"] == "Origin")
        }
        let reason = OutsideCase.differences[outside.name]
        #expect(isSame == (reason == nil), "\(reason ?? "\(browser.verdict) \(browser.fields)")")
    }
}

/// What `rs/cors` is configured with, for the cases that our policy can express; the options are Go text.
private let rsOptions:
    [String: (origin: String, methods: [String], headers: [String], exposed: [String], credentials: Bool, maxAge: Int)] =
        [
            "AllowedOrigin": ("http://foobar.com", ["GET"], [], [], false, 0),
            "WildcardOrigin": ("http://*.bar.com", ["GET"], [], [], false, 0),
            "DisallowedOrigin": ("http://foobar.com", ["GET"], [], [], false, 0),
            "DisallowedWildcardOrigin": ("http://*.bar.com", ["GET"], [], [], false, 0),
            "MaxAge": ("http://example.com", ["GET"], [], [], false, 10),
            "AllowedMethod": ("http://foobar.com", ["PUT", "DELETE"], [], [], false, 0),
            "DisallowedMethod": ("http://foobar.com", ["PUT", "DELETE"], [], [], false, 0),
            "AllowedHeaders": ("http://foobar.com", ["GET"], ["X-Header-1", "x-header-2", "X-HEADER-3"], [], false, 0),
            "DisallowedHeader": ("http://foobar.com", ["GET"], ["X-Header-1", "x-header-2"], [], false, 0),
            "ExposedHeader": ("http://foobar.com", ["GET"], [], ["X-Header-1", "X-Header-2"], false, 0),
            "AllowedCredentials": ("http://foobar.com", ["GET"], [], [], true, 0),
            "DisallowedPrivateNetwork": ("http://foobar.com", ["GET"], [], [], false, 0),
            "NonPreflightOptions": ("http://foobar.com", ["GET", "OPTIONS"], [], [], false, 0),
            "MultipleACRHHeaders": ("http://foobar.com", ["GET"], ["Content-Type", "Authorization"], [], false, 0),
            "MultipleACRHHeadersWithOWSAndEmptyElements": (
                "http://foobar.com", ["GET"], ["Content-Type", "Authorization"], [], false, 0
            ),
        ]

extension CORSConformanceTests {
    /// Not expressible, and so not here: every origin (`*` and the empty configuration), functions that decide, `*` for
    /// request fields, no `Max-Age` at all, private networks, preflights passed through.
    @Test("rs/cors: the browser's verdict is the same", arguments: rsOptions.keys.sorted())
    func rs(_ name: String) throws {
        let cases = try #require(Fixtures.json("cors-rs/cases.json").array)
        let outside = try #require(cases.first { $0.text("name") == name })
        let options = try #require(rsOptions[name])
        let (snapshot, route) = snapshot(
            origins: [options.origin], methods: options.methods, headers: options.headers, exposed: options.exposed,
            credentials: options.credentials, maxAge: options.maxAge)
        // The values are Go literals.
        let fields = pairs(outside["request_headers"]).flatMap { name, values in
            values.map { (name, $0.replacing("\\t", with: "\t")) }
        }
        let expected = Dictionary(
            uniqueKeysWithValues: pairs(outside["response_headers"]).map { ($0.0.lowercased(), $0.1) })
        let browser = Browser(TestRequest(outside.text("method"), "/", fields), snapshot, route)

        if browser.verdict == .preflight {
            let method = fields.first { $0.0 == "Access-Control-Request-Method" }?.1 ?? ""
            let wanted = fields.filter { $0.0 == "Access-Control-Request-Headers" }.flatMap {
                $0.1.split(separator: ",")
            }
            .map { String($0).trimmed }.filter { !$0.isEmpty }
            let succeeds = expected["access-control-allow-origin"] != nil
            #expect(browser.mayProceed(method: method, headers: wanted) == succeeds)
        } else {
            #expect(browser.fields["access-control-allow-origin"] == expected["access-control-allow-origin"]?.first)
            #expect(browser.fields["access-control-expose-headers"] == expected["access-control-expose-headers"]?.first)
        }
        #expect(
            browser.fields["access-control-allow-credentials"] == expected["access-control-allow-credentials"]?.first)
        #expect(browser.fields["access-control-allow-private-network"] == nil)
        #expect(browser.fields["vary"] == expected["vary"]?.first)
    }

    private func pairs(_ node: JSONNode?) -> [(String, [String])] {
        (node?.array ?? []).compactMap { pair in
            guard let name = pair.array?.first?.string, let values = pair.array?.last else { return nil }
            return (name, values.strings)
        }
    }
}
