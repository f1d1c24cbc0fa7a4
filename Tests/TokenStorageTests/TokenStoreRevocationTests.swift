import TestSupport
import Testing
import TokenStorage

/// Rotation, revocation, the deny list and what is used once, in every store.
@Suite struct TokenStoreRevocationTests {
    private func rotate(
        _ store: any TokenStore, _ name: String, to next: TokenRecord, application: String = "shop",
        reuse: ReuseRule = .detected(), now: Int64 = 1500
    ) async throws -> StoreAnswer {
        try await store.ask(
            .rotate(
                refresh: digest("refresh \(name)"), application: application, proposed: next,
                reuse: reuse), now: now)
    }

    // MARK: Rotation

    @Test("a refresh replaces both tokens (AOM-13, Y06)", arguments: StoreUnderTest.allCases)
    func rotation(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", slot: "s")
            _ = try await store.ask(.claim(first))
            let second = successor(of: first, "a2")
            #expect(try await rotate(store, "a", to: second) == .rotated(first))
            #expect(try await store.records() == [second])
            #expect(try await store.denied() == [.token("token of a", subject: "joe", until: 2000)])
            #expect(try await store.ask(.claim(record("b", slot: "s")), now: 1600) == .record(second))
        }
    }

    @Test(
        "a refresh after the end of the access token denies nothing (AOM-14, Y07)", arguments: StoreUnderTest.allCases)
    func lateRotation(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", slot: "s", access: 1200)
            _ = try await store.ask(.claim(first))
            let second = successor(of: first, "a2")
            #expect(try await rotate(store, "a", to: second, reuse: .ignored) == .rotated(first))
            #expect(try await store.denied().isEmpty)
            // The used one is of no use (AMB-25).
            #expect(try await rotate(store, "a", to: successor(of: first, "a3"), reuse: .ignored) == .record(nil))
            #expect(try await store.records() == [second])
        }
    }

    @Test(
        "a refresh token is refused that is unknown, ended or another's (AOM-12, Y08)",
        arguments: StoreUnderTest.allCases)
    func refusedRotations(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", slot: "s", refresh: 3000)
            _ = try await store.ask(.claim(first))
            let second = successor(of: first, "a2")
            #expect(try await rotate(store, "b", to: second) == .record(nil))
            #expect(try await rotate(store, "a", to: second, application: "bank") == .record(nil))
            #expect(try await rotate(store, "a", to: second, application: "Shop") == .record(nil))
            #expect(try await rotate(store, "a", to: second, now: 3000) == .record(nil))
            var stranger = second
            stranger.id = "z"
            #expect(try await rotate(store, "a", to: stranger) == .record(nil))
            stranger = second
            stranger.slot = "t"
            #expect(try await rotate(store, "a", to: stranger) == .record(nil))
            // AOM-17: an access token is no refresh token.
            let byAccess = StoreOperation.rotate(
                refresh: digest("access a"), application: "shop", proposed: second, reuse: .detected())
            #expect(try await store.ask(byAccess) == .record(nil))
            #expect(try await store.records() == [first])
            #expect(try await rotate(store, "a", to: second, now: 2999) == .rotated(first))
        }
    }

    @Test("of parallel refreshes with one token exactly one succeeds (AOM-13)", arguments: StoreUnderTest.allCases)
    func parallelRotations(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", slot: "s")
            _ = try await store.ask(.claim(first))
            let answers = try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
                for i in 0..<20 {
                    group.addTask {
                        try await rotate(store, "a", to: successor(of: first, "n\(i)"), reuse: .ignored)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 == .rotated(first) }.count == 1)
            #expect(answers.filter { $0 == .record(nil) }.count == 19)
            #expect(try await store.records().count == 1)
        }
    }

    @Test(
        "within its grace a refresh token may come again for an answer that was lost",
        arguments: StoreUnderTest.allCases)
    func grace(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", access: 9000, refresh: 9000)
            _ = try await store.ask(.insert(first))
            let (second, third) = (successor(of: first, "a2"), successor(of: first, "a3"))
            let grace = ReuseRule.detected(graceSeconds: 10)
            #expect(try await store.ask(.successor(of: digest("refresh a"))) == .record(nil))
            #expect(try await rotate(store, "a", to: second, reuse: grace) == .rotated(first))
            #expect(try await store.ask(.successor(of: digest("refresh a")), now: 1509) == .record(second))
            #expect(try await rotate(store, "a", to: third, application: "bank", reuse: grace) == .record(nil))
            // The grace is that of the first use, not what the second asks for.
            #expect(try await rotate(store, "a", to: third, now: 1509) == .record(second))
            #expect(try await store.records() == [second])
            #expect(try await store.denied().map(\.name) == ["token of a"])
            #expect(try await store.ask(.successor(of: digest("refresh a")), now: 1510) == .record(nil))
            #expect(try await rotate(store, "a", to: third, reuse: grace, now: 1510) == .reused(family: "a"))
            #expect(try await store.records().isEmpty)
        }
    }

    @Test("a grace is over once the successor is used", arguments: StoreUnderTest.allCases)
    func endOfGrace(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let grace = ReuseRule.detected(graceSeconds: 100)
            let first = record("a", access: 9000, refresh: 9000)
            _ = try await store.ask(.insert(first))
            _ = try await rotate(store, "a", to: successor(of: first, "a2"), reuse: grace)
            #expect(
                try await rotate(store, "a2", to: successor(of: first, "a3"), reuse: grace)
                    == .rotated(successor(of: first, "a2")))
            #expect(try await store.ask(.successor(of: digest("refresh a"))) == .record(nil))
            #expect(
                try await rotate(store, "a", to: successor(of: first, "a4"), reuse: grace) == .reused(family: "a"))
            #expect(try await store.records().isEmpty)
        }
    }

    @Test("a refresh token used twice ends its family (RFC 9700 section 4.14.2)", arguments: StoreUnderTest.allCases)
    func reuse(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a")
            _ = try await store.ask(.insert(first))
            let second = successor(of: first, "a2")
            let third = successor(of: first, "a3")
            _ = try await rotate(store, "a", to: second)
            _ = try await rotate(store, "a2", to: third)
            let fourth = successor(of: first, "a4")
            #expect(try await rotate(store, "a", to: fourth, application: "bank") == .record(nil))
            #expect(try await rotate(store, "a", to: fourth, now: 3000) == .record(nil))
            #expect(try await store.records() == [third])
            #expect(try await rotate(store, "a", to: fourth) == .reused(family: "a"))
            #expect(try await store.records().isEmpty)
            #expect(try await store.denied().map(\.name) == ["token of a", "token of a2", "token of a3"])
            #expect(try await rotate(store, "a3", to: fourth) == .record(nil))
            #expect(try await rotate(store, "a2", to: fourth) == .reused(family: "a"))
            _ = try await store.ask(.clean(limit: 10), now: 3000)
            #expect(try await rotate(store, "a2", to: fourth, now: 2999) == .record(nil))
        }
    }

    // MARK: Revocation

    @Test("what is revoked is gone, and denied if it lived (AOM-21, AOM-22, Y10)", arguments: StoreUnderTest.allCases)
    func revocation(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let store = try place.open()
            let selectors: [(TokenSelector, Set<String>)] = [
                (.access(digest("access a")), ["a"]), (.refresh(digest("refresh a")), ["a"]), (.id("b"), ["b"]),
                (.tokenID("token of c"), ["c"]), (.subject(application: "shop", subject: "joe"), ["a"]),
                (.subject(application: nil, subject: "joe"), ["a", "b", "e"]), (.application("shop"), ["a", "c"]),
                (.id("z"), []), (.subject(application: nil, subject: "Joe"), []), (.application(""), []),
            ]
            var place: Int64 = 0
            for (selector, expected) in selectors {
                let all = [
                    record("a"), record("b", application: "bank"), record("c", subject: "ann"),
                    record("e", application: "bank", access: 1100),
                ]
                for record in all { _ = try await store.ask(.insert(record), now: 1200) }
                guard case .changes(_, let before) = try await store.ask(.changes(after: 0, limit: 0)) else { return }
                place = before
                guard case .removed(let gone) = try await store.ask(.revoke(selector), now: 1200) else {
                    Issue.record("\(selector)")
                    continue
                }
                #expect(Set(gone.map(\.id)) == expected, "\(selector)")
                #expect(gone.allSatisfy { record in all.contains(record) })
                guard case .changes(let changes, _) = try await store.ask(.changes(after: place, limit: 99)) else {
                    return
                }
                // The access token of "e" had ended by itself.
                #expect(Set(changes.map(\.entry.name)) == Set(expected.subtracting(["e"]).map { "token of \($0)" }))
                #expect(changes.allSatisfy { $0.entry.kind == .token && $0.entry.until == 2000 })
                #expect(Set(try await store.records().map(\.id)) == Set(all.map(\.id)).subtracting(expected))
                _ = try await store.ask(.revoke(.application("shop")))
                _ = try await store.ask(.revoke(.application("bank")))
            }
        }
    }

    @Test("entries come in order, behind a place, up to a limit", arguments: StoreUnderTest.allCases)
    func changes(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store async throws in
            #expect(try await store.ask(.changes(after: 0, limit: 9)) == .changes([], latest: 0))
            let entries: [DenyEntry] = [
                .token("t", subject: "joe", until: 2000), .subject("jo\u{EB}", issuedBefore: 5, until: 6),
                .client("mbe", issuedBefore: 1000, until: .max), .issuer("local", issuedBefore: -1, until: 2000),
                .token("t", until: 2500),
            ]
            for (index, entry) in entries.enumerated() {
                #expect(try await store.ask(.deny(entry)) == .denied(sequence: Int64(index + 1)))
            }
            let all = entries.enumerated().map { DenyChange(sequence: Int64($0.offset + 1), entry: $0.element) }
            #expect(try await store.ask(.changes(after: 0, limit: 9)) == .changes(all, latest: 5))
            #expect(try await store.ask(.changes(after: 0, limit: 2)) == .changes(Array(all[..<2]), latest: 5))
            #expect(try await store.ask(.changes(after: 2, limit: 2)) == .changes(Array(all[2..<4]), latest: 5))
            #expect(try await store.ask(.changes(after: 5, limit: 2)) == .changes([], latest: 5))
            #expect(try await store.ask(.changes(after: 99, limit: 2)) == .changes([], latest: 5))
        }
    }

    @Test("a single-use key is fresh once, until its time has passed", arguments: StoreUnderTest.allCases)
    func singleUse(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            #expect(try await store.ask(.remember(key: "k", until: 1100)) == .fresh(true))
            #expect(try await store.ask(.remember(key: "k", until: 9000), now: 1099) == .fresh(false))
            #expect(try await store.ask(.remember(key: "K", until: 1100), now: 1099) == .fresh(true))
            #expect(try await store.ask(.remember(key: "k", until: 1200), now: 1100) == .fresh(true))
            #expect(try await store.ask(.remember(key: "k", until: 1200), now: 1199) == .fresh(false))
            let answers = try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
                for _ in 0..<50 { group.addTask { try await store.ask(.remember(key: "jti", until: 2000)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 == .fresh(true) }.count == 1)
        }
    }
}
