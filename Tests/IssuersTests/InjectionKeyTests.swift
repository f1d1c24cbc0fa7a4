import Identity
import Issuers
import Testing

@Suite struct InjectionKeyTests {
    /// CACHE-03 and the rule on cache scope: one fact differs, the key differs.
    private static let different: [InjectionKey] = {
        let target = Callers.target()
        func key(_ principal: Principal, _ target: InjectionTarget = target) -> InjectionKey {
            InjectionKey(principal: principal, target: target)
        }
        return [
            key(Callers.principal()),
            key(Callers.principal("ann")),
            key(Callers.principal().with(key: Callers.principal("app", kind: .client, issuer: "consumers"))),
            key(Callers.principal().with(key: Callers.principal("shop", kind: .client, issuer: "consumers"))),
            key(Callers.principal(kind: .client)),
            key(Callers.principal(kind: .anonymous)),
            key(Callers.principal(issuer: "partner")),
            key(Callers.principal(client: "mbe-sch-1")),
            key(Callers.principal(client: nil)),
            key(Callers.principal(level: 3)),
            key(Callers.principal(virtual: true)),
            key(Callers.principal(roles: ["Manager"])),
            key(Callers.principal(roles: ["Manager", "Clerk"])),
            key(Callers.principal(roles: ["a,b"])),
            key(Callers.principal(roles: ["a", "b"])),
            key(Callers.principal(), Callers.target("HighWG")),
            key(Callers.principal(), Callers.target("")),
            key(Callers.principal(), Callers.target("InventoryWG", DummyIssuer(configurationID: "dummy:2"))),
            // Fields that run together, and names that are only canonically equal.
            key(Callers.principal("joem", client: "be-inv-1")),
            key(Callers.principal("joe", client: "mbe-inv-1InventoryWG"), Callers.target("")),
            key(Callers.principal("K")), key(Callers.principal("\u{212A}")),
            key(Callers.principal(issuer: "K")), key(Callers.principal(issuer: "\u{212A}")),
        ]
    }()

    @Test("keys that differ in any field are different")
    func everyFactCounts() {
        for (i, left) in Self.different.enumerated() {
            for (j, right) in Self.different.enumerated() {
                #expect((left == right) == (i == j), "\(i) and \(j)")
            }
        }
        #expect(Set(Self.different).count == Self.different.count)
    }

    @Test("another token of the caller or route of the webgate has the same key")
    func sameFactsInOtherObjectsAreTheSameKey() {
        let catalogue = RoleCatalogue(["Clerk", "b", "Manager"])
        let left = InjectionKey(principal: Callers.principal(roles: ["Manager"]), target: Callers.target())
        let right = InjectionKey(
            principal: Callers.principal(roles: ["Manager"], catalogue: catalogue), target: Callers.target())
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test("ISS-08: the caller's token is part of the key only if the issuer depends on it")
    func credentialCountsWhereTheIssuerSaysSo() {
        for (depends, isSame) in [(false, true), (true, false)] {
            let target = Callers.target("WG", DummyIssuer(dependsOnCredential: depends))
            let left = InjectionKey(principal: Callers.principal(token: "a"), target: target)
            let right = InjectionKey(principal: Callers.principal(token: "b"), target: target)
            let again = InjectionKey(principal: Callers.principal(token: "a"), target: target)
            #expect((left == right) == isSame)
            #expect(left == again)
            #expect(left.hashValue == again.hashValue)
            #expect(Set([left, right, again]).count == (isSame ? 1 : 2))
        }
    }

    @Test("roles of different catalogues are compared by name, not by bit")
    func rolesOfAnotherCatalogueAreComparedByName() {
        let old = RoleCatalogue(["Manager", "Clerk"])
        let new = RoleCatalogue(["Clerk", "Manager"])
        let left = InjectionKey(
            principal: Callers.principal(roles: ["Manager"], catalogue: old), target: Callers.target())
        let right = InjectionKey(
            principal: Callers.principal(roles: ["Clerk"], catalogue: new), target: Callers.target())
        #expect(left.principal.roles == right.principal.roles)
        #expect(left != right)
    }
}
