import Identity
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("Where routes look for tokens")
struct TokenSourceTests {
    private static let token = TestPolicy.token()
    private static let sources: [TokenSource] = [
        .header("X-Auth-Token", scheme: nil), .header("Authorization", scheme: "Token"), .cookie("jwt"),
        .query("token"),
    ]

    private func snapshot(
        _ sources: [TokenSource]? = sources, _ change: (inout PolicySettings) -> Void = { _ in }
    ) -> PolicySnapshot {
        var settings = TestPolicy.settings()
        var route = ResolvedRoute(RouteEntry(name: "sources", path: "/sources"))
        route.options.tokenSources = sources
        settings.routes.append(route)
        change(&settings)
        return TestPolicy.snapshot(settings)
    }

    private func decision(
        _ fields: [(String, String)], query: String = "", _ method: String = "GET", sources: [TokenSource]? = sources
    ) -> DecisionOutcome {
        decide(TestRequest(method, "/sources\(query)", fields), snapshot(sources))
    }

    @Test("a token counts at each of the places, and nowhere else")
    func places() {
        let token = Self.token
        #expect(decision([("X-Auth-Token", token)]) == .allowed("joe"))
        #expect(decision([("x-auth-token", token)]) == .allowed("joe"))
        #expect(decision([("Authorization", "token \(token)")]) == .allowed("joe"))
        #expect(decision([("Cookie", "a=b; jwt=\(token)")]) == .allowed("joe"))
        #expect(decision([], query: "?a=b&token=\(token)") == .allowed("joe"))
        #expect(decision([("Authorization", "Bearer \(token)")]) == .denied(.missingCredential))
        #expect(decision([("X_Auth_Token", token)]) == .denied(.missingCredential))
        #expect(decision([], query: "?Token=\(token)") == .denied(.missingCredential))
        #expect(decision([], query: "?to%6ben=\(token)") == .allowed("joe"))
        #expect(decision([], query: "?a=token=\(token)") == .denied(.missingCredential))
        #expect(decision([("X-Auth-Token", token)], sources: nil) == .denied(.missingCredential))
        #expect(decision([basic("joe:Welcome1"), inventoryID]) == .allowed("joe"))
    }

    @Test("what is at a place and is no token is refused, and not passed over")
    func bad() {
        #expect(decision([("X-Auth-Token", "x")]) == .denied(.malformedToken))
        #expect(decision([("X-Auth-Token", "")]) == .denied(.malformedToken))
        #expect(decision([], query: "?token=") == .denied(.malformedToken))
        #expect(decision([("Cookie", "jwt=x")]) == .denied(.malformedToken))
        #expect(decision([("X-Auth-Token", TestPolicy.token(lifetime: -1))]) == .denied(.tokenExpired))
        #expect(decision([("Authorization", "Digest x")]) == .denied(.unsupportedScheme))
    }

    @Test("two credentials are refused, with any second one")
    func two() {
        let token = Self.token
        for (fields, query) in [
            ([("X-Auth-Token", token), ("X-Auth-Token", token)], ""),
            ([("X-Auth-Token", token), ("Authorization", "Token \(token)")], ""),
            ([("X-Auth-Token", token)], "?token=\(token)"), ([], "?token=\(token)&token=\(token)"),
            ([("X-Auth-Token", token), basic("joe:Welcome1")], ""),
            ([("Authorization", "Digest x")], "?token=\(token)"),
        ] {
            #expect(decision(fields, query: query) == .denied(.duplicateCredential), "\(fields) \(query)")
        }
        // A browser sends its cookies beside any credential that a script sends.
        #expect(decision([("X-Auth-Token", token), ("Cookie", "jwt=x")]) == .allowed("joe"))
    }

    @Test("a token in a cookie changes nothing for pages of other sites")
    func crossSite() {
        let cookie = ("Cookie", "jwt=\(Self.token)")
        #expect(decision([cookie], "POST") == .denied(.crossSiteRequest))
        #expect(decision([cookie, ("Origin", "https://gw.example.com")], "POST") == .allowed("joe"))
        #expect(decision([cookie, ("Sec-Fetch-Site", "same-origin")], "POST") == .allowed("joe"))
        #expect(decision([cookie, ("X-Auth-Token", Self.token)], "POST") == .allowed("joe"))
    }

    @Test("an issuer with places of its own is believed there and nowhere else")
    func issuers() {
        let snapshot = snapshot(nil) { $0.issuers[1].tokenSources = [.header("X-Assertion", scheme: nil)] }
        func decision(_ field: (String, String)) -> DecisionOutcome {
            decide(TestRequest("GET", "/sources", [field]), snapshot)
        }
        let outside = TestPolicy.outsideToken()
        #expect(decision(("X-Assertion", outside)) == .allowed("eve"))
        #expect(decision(bearer(outside)) == .denied(.issuerNotAllowed))
        #expect(decision(bearer(Self.token)) == .allowed("joe"))
        #expect(decision(("X-Assertion", Self.token)) == .denied(.issuerNotAllowed))
        #expect(decision(basic("joe:Welcome1")).description.hasPrefix("401"))
    }
}
