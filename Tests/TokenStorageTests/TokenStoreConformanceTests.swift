import TestSupport
import Testing
import TokenStorage

/// What every store does, with any place for its records.
@Suite struct TokenStoreConformanceTests {
    // MARK: Slots

    @Test("a slot's living pair is given again (AOM-06, Y01)", arguments: StoreUnderTest.allCases)
    func claimAnswersTheLivingPair(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store async throws in
            let first = record("a", slot: "s")
            #expect(try await store.ask(.claim(first)) == .record(first))
            #expect(try await store.ask(.claim(record("b", slot: "s")), now: 1999) == .record(first))
            #expect(try await store.ask(.find(.id("b"))) == .record(nil))
            let other = record("c", slot: "t")
            #expect(try await store.ask(.claim(other)) == .record(other))
            #expect(try await store.denied().isEmpty)
        }
    }

    @Test(
        "a new pair replaces the slot's earlier one, its refresh token included (AOM-06, Y03)",
        arguments: StoreUnderTest.allCases)
    func claimReplacesTheEndedPair(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            _ = try await store.ask(.claim(record("a", slot: "s", access: 2000)))
            let second = record("b", slot: "s", access: 5000)
            #expect(try await store.ask(.claim(second), now: 2000) == .record(second))
            #expect(try await store.ask(.find(.refresh(digest("refresh a")))) == .record(nil))
            #expect(try await store.ask(.find(.id("a"))) == .record(nil))
            // Its access token had ended by itself.
            #expect(try await store.denied().isEmpty)
        }
    }

    @Test("records without a slot do not meet", arguments: StoreUnderTest.allCases)
    func claimWithoutASlotInserts(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store async throws in
            for id in ["a", "b"] {
                #expect(try await store.ask(.claim(record(id))) == .record(record(id)))
            }
            #expect(try await store.records().count == 2)
        }
    }

    @Test("50 concurrent first requests give one pair (AOM-06)", arguments: StoreUnderTest.allCases)
    func concurrentClaimsGiveOnePair(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let given = try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
                for i in 0..<50 { group.addTask { try await store.ask(.claim(record("id \(i)", slot: "s"))) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(given.count == 50)
            #expect(given.allSatisfy { $0 == given[0] })
            #expect(try await store.records().count == 1)
        }
    }

    @Test("names that merely look alike are two slots", arguments: StoreUnderTest.allCases)
    func slotsAreComparedByBytes(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store async throws in
            for (id, slot) in [("a", "caf\u{E9}"), ("b", "cafe\u{301}"), ("c", "Caf\u{E9}"), ("d", "caf\u{E9}\0")] {
                let made = record(id, slot: slot, subject: slot)
                #expect(try await store.ask(.claim(made)) == .record(made))
                #expect(try await store.ask(.list(application: nil, subject: slot, limit: 9)) == .records([made]))
            }
        }
    }

    @Test("replace takes the slot from a living pair and denies it (AOM-18)", arguments: StoreUnderTest.allCases)
    func replaceTakesTheSlot(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            _ = try await store.ask(.claim(record("a", slot: "s")))
            let second = record("b", slot: "s")
            #expect(try await store.ask(.replace(second)) == .record(second))
            #expect(try await store.records() == [second])
            #expect(try await store.denied() == [.token("token of a", subject: "joe", until: 2000)])
        }
    }

    @Test("a value in use by another user is a conflict (AOM-18)", arguments: StoreUnderTest.allCases)
    func replaceConflicts(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", slot: "s")
            _ = try await store.ask(.claim(first))
            var second = record("b", slot: "t", subject: "ann", access: 9000)
            second.accessDigest = first.accessDigest
            #expect(try await store.ask(.replace(second)) == .conflict)
            #expect(try await store.ask(.claim(second)) == .conflict)
            second.slot = ""
            #expect(try await store.ask(.insert(second)) == .conflict)
            #expect(try await store.records() == [first])
            // Not once it has ended.
            #expect(try await store.ask(.insert(second), now: 2000) == .record(second))
            #expect(try await store.records() == [second])

            var third = record("c")
            third.refreshDigest = second.refreshDigest
            #expect(try await store.ask(.insert(third), now: 99_999) == .conflict)
            third = record("c")
            third.tokenID = second.tokenID
            #expect(try await store.ask(.insert(third)) == .conflict)
        }
    }

    @Test("the same token set again goes on", arguments: StoreUnderTest.allCases)
    func replaceByTheSameToken(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let first = record("a", slot: "s")
            _ = try await store.ask(.replace(first))
            var again = first
            again.accessExpiresAt = 9000
            #expect(try await store.ask(.replace(again)) == .record(again))
            #expect(try await store.records() == [again])
            #expect(try await store.denied().isEmpty)
        }
    }

    // MARK: Finding

    @Test("what was put in comes out by every key", arguments: StoreUnderTest.allCases)
    func find(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store async throws in
            let full = record("a", slot: "sl\u{0}ot")
            var bare = TokenRecord(
                id: "b", kind: .refresh, application: "", subject: "", tokenID: "", accessExpiresAt: 0, issuedAt: -5)
            bare.attributes = []
            var opaque = record("c", refresh: nil)
            opaque.kind = .opaque
            opaque.sealed = Array(0...255) + Array(repeating: 7, count: 100_000)
            opaque.scope = "Gr\u{FC}\u{DF}e \u{1F600}"
            for record in [full, bare, opaque] {
                #expect(try await store.ask(.insert(record)) == .record(record))
                #expect(try await store.ask(.find(.id(record.id)), now: 99_999) == .record(record))
            }
            #expect(try await store.ask(.find(.access(digest("access a")))) == .record(full))
            #expect(try await store.ask(.find(.refresh(digest("refresh a")))) == .record(full))
            #expect(try await store.ask(.find(.tokenID("token of c"))) == .record(opaque))
            for key: TokenKey in [
                .access(digest("refresh a")), .refresh(digest("access a")), .id(""), .id("A"), .tokenID(""),
                .access([]),
            ] {
                #expect(try await store.ask(.find(key)) == .record(nil), "\(key)")
            }
        }
    }

    @Test("a list is filtered, bounded and in order", arguments: StoreUnderTest.allCases)
    func list(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let a = record("a", application: "shop", subject: "joe", issuedAt: 1)
            let b = record("b", application: "bank", subject: "joe", issuedAt: 3)
            let c = record("c", application: "shop", subject: "ann", issuedAt: 2)
            for record in [a, b, c] { _ = try await store.ask(.insert(record)) }
            func list(_ application: String?, _ subject: String?, _ limit: Int) async throws -> StoreAnswer {
                try await store.ask(.list(application: application, subject: subject, limit: limit))
            }
            #expect(try await list(nil, nil, 9) == .records([b, c, a]))
            #expect(try await list(nil, nil, 2) == .records([b, c]))
            #expect(try await list("shop", nil, 9) == .records([c, a]))
            #expect(try await list(nil, "joe", 9) == .records([b, a]))
            #expect(try await list("shop", "joe", 9) == .records([a]))
            #expect(try await list("shop", "Joe", 9) == .records([]))
        }
    }

    // MARK: Uses

    @Test("the latest use of a record is kept, and of none that is gone (OMS-09)", arguments: StoreUnderTest.allCases)
    func touch(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let store = try place.open()
            for id in ["a", "b", "c"] { _ = try await store.ask(.insert(record(id))) }
            let uses = [("a", 1100), ("b", 1200), ("x", 1300)].map { TokenUse(id: $0.0, usedAt: $0.1) }
            #expect(try await store.ask(.touch(uses)) == .touched(2))
            #expect(try await store.ask(.touch([TokenUse(id: "a", usedAt: 1050)])) == .touched(1))
            #expect(try await store.ask(.touch([])) == .touched(0))
            let used = try await store.records().sorted { $0.id < $1.id }.map(\.lastUsedAt)
            #expect(used == [1100, 1200, 0])
            var made = record("a")
            made.lastUsedAt = 1100
            #expect(try await store.ask(.find(.access(digest("access a")))) == .record(made))
            let again = subject == .memory ? store : try place.open()
            #expect(try await again.ask(.find(.id("a"))) == .record(made))
        }
    }

    @Test("the end of an access token is put off, and no ended record comes back", arguments: StoreUnderTest.allCases)
    func extend(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let store = try place.open()
            for id in ["a", "b"] { _ = try await store.ask(.insert(record(id, access: 1100, refresh: nil))) }
            _ = try await store.ask(.revoke(.id("b")))
            for (until, ends) in [(1300, 1300), (1200, 1300), (0, 1300)] as [(Int64, Int64)] {
                let uses = ["a", "b"].map { TokenUse(id: $0, usedAt: 0, accessUntil: until) }
                #expect(try await store.ask(.touch(uses)) == .touched(1))
                #expect(try await store.records().map(\.accessExpiresAt) == [ends])
            }
            // Neither cleaned away before its new end, nor kept after it.
            #expect(try await store.ask(.clean(limit: 10), now: 1299) == .cleaned(0))
            #expect(try await store.ask(.find(.access(digest("access a"))), now: 1299) != .record(nil))
            #expect(try await store.ask(.clean(limit: 10), now: 1301) == .cleaned(1))
        }
    }

    // MARK: Cleaning

    @Test("only what has ended altogether is cleaned away (AOM-23, Y13)", arguments: StoreUnderTest.allCases)
    func clean(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            for i in 0..<5 { _ = try await store.ask(.insert(record("old \(i)", access: 1100, refresh: 1200))) }
            let refreshable = record("r", access: 1100, refresh: 1201)
            let single = record("n", access: 1201, refresh: nil)
            for record in [refreshable, single] { _ = try await store.ask(.insert(record)) }
            let short = try await store.ask(.deny(.token("x", until: 1200)))
            let long = DenyEntry.subject("joe", issuedBefore: 1000, until: 1201)
            let last = try await store.ask(.deny(long))
            #expect(short == .denied(sequence: 1) && last == .denied(sequence: 2))
            _ = try await store.ask(.remember(key: "k", until: 1200))

            #expect(try await store.ask(.clean(limit: 100), now: 1199) == .cleaned(0))
            #expect(try await store.ask(.clean(limit: 3), now: 1200) == .cleaned(3, isDone: false))
            #expect(try await store.ask(.clean(limit: 3), now: 1200) == .cleaned(2))
            #expect(Set(try await store.records().map(\.id)) == ["r", "n"])
            #expect(try await store.denied() == [long])
            #expect(try await store.ask(.clean(limit: 3), now: 1201) == .cleaned(2))
            // Places are not given out twice, though no entry is left.
            #expect(try await store.ask(.changes(after: 0, limit: 9)) == .changes([], latest: 2))
            #expect(try await store.ask(.deny(long)) == .denied(sequence: 3))
        }
    }

    @Test("cleaning is not done while more of anything has ended", arguments: StoreUnderTest.allCases)
    func cleanUntilDone(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            for i in 0..<5 { _ = try await store.ask(.deny(.token("\(i)", until: 1200))) }
            #expect(try await store.ask(.clean(limit: 3), now: 1200) == .cleaned(0, isDone: false))
            #expect(try await store.ask(.clean(limit: 3), now: 1200) == .cleaned(0))
            #expect(try await store.denied().isEmpty)
        }
    }

    @Test(
        "AOM-23: a run of the cleaner leaves nothing that has ended, of whichever kind",
        arguments: StoreUnderTest.allCases)
    func cleaner(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            for i in 0..<510 { _ = try await store.ask(.deny(.token("\(i)", until: 1200))) }
            let cleaner = TokenCleaner { work in work() }
            cleaner.use(store, minuteOfDay: nil)
            let count = try await withCheckedContinuation { (continuation: CheckedContinuation<_, Never>) in
                cleaner.run(now: 1200) { continuation.resume(returning: $0) }
            }.get()
            #expect(count == 0)
            #expect(try await store.denied().isEmpty)
            #expect(try await store.ask(.clean(limit: 1), now: 1200) == .cleaned(0))
        }
    }
}
