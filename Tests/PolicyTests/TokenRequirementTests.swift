import Bytes
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("Scopes, claims, issuers and audiences of routes")
struct TokenRequirementTests {
    private func decide(
        _ access: (inout AccessRule) throws -> Void, _ token: String, roles: String = #"["Clerk"]"#
    ) rethrows -> DecisionOutcome {
        var settings = TestPolicy.settings()
        var route = ResolvedRoute(RouteEntry(name: "guarded", path: "/guarded"))
        try access(&route.access)
        settings.routes.append(route)
        return PolicyTests.decide(TestRequest("GET", "/guarded", [bearer(token)]), TestPolicy.snapshot(settings))
    }

    private func token(_ claims: String) -> String { TestPolicy.outsideToken(more: ",\(claims)") }

    @Test("all scopes of `all` and one of `any` are needed, of `scope` or else of `scp`, as a text or a list")
    func scopes() {
        func decision(_ claims: String, all: [String] = [], any: [String]? = nil) -> DecisionOutcome {
            decide({ $0.scopes = RoleNames(any: any, all: all) }, token(claims))
        }
        #expect(decision(#""scope":"write read""#, all: ["read"]) == .allowed("eve"))
        #expect(decision(#""scope":"write read""#, all: ["read", "write"]) == .allowed("eve"))
        #expect(decision(#""scope":["write","read"]"#, all: ["read", "write"]) == .allowed("eve"))
        #expect(decision(#""scp":["read"]"#, all: ["read"]) == .allowed("eve"))
        #expect(decision(#""scp":"x","scope":"read""#, any: ["read", "y"]) == .allowed("eve"))
        for claims in [#""scope":"write""#, #""scope":"reader""#, #""scope":"Read""#, #""scope":1"#, #""x":1"#] {
            #expect(decision(claims, all: ["read"]) == .denied(.scopeRequired), "\(claims)")
        }
        #expect(decision(#""scp":["read"],"scope":"write""#, all: ["read"]) == .denied(.scopeRequired))
        #expect(decision(#""scope":"a""#, any: ["b", "c"]) == .denied(.scopeRequired))
        #expect(decision(#""scope":"a b""#, all: ["a"], any: ["c"]) == .denied(.scopeRequired))
    }

    @Test("a password has no scopes")
    func passwords() {
        var settings = TestPolicy.settings()
        var route = ResolvedRoute(RouteEntry(name: "guarded", path: "/guarded"))
        route.access.scopes = RoleNames(all: ["read"])
        settings.routes.append(route)
        let request = TestRequest("GET", "/guarded", [basic("joe:Welcome1"), inventoryID])
        #expect(PolicyTests.decide(request, TestPolicy.snapshot(settings)) == .denied(.scopeRequired))
    }

    @Test("conditions compare claims by place, type and bytes")
    func claims() throws {
        func decision(_ claims: String, _ path: String, _ tests: ClaimRule.Test...) throws -> Bool {
            let outcome = try decide({ $0.claims = [ClaimRule(try ClaimPath(path), tests)] }, token(claims))
            #expect(outcome == .allowed("eve") || outcome == .denied(.claimRequired))
            return outcome == .allowed("eve")
        }
        #expect(try decision(#""a":{"b":"x"}"#, "a.b", .equals(.text("x"))))
        #expect(try !decision(#""a":{"b":"X"}"#, "a.b", .equals(.text("x"))))
        #expect(try !decision(#""a":"x""#, "a.b", .equals(.text("x"))))
        // The same letter to a reader, in two characters.
        #expect(try !decision("\"a\":\"e\u{301}\"", "a", .equals(.text("\u{e9}"))))
        #expect(try decision(#""a":1"#, "a", .equals(.number("1"))))
        #expect(try !decision(#""a":"1""#, "a", .equals(.number("1"))))
        #expect(try !decision(#""a":"true""#, "a", .equals(.flag(true))))
        #expect(try decision(#""a":true"#, "a", .isIn([.text("x"), .flag(true)])))
        #expect(try !decision(#""a":["x"]"#, "a", .isIn([.text("x")])))
        #expect(try decision(#""a":["y","x"]"#, "a", .contains(.text("x"))))
        #expect(try decision(#""a":"x""#, "a", .contains(.text("x"))))
        #expect(try !decision(#""a":["xx",["x"]]"#, "a", .contains(.text("x"))))
        #expect(try decision(#""a":0"#, "a", .exists(true)))
        #expect(try !decision(#""a":null"#, "a", .exists(true)))
        #expect(try decision(#""b":0"#, "a", .exists(false)))
        #expect(try !decision(#""a":5"#, "a", .exists(true), .equals(.number("6"))))
        #expect(try !decision(#""b":0"#, "a", .equals(.text(""))))
    }

    @Test("another issuer or audience than the route's is refused with 401")
    func issuers() {
        #expect(decide({ $0.issuers = ["idp"] }, token(#""a":1"#)) == .allowed("eve"))
        #expect(decide({ $0.issuers = ["own"] }, token(#""a":1"#)) == .denied(.issuerNotAllowed))
        #expect(decide({ $0.issuers = ["idp"] }, TestPolicy.token()) == .denied(.issuerNotAllowed))
        #expect(decide({ $0.audience = ["portcullis"] }, token(#""a":1"#)) == .allowed("eve"))
        #expect(decide({ $0.audience = ["orders"] }, token(#""a":1"#)) == .denied(.wrongAudience))
        #expect(decide({ $0.audience = ["orders"] }, TestPolicy.token()) == .denied(.wrongAudience))
        #expect(Reason.issuerNotAllowed.status == 401 && Reason.scopeRequired.status == 403)
    }

    @Test("with optional identity no credential is needed, a valid one is used and a bad one is refused")
    func optionalIdentity() {
        var settings = TestPolicy.settings()
        var route = ResolvedRoute(RouteEntry(name: "welcome", path: "/welcome"))
        (route.access.isOptional, route.access.loginRequired) = (true, false)
        settings.routes.append(route)
        let snapshot = TestPolicy.snapshot(settings)
        func decision(_ fields: [(String, String)]) -> DecisionOutcome {
            PolicyTests.decide(TestRequest("GET", "/welcome", fields), snapshot)
        }
        #expect(decision([]) == .allowed("no caller"))
        #expect(decision([bearer(TestPolicy.token())]) == .allowed("joe"))
        #expect(decision([bearer(TestPolicy.token(lifetime: -1))]) == .denied(.tokenExpired))
        #expect(decision([bearer("x")]) == .denied(.malformedToken))
        #expect(decision([("Authorization", "Basic !")]).description.hasPrefix("401"))
    }

    @Test("a Basic credential without a backend id is for the route's backend, else for the default one")
    func defaultBackend() {
        var inventory = TestPolicy.inventory
        func decision(_ path: String, _ more: [(String, String)] = []) -> DecisionOutcome {
            var settings = TestPolicy.settings(clients: [inventory, TestPolicy.scheduler])
            var route = ResolvedRoute(RouteEntry(name: "named", path: "/named"))
            route.defaultBackend = "mbe-sch-1"
            settings.routes.append(route)
            // With Basic among its authenticators, the only client of a route is the default.
            route = ResolvedRoute(RouteEntry(name: "listed", path: "/listed"))
            route.clients = ["mbe-sch-1"]
            route.options.authenticators = [Authenticator(.bearer), Authenticator(.basic)]
            settings.routes.append(route)
            route.name = "unlisted"
            route.path = "/unlisted"
            route.options.authenticators = nil
            settings.routes.append(route)
            return PolicyTests.decide(
                TestRequest("GET", path, [basic("joe:Welcome1")] + more), TestPolicy.snapshot(settings))
        }
        #expect(decision("/named") == .allowed("joe"))
        #expect(decision("/listed") == .allowed("joe"))
        #expect(decision("/unlisted") == .denied(.missingBackend))
        #expect(decision("/inventory/me") == .denied(.missingBackend))
        inventory.isDefault = true
        #expect(decision("/inventory/me") == .allowed("joe"))
        #expect(decision("/anyone") == .allowed("joe"))
        #expect(decision("/anyone", [("Oracle-Mobile-Backend-ID", "")]) == .denied(.unknownClient))
        #expect(decision("/inventory/me", [("Oracle-Mobile-Backend-ID", "mbe-sch-1")]) == .denied(.clientNotAllowed))
    }
}
