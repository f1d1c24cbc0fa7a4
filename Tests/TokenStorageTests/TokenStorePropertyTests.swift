import Synchronization
import TestSupport
import Testing
import TokenStorage

/// What holds after any sequence of operations, and while many run at a time.
@Suite struct TokenStorePropertyTests {
    private static let slots = ["", "s1", "s2", "s3"]
    private static let subjects = ["joe", "ann"]
    private static let applications = ["shop", "bank"]

    /// One operation out of few names, so that they meet often. Its records have tokens that no other has.
    private static func operation(
        _ random: inout SeededRandom, _ number: Int, known: [TokenRecord], now: Int64
    ) -> StoreOperation {
        func fresh(_ random: inout SeededRandom) -> TokenRecord {
            record(
                "r\(number)", slot: slots.randomElement(using: &random) ?? "",
                application: applications.randomElement(using: &random) ?? "",
                subject: subjects.randomElement(using: &random) ?? "",
                access: now + Int64.random(in: 1...6, using: &random),
                refresh: now + Int64.random(in: 1...12, using: &random), issuedAt: now)
        }
        let old = known.randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), old) {
        case (0...2, _), (_, nil): return .claim(fresh(&random))
        case (3, _): return .replace(fresh(&random))
        case (4...6, let old?):
            return .rotate(
                refresh: old.refreshDigest ?? [], application: old.application,
                proposed: successor(of: old, "n\(number)", issuedAt: now),
                reuse: [.ignored, .detected(), .detected(graceSeconds: 2)].randomElement(using: &random) ?? .ignored)
        case (7, let old?): return .revoke(.id(old.id))
        case (8, let old?) where Int.random(in: 0..<4, using: &random) == 0:
            return .revoke(.subject(application: old.application, subject: old.subject))
        case (8, _): return .clean(limit: 3)
        case (9, let old?) where Bool.random(using: &random):
            return .touch([TokenUse(id: old.id, usedAt: now + Int64.random(in: -3...3, using: &random))])
        case (_, let old?): return .find(.tokenID(old.tokenID))
        }
    }

    /// Every access token that was acknowledged is recorded, or denied, or has ended by itself; and no slot has two.
    private static func check(_ store: any TokenStore, issued: [TokenRecord], now: Int64) async throws {
        let records = try await store.records()
        let taken = records.map(\.slot).filter { !$0.isEmpty }
        #expect(taken.count == Set(taken).count, "a slot has two pairs")
        let recorded = Set(records.map(\.tokenID))
        let denied = Set(try await store.denied().map(\.name))
        #expect(recorded.isDisjoint(with: denied), "a living token is denied")
        for record in issued where record.accessLives(at: now) {
            #expect(recorded.contains(record.tokenID) || denied.contains(record.tokenID), "\(record.tokenID) is lost")
        }
    }

    /// What an answer says to have been put in.
    private static func issued(_ operation: StoreOperation, _ answer: StoreAnswer) -> TokenRecord? {
        switch (operation, answer) {
        case (.claim(let proposed), .record(let given)), (.replace(let proposed), .record(let given)):
            given == proposed ? given : nil
        case (.rotate(_, _, let proposed, _), .rotated): proposed
        default: nil
        }
    }

    @Test(arguments: StoreUnderTest.allCases, [1, 2, 3] as [UInt64])
    func anySequenceKeepsTheRules(_ subject: StoreUnderTest, _ seed: UInt64) async throws {
        try await subject.withStore { store in
            var random = SeededRandom(seed: seed)
            var issued: [TokenRecord] = []
            for number in 0..<400 {
                let now = 1000 + Int64(number / 20)
                let operation = Self.operation(&random, number, known: issued.suffix(20), now: now)
                let answer = try await store.ask(operation, now: now)
                if let record = Self.issued(operation, answer) { issued.append(record) }
                if number % 20 == 19 { try await Self.check(store, issued: issued, now: now) }
            }
            #expect(issued.count > 50)
        }
    }

    /// Memory is the simplest of them: the others answer as it does.
    @Test(arguments: StoreUnderTest.shared, [4, 5, 6] as [UInt64])
    func allStoresAnswerAlike(_ subject: StoreUnderTest, _ seed: UInt64) async throws {
        try await subject.withStore { store in
            let model = MemoryTokenStore()
            var random = SeededRandom(seed: seed)
            var issued: [TokenRecord] = []
            for number in 0..<600 {
                let now = 1000 + Int64(number / 20)
                let operation = Self.operation(&random, number, known: issued.suffix(20), now: now)
                // Which of the ended records go first is not specified.
                if case .clean = operation { continue }
                let answer = try await model.ask(operation, now: now)
                if let record = Self.issued(operation, answer) { issued.append(record) }
                if case .removed(let expected) = answer,
                    case .removed(let found) = try await store.ask(operation, now: now)
                {
                    #expect(Set(found.map(\.id)) == Set(expected.map(\.id)), "operation \(number)")
                } else {
                    #expect(try await store.ask(operation, now: now) == answer, "operation \(number): \(operation)")
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func concurrentOperationsKeepTheRules(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let stores = subject == .memory ? [try place.open()] : [try place.open(), try place.open()]
            let now: Int64 = 1000
            let issued = try await withThrowingTaskGroup(of: [TokenRecord].self) { group in
                for task in 0..<16 {
                    group.addTask {
                        var random = SeededRandom(seed: UInt64(task))
                        var issued: [TokenRecord] = []
                        for number in 0..<40 {
                            let operation = Self.operation(
                                &random, task * 1000 + number, known: issued.suffix(5), now: now)
                            let answer = try await stores[task % stores.count].ask(operation, now: now)
                            if let record = Self.issued(operation, answer) { issued.append(record) }
                        }
                        return issued
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try await Self.check(stores[0], issued: issued, now: now)
        }
    }

    @Test("what was acknowledged is there when the store is opened next", arguments: StoreUnderTest.shared)
    func contentsOutliveTheStore(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let kept = record("a", slot: "s")
            do {
                let store = try place.open()
                _ = try await store.ask(.claim(kept))
                _ = try await store.ask(.deny(.token("x", until: 2000)))
                _ = try await store.ask(.remember(key: "k", until: 2000))
            }
            let store = try place.open()
            #expect(try await store.ask(.claim(record("b", slot: "s"))) == .record(kept))
            #expect(try await store.denied() == [.token("x", until: 2000)])
            #expect(try await store.ask(.remember(key: "k", until: 2000)) == .fresh(false))
        }
    }

    @Test("two processes that share a store give one pair", arguments: StoreUnderTest.shared)
    func claimsOfTwoProcesses(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let stores = [try place.open(), try place.open()]
            let given = try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
                for i in 0..<50 {
                    group.addTask { try await stores[i % 2].ask(.claim(record("id \(i)", slot: "s"))) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(given.allSatisfy { $0 == given[0] })
            _ = try await stores[0].ask(.revoke(.application("shop")))
            #expect(try await stores[1].denied().count == 1)
        }
    }
}
