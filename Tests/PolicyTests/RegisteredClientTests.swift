import Identity
import JOSE
import Model
import TestSupport
import Testing

@testable import Policy

/// Tokens of clients that have registered themselves: the user's roles count where the route trusts such clients.
@Suite struct RegisteredClientTests {
    /// - Parameters:
    ///   - roles: those of the scope.
    ///   - held: all of the user.
    private static func token(
        _ subject: String = "joe", roles: [String] = [], held: [String] = ["Manager"], virtual: Bool = false
    ) -> String {
        var claims = AccessTokenClaims(
            TokenRights(subject: subject, kind: .user, roles: roles), of: TestPolicy.inventory,
            issuer: "https://gw.example.com", audience: ["https://gw.example.com"], issuedAt: TestPolicy.now,
            expiresAt: TestPolicy.now + 600, tokenID: "\(subject) \(roles) \(held)")
        claims.userRoles = held
        claims.virtual = virtual
        return String(
            decoding: TestPolicy.ownKey.sign(claims: claims.json(), type: AccessTokenClaims.type), as: UTF8.self)
    }

    private static func snapshot(_ change: (inout PolicySettings) -> Void = { _ in }) -> PolicySnapshot {
        var settings = TestPolicy.settings()
        var trusting = ResolvedRoute(RouteEntry(name: "trusting", path: "/trusting"))
        trusting.access.roles = RoleNames(any: ["Manager"])
        trusting.options.trustsRegisteredClients = true
        var barred = ResolvedRoute(RouteEntry(name: "barred", path: "/barred"))
        barred.access.roles = RoleNames(none: ["Manager"])
        settings.routes += [trusting, barred]
        change(&settings)
        return TestPolicy.snapshot(settings)
    }

    @Test(
        "the roles of the scope count everywhere, all others where a route trusts the client", arguments: [false, true])
    func roles(_ virtual: Bool) {
        let (snapshot, cache) = (Self.snapshot(), VerifiedTokenCache(capacity: 8))
        func outcome(_ path: String, _ token: String) -> DecisionOutcome {
            decide(TestRequest("GET", path, [bearer(token)]), snapshot, cache: cache)
        }
        let subject = virtual ? "guest" : "joe"
        let (none, some) = (
            Self.token(subject, virtual: virtual), Self.token(subject, roles: ["Manager"], virtual: virtual)
        )
        // Each also from the cache, after a route of the other kind.
        for _ in 0..<2 {
            #expect(outcome("/inventory/items", none) == .denied(.roleRequired))
            #expect(outcome("/trusting", none) == .allowed(subject))
            #expect(outcome("/inventory/items", some) == .allowed(subject))
            #expect(outcome("/inventory/me", none) == .allowed(subject))
            #expect(outcome("/barred", none) == .denied(.roleRequired), "a role that bars its user")
        }
        let nobody = Self.token(subject, held: [], virtual: virtual)
        #expect(outcome("/trusting", nobody) == .denied(.roleRequired))
        #expect(outcome("/barred", nobody) == .allowed(subject))
        // A token cannot have a role that its user lacks.
        #expect(
            outcome("/inventory/items", Self.token(subject, roles: ["Manager"], held: [], virtual: virtual))
                == .denied(.roleRequired))
    }

    @Test("with live roles the token is limited as well")
    func liveRoles() {
        let snapshot = Self.snapshot { $0.liveRoles = true }
        func outcome(_ path: String, _ token: String) -> DecisionOutcome {
            decide(TestRequest("GET", path, [bearer(token)]), snapshot)
        }
        #expect(outcome("/inventory/items", Self.token()) == .denied(.roleRequired))
        #expect(outcome("/trusting", Self.token(held: [])) == .allowed("joe"))
        #expect(outcome("/inventory/items", Self.token(roles: ["Manager"], held: [])) == .allowed("joe"))
        #expect(outcome("/inventory/items", Self.token("bob", roles: ["Manager"])) == .denied(.roleRequired))
    }
}
