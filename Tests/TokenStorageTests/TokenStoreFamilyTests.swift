import Model
import TestSupport
import Testing
import TokenStorage

/// A refresh token that was exchanged still names its login, in every store (RFC 7009 section 2.1).
@Suite struct TokenStoreFamilyTests {
    private func rotation(_ name: String, to next: TokenRecord) -> StoreOperation {
        .rotate(
            refresh: digest("refresh \(name)"), application: "shop", proposed: next,
            reuse: .detected(graceSeconds: 10))
    }

    @Test("every token of a family finds its record, until it would have ended", arguments: StoreUnderTest.allCases)
    func families(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", refresh: 3000)
            var third = successor(of: first, "a3")
            third.refreshExpiresAt = 9000
            _ = try await store.ask(.insert(first))
            _ = try await store.ask(rotation("a", to: successor(of: first, "a2")))
            _ = try await store.ask(rotation("a2", to: third))
            for name in ["a", "a2", "a3"] {
                #expect(try await store.ask(.find(.family(ofRefresh: digest("refresh \(name)")))) == .record(third))
            }
            #expect(try await store.ask(.find(.family(ofRefresh: digest("refresh b")))) == .record(nil))
            #expect(try await store.ask(.find(.family(ofRefresh: digest("access a3")))) == .record(nil))
            _ = try await store.ask(.clean(limit: 10), now: 3000)
            #expect(try await store.ask(.find(.family(ofRefresh: digest("refresh a")))) == .record(nil))
            #expect(try await store.ask(.find(.family(ofRefresh: digest("refresh a3")))) == .record(third))
        }
    }

    @Test("an exchanged token revokes its family in one step", arguments: StoreUnderTest.allCases)
    func revocation(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a")
            let second = successor(of: first, "a2")
            _ = try await store.ask(.insert(first))
            _ = try await store.ask(rotation("a", to: second))
            let revocation = StoreOperation.revoke(.one(.family(ofRefresh: digest("refresh a"))))
            #expect(try await store.ask(revocation) == .removed([second]))
            #expect(try await store.denied().map(\.name) == ["token of a", "token of a2"])
            #expect(try await store.ask(revocation) == .removed([]))
        }
    }

    /// What the revocation endpoint does while the same token is exchanged: nothing of the login is left.
    @Test("a revocation that races a refresh leaves nothing, 500 times", arguments: StoreUnderTest.allCases)
    func races(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let stores = subject == .memory ? [try place.open()] : [try place.open(), try place.open()]
            var exchanged = 0
            for round in 0..<500 {
                let first = record("a\(round)")
                let second = successor(of: first, "b\(round)")
                _ = try await stores[0].ask(.insert(first))
                async let refreshed = stores[0].ask(rotation(first.id, to: second))
                async let found = stores[stores.count - 1].ask(
                    .find(.family(ofRefresh: digest("refresh \(first.id)"))))
                if case .record(let record?) = try await found {
                    _ = try await stores[stores.count - 1].ask(.revoke(.id(record.id)))
                }
                if try await refreshed == .rotated(first) { exchanged += 1 }
                #expect(try await stores[0].ask(.find(.id(first.id))) == .record(nil), "round \(round)")
            }
            #expect(exchanged > 0, "no refresh was quicker")
            #expect(Set(try await stores[0].denied().map(\.name)).count == 500 + exchanged)
        }
    }
}
