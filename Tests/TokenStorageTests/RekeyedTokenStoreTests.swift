import Synchronization
import TestSupport
import Testing
import TokenStorage

/// A change of the key of a store: what the former key has made is found, moves to the new one, and is counted until
/// nothing needs the former key.
@Suite struct RekeyedTokenStoreTests {
    private func key(_ bytes: UInt8...) throws -> TokenDigestKey {
        try #require(TokenDigestKey(keys: bytes.map { Array(repeating: $0, count: 32) }))
    }

    private func session(_ id: String, _ token: String, _ key: TokenDigestKey) -> TokenRecord {
        var record = TokenRecord(
            id: id, kind: .session, application: "app", subject: "joe", tokenID: "token \(id)", accessExpiresAt: 5000,
            issuedAt: 1000)
        record.accessDigest = key.digest(token)
        record.sealed = key.seal(Array(token.utf8), id: id)
        return record
    }

    private func refresh(_ id: String, _ token: String, _ key: TokenDigestKey) -> TokenRecord {
        var record = TokenRecord(
            id: id, kind: .refresh, application: "app", subject: "joe", tokenID: "token \(id)", accessExpiresAt: 2000,
            issuedAt: 1000)
        record.refreshDigest = key.digest(token)
        record.refreshExpiresAt = 5000
        return record
    }

    private func pass(_ store: any TokenStore, _ key: TokenDigestKey) async -> StoreRekeying.Record {
        await withCheckedContinuation { done in
            let queue = RekeyingQueue()
            let rekeying = StoreRekeying(later: { queue.submit($0) }, done: { done.resume(returning: $0) })
            rekeying.use(store, key)
            rekeying.tick(now: 1000)
            queue.run()
            withExtendedLifetime(rekeying) {}
        }
    }

    @Test("a former key finds, and the record moves to the key in use", arguments: StoreUnderTest.allCases)
    func find(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both, new) = (try key(1), try key(2, 1), try key(2))
            _ = try await RekeyedTokenStore(raw, key: old).ask(.insert(session("a", "secret", old)))
            let store = RekeyedTokenStore(raw, key: both)
            #expect(try await raw.ask(.find(.access(new.digest("secret")))) == .record(nil))
            guard case .record(let found?) = try await store.ask(.find(.access(both.digest("secret")))) else {
                Issue.record("the former key does not find it")
                return
            }
            #expect(both.open(found.sealed, id: "a") == Array("secret".utf8))
            // The former key may go.
            guard case .record(let moved?) = try await raw.ask(.find(.access(new.digest("secret")))) else {
                Issue.record("the record has not moved")
                return
            }
            #expect(new.open(moved.sealed, id: "a") == Array("secret".utf8))
            #expect(old.open(moved.sealed, id: "a") == nil)
            #expect(try await raw.ask(.find(.access(old.digest("secret")))) == .record(nil))
            #expect(try await store.ask(.revoke(.access(both.digest("secret")))) == .removed([moved]))
            #expect(try await store.ask(.find(.access(both.digest("secret")))) == .record(nil))
        }
    }

    @Test("refresh tokens of a former key rotate, and their reuse is detected", arguments: StoreUnderTest.allCases)
    func rotate(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both) = (try key(1), try key(2, 1))
            _ = try await raw.ask(.insert(refresh("a", "one", old)))
            _ = try await raw.ask(.insert(refresh("b", "other", old)))
            let store = RekeyedTokenStore(raw, key: both)
            func rotate(_ token: String, _ next: TokenRecord) async throws -> StoreAnswer {
                try await store.ask(
                    .rotate(refresh: both.digest(token), application: "app", proposed: next, reuse: .detected()))
            }
            guard case .rotated = try await rotate("one", refresh("a", "two", both)) else {
                Issue.record("it does not rotate")
                return
            }
            let answer = try await store.ask(.find(.family(ofRefresh: both.digest("one"))))
            guard case .record(let family?) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(family.refreshDigest == Array(both.digest("two").prefix(32)))
            #expect(try await rotate("one", refresh("a", "three", both)) == .reused(family: "a"))
            #expect(try await store.ask(.find(.refresh(both.digest("two")))) == .record(nil))
            // The same once it has moved, and for a process that has the former key in front.
            _ = try await store.ask(.find(.refresh(both.digest("other"))))
            guard case .rotated = try await rotate("other", refresh("b", "four", both)) else {
                Issue.record("it does not rotate")
                return
            }
            let others = try key(1, 2)
            let reuse = try await RekeyedTokenStore(raw, key: others).ask(
                .rotate(
                    refresh: others.digest("other"), application: "app", proposed: refresh("b", "five", others),
                    reuse: .detected()))
            #expect(reuse == .reused(family: "b"))
            #expect(try await store.ask(.find(.refresh(both.digest("four")))) == .record(nil))
        }
    }

    @Test("a pass seals anew and counts what needs the former key", arguments: StoreUnderTest.allCases)
    func sweep(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both, new) = (try key(1), try key(2, 1), try key(2))
            let store = RekeyedTokenStore(raw, key: both)
            for i in 0..<300 { _ = try await raw.ask(.insert(session("s\(i)", "secret \(i)", old))) }
            _ = try await raw.ask(.insert(refresh("r", "refresh", old)))
            _ = try await store.ask(.insert(refresh("n", "newer", both)))
            let first = await pass(store, both)
            #expect(first == StoreRekeying.Record(resealed: 300, former: 301))
            let again = await pass(store, both)
            #expect(again == StoreRekeying.Record(resealed: 0, former: 301), "a second pass has nothing to seal")
            for i in 0..<300 {
                guard case .record(let found?) = try await store.ask(.find(.access(both.digest("secret \(i)")))) else {
                    Issue.record("secret \(i) is lost")
                    return
                }
                #expect(new.open(found.sealed, id: found.id) == Array("secret \(i)".utf8))
            }
            _ = try await store.ask(.find(.refresh(both.digest("refresh"))))
            #expect(await pass(store, both) == StoreRekeying.Record(resealed: 0, former: 0))
        }
    }

    @Test("a pass that failed in the middle loses nothing", arguments: StoreUnderTest.allCases)
    func crash(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both) = (try key(1), try key(2, 1))
            for i in 0..<10 { _ = try await raw.ask(.insert(session("s\(i)", "secret \(i)", old))) }
            let failing = FailingStore(raw, after: 4)
            let queue = RekeyingQueue()
            let rekeying = StoreRekeying(later: { queue.submit($0) })
            rekeying.use(RekeyedTokenStore(failing, key: both), both)
            rekeying.tick(now: 1000)
            queue.run { failing.hasFailed }
            #expect(rekeying.former == nil)
            let store = RekeyedTokenStore(raw, key: both)
            #expect(await pass(store, both).former == 10)
            for i in 0..<10 {
                let answer = try await store.ask(.find(.access(both.digest("secret \(i)"))))
                guard case .record(let found?) = answer else {
                    Issue.record("secret \(i) is lost")
                    return
                }
                #expect(both.open(found.sealed, id: found.id) == Array("secret \(i)".utf8))
            }
        }
    }

    @Test("two processes with the keys in the other order understand each other", arguments: StoreUnderTest.allCases)
    func otherOrder(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (one, two) = (try key(1, 2), try key(2, 1))
            let (here, there) = (RekeyedTokenStore(raw, key: one), RekeyedTokenStore(raw, key: two))
            for (i, (store, made)) in [(here, one), (there, two)].enumerated() {
                let (id, token) = ("s\(i)", "secret \(i)")
                _ = try await store.ask(.insert(session(id, token, made)))
                for _ in 0..<3 {
                    for (other, found) in [(there, two), (here, one)] {
                        guard case .record(let record?) = try await other.ask(.find(.access(found.digest(token))))
                        else {
                            Issue.record("\(token) is unknown")
                            return
                        }
                        #expect(found.open(record.sealed, id: id) == Array(token.utf8))
                        // The other record may be under the other key.
                        #expect(await pass(other, found).former <= 1)
                    }
                }
            }
        }
    }

    @Test(
        "with the keys in opposite order records move once, and are sealed once a load",
        arguments: StoreUnderTest.allCases)
    func rest(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (one, two) = (try key(1, 2), try key(2, 1))
            _ = try await raw.ask(.insert(session("a", "secret", key(1))))
            _ = try await raw.ask(.insert(session("b", "unused", key(1))))
            func digest() async throws -> [UInt8]? {
                guard case .record(let record?) = try await raw.ask(.find(.id("a"))) else { return nil }
                return record.accessDigest
            }
            for keys in [two, one, two, one] {
                let store = RekeyedTokenStore(raw, key: keys)
                guard case .record(_?) = try await store.ask(.find(.access(keys.digest("secret")))) else {
                    Issue.record("it is lost")
                    return
                }
                #expect(try await digest() == key(2).digest("secret"))
            }
            let (here, there) = (RekeyingProcess(raw, one), RekeyingProcess(raw, two))
            #expect(there.pass(now: 1000)?.resealed == 1)
            #expect(here.pass(now: 1000)?.resealed == 2)
            let first = StoreRekeying.Record(resealed: 0, former: 2)
            #expect(there.pass(now: 4601) == first, "the next pass only counts")
            #expect(here.pass(now: 4601) == StoreRekeying.Record(resealed: 0, former: 1))
        }
    }

    @Test("a token that moves while it is used is used once", arguments: StoreUnderTest.allCases)
    func movingAway(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both) = (try key(1), try key(2, 1))
            let moving = MovingStore(raw) { token, then in
                RekeyedTokenStore(raw, key: both).perform(.find(.access(both.digest(token))), now: 1000) { _ in then() }
            }
            let store = RekeyedTokenStore(moving, key: both)
            _ = try await raw.ask(.insert(session("a", "secret", old)))
            moving.token.withLock { $0 = "secret" }
            guard case .removed(let gone) = try await store.ask(.revoke(.access(both.digest("secret")))) else {
                Issue.record("no removal")
                return
            }
            #expect(gone.map(\.id) == ["a"])
            let digest = try key(2).digest("secret")
            #expect(gone.first?.accessDigest == digest)
            for keys in [old, both, try key(1, 2), try key(2)] {
                let digest = keys.digest("secret")
                let other = RekeyedTokenStore(raw, key: keys)
                #expect(try await other.ask(.revoke(.access(digest))) == .removed([]))
                #expect(try await other.ask(.find(.access(digest))) == .record(nil), "what is revoked stays revoked")
            }
        }
    }

    @Test("of many uses of one token by processes with other orders one succeeds", arguments: StoreUnderTest.allCases)
    func once(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, one, two) = (try key(1), try key(1, 2), try key(2, 1))
            for i in 0..<20 {
                let (id, token) = ("r\(i)", "refresh \(i)")
                _ = try await raw.ask(.insert(refresh(id, token, old)))
                let uses = await withTaskGroup(of: Bool.self) { group in
                    for j in 0..<6 {
                        let keys = j % 2 == 0 ? one : two
                        let next = refresh(id, "next \(i) \(j)", keys)
                        group.addTask {
                            let (store, digest) = (RekeyedTokenStore(raw, key: keys), keys.digest(token))
                            _ = try? await store.ask(.find(.refresh(digest)))
                            let answer = try? await store.ask(
                                .rotate(refresh: digest, application: "app", proposed: next, reuse: .ignored))
                            if case .rotated = answer { return true }
                            return false
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(uses == 1)
            }
        }
    }

    @Test("what only a dropped key has made is refused", arguments: StoreUnderTest.allCases)
    func dropped(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, new) = (try key(1), try key(2))
            _ = try await raw.ask(.insert(session("a", "secret", old)))
            _ = try await raw.ask(.insert(refresh("b", "refresh", old)))
            for keys in [new, try key(2, 3)] {
                let store = RekeyedTokenStore(raw, key: keys)
                #expect(try await store.ask(.find(.access(keys.digest("secret")))) == .record(nil))
                let answer = try await store.ask(
                    .rotate(
                        refresh: keys.digest("refresh"), application: "app", proposed: refresh("b", "next", keys),
                        reuse: .detected()))
                #expect(answer == .record(nil))
                #expect(keys.open(session("a", "secret", old).sealed, id: "a") == nil)
            }
        }
    }

    @Test("a token that a caller has chosen has one record, whatever key knows it", arguments: StoreUnderTest.allCases)
    func chosen(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            func manual(_ id: String, _ token: String, _ keys: TokenDigestKey) -> TokenRecord {
                var record = TokenRecord(
                    id: id, kind: .pair, application: "app", subject: id, tokenID: "token \(id)", accessExpiresAt: 5000,
                    issuedAt: 1000)
                record.accessDigest = keys.digest(token)
                return record
            }
            let (one, two) = (try key(1, 2), try key(2, 1))
            let (here, there) = (RekeyedTokenStore(raw, key: one), RekeyedTokenStore(raw, key: two))
            _ = try await raw.ask(.insert(manual("joe", "chosen", key(1))))
            for _ in 0..<2 {
                #expect(try await there.ask(.replace(manual("ann", "chosen", two))) == .conflict)
                #expect(try await here.ask(.replace(manual("ann", "chosen", one))) == .conflict)
            }
            guard case .record(let found?) = try await there.ask(.find(.access(two.digest("chosen")))) else {
                Issue.record("it is lost")
                return
            }
            #expect(found.subject == "joe")
        }
    }

    @Test("a key that comes twice is no list, and a list is known by its first key")
    func lists() throws {
        #expect(TokenDigestKey(keys: []) == nil)
        #expect(TokenDigestKey(keys: [Array(repeating: 1, count: 32), Array(repeating: 1, count: 32)]) == nil)
        let used = try key(1)
        #expect(used.isKnown(to: try key(2, 1)))
        #expect(!used.isKnown(to: try key(2)))
        let copy = used
        copy.adopt(try key(2, 1))
        #expect(used.hasFormer)
        #expect(used.digest("a") == (try key(2).digest("a")) + (try key(1).digest("a")))
    }
}
