import Synchronization
import TestSupport
import Testing
import TokenStorage

/// A change of the key of a store: records of the former key are found, move to the key in use, and are counted until
/// none needs the former key.
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

    private func consent(_ key: TokenDigestKey) -> TokenRecord {
        let id = key.keyedNames(of: Array("consent of joe".utf8))[0]
        var record = TokenRecord(
            id: id, kind: .consent, application: "app", subject: "joe", tokenID: "", accessExpiresAt: 5000,
            issuedAt: 1000)
        record.scope = "read"
        record.sealed = key.seal([], id: id)
        return record
    }

    /// Waits for a count.
    private func count(_ store: any TokenStore, _ key: TokenDigestKey) async -> Int? {
        let (ends, step) = AsyncStream.makeStream(of: Void.self)
        let count = FormerKeyCount { job in
            job()
            step.yield()
        }
        count.use(store, key)
        count.tick(now: 1000)
        for await _ in ends { if let last = count.last { return last } }
        return nil
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
            let digest = try key(2).digest("two")
            #expect(family.refreshDigest == digest)
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

    @Test("records of former keys are counted until they move or end", arguments: StoreUnderTest.allCases)
    func counts(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both) = (try key(1), try key(2, 1))
            let store = RekeyedTokenStore(raw, key: both)
            for i in 0..<300 { _ = try await raw.ask(.insert(session("s\(i)", "secret \(i)", old))) }
            _ = try await raw.ask(.insert(refresh("r", "refresh", old)))
            _ = try await raw.ask(.insert(consent(old)))
            var wiped = consent(old)
            (wiped.id, wiped.kind, wiped.sealed) = ("wiped", .verifier, [])
            _ = try await raw.ask(.insert(wiped))
            var ended = session("e", "ended", old)
            ended.accessExpiresAt = 999
            _ = try await raw.ask(.insert(ended))
            _ = try await store.ask(.insert(refresh("n", "newer", both)))
            _ = try await store.ask(.insert(session("m", "newest", both)))
            #expect(await count(store, both) == 302)
            for i in 0..<300 { _ = try await store.ask(.find(.access(both.digest("secret \(i)")))) }
            #expect(await count(store, both) == 2)
            _ = try await store.ask(.find(.refresh(both.digest("refresh"))))
            _ = try await store.ask(.find(.names(both.keyedNames(of: Array("consent of joe".utf8)))))
            #expect(await count(store, both) == 0)
            #expect(try await count(store, key(1, 2)) == 304)
        }
    }

    @Test("a count continues when the store answers late, and begins again after a failure")
    func lateCount() async throws {
        let (old, both) = (try key(1), try key(2, 1))
        let raw = MemoryTokenStore()
        _ = try await raw.ask(.insert(session("a", "secret", old)))
        let held = HeldStore(raw)
        let count = FormerKeyCount { $0() }
        count.use(held, both)
        count.tick(now: 1000)
        count.tick(now: 9000)
        #expect(count.last == nil && held.waiting == 1, "one count at a time")
        held.fail()
        count.tick(now: 1059)
        #expect(count.last == nil && held.waiting == 0)
        count.tick(now: 1060)
        held.release()
        #expect(held.waiting == 1 && count.last == nil)
        held.release()
        #expect(held.waiting == 0 && count.last == 1)
        // What other keys have counted is void.
        count.tick(now: 4660)
        count.use(held, try key(3, 2, 1))
        held.release()
        held.release()
        #expect(held.waiting == 0 && count.last == nil)
        count.use(held, try key(1))
        count.tick(now: 9000)
        #expect(held.waiting == 0 && count.last == 0, "there is no former key")
    }

    @Test("names of a former key are found, and move", arguments: StoreUnderTest.allCases)
    func names(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both, new) = (try key(1), try key(2, 1), try key(2))
            let text = Array("consent of joe".utf8)
            var record = consent(old)
            _ = try await raw.ask(.insert(record))
            #expect(try await raw.ask(.find(.names(new.keyedNames(of: text)))) == .record(nil))
            let store = RekeyedTokenStore(raw, key: both)
            _ = try await store.ask(.find(.names(both.keyedNames(of: text))))
            guard case .record(let moved?) = try await raw.ask(.find(.names(new.keyedNames(of: text)))) else {
                Issue.record("the record has not moved")
                return
            }
            #expect(moved.scope == "read" && moved.id == new.keyedNames(of: text)[0])
            #expect(try await raw.ask(.find(.id(record.id))) == .record(nil))
            #expect(try await raw.ask(.revoke(.one(.names(both.keyedNames(of: text))))) == .removed([moved]))
            // A record under the new name stays.
            _ = try await raw.ask(.insert(moved))
            _ = try await raw.ask(.insert(record))
            #expect(try await raw.ask(.rekey(from: record, to: moved)) == .touched(0))
            _ = try await raw.ask(.revoke(.id(moved.id)))
            // A verifier without its hash is wiped.
            (record.kind, record.sealed) = (.verifier, [])
            _ = try await raw.ask(.replace(record))
            guard case .record(let wiped?) = try await store.ask(.find(.names(both.keyedNames(of: text)))) else {
                Issue.record("it is lost")
                return
            }
            #expect(wiped.id == moved.id && wiped.sealed.isEmpty)
        }
    }

    @Test("processes with the keys in opposite order understand each other", arguments: StoreUnderTest.allCases)
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
                    }
                }
            }
        }
    }

    @Test("a record that is revoked or rotated before it moves does not come back", arguments: StoreUnderTest.allCases)
    func movingAway(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let (old, both) = (try key(1), try key(2, 1))
            _ = try await raw.ask(.insert(session("a", "secret", old)))
            let revoking = InterferedStore(raw, .revoke(.id("a")))
            _ = try await RekeyedTokenStore(revoking, key: both).ask(.find(.access(both.digest("secret"))))
            _ = try await raw.ask(.insert(refresh("b", "refresh", old)))
            let rotating = InterferedStore(
                raw,
                .rotate(
                    refresh: old.digest("refresh"), application: "app", proposed: refresh("b", "next", old),
                    reuse: .detected()))
            _ = try await RekeyedTokenStore(rotating, key: both).ask(.find(.refresh(both.digest("refresh"))))
            let last = RekeyedTokenStore(raw, key: both)
            #expect(try await last.ask(.find(.access(both.digest("secret")))) == .record(nil))
            #expect(try await last.ask(.find(.refresh(both.digest("refresh")))) == .record(nil))
            guard case .record(_?) = try await last.ask(.find(.refresh(both.digest("next")))) else {
                Issue.record("the successor is lost")
                return
            }
        }
    }

    @Test("a token made just before a change of keys is counted under the key that made it")
    func change() async throws {
        let (ring, raw) = (try key(1, 2), MemoryTokenStore())
        let store = RekeyedTokenStore(raw, key: ring)
        // Its digest is made before the change, its seal after it.
        var (plain, sealed) = (refresh("a", "one", ring), session("b", "two", ring))
        ring.adopt(try key(2, 1))
        plain.sealed = []
        sealed.sealed = ring.seal(Array("two".utf8), id: "b")
        for record in [plain, sealed] { _ = try await store.ask(.insert(record)) }
        #expect(await count(store, ring) == 2)
        // It was looked for before the change, and moves after it.
        let digest = try key(3, 2, 1).digest("one")
        ring.adopt(try key(2, 3, 1))
        _ = try await store.ask(.find(.refresh(digest)))
        #expect(await count(store, ring) == 2)
        _ = try await store.ask(.find(.refresh(ring.digest("one"))))
        _ = try await store.ask(.find(.access(ring.digest("two"))))
        #expect(await count(store, ring) == 0)
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

    @Test("a token that a caller has chosen has one record under all keys", arguments: StoreUnderTest.allCases)
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
        #expect(used.digest("a").count == 2 * (8 + 32))
        #expect(try used.keyedNames(of: [97]) == [key(2).tokenID(of: [97].span), key(1).tokenID(of: [97].span)])
        // A seal of nothing is no text.
        #expect(used.open(used.seal([], id: "a"), id: "a") == nil)
    }
}
