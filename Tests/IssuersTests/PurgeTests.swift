import Identity
import Issuers
import Testing

/// CACHE-07.
@Suite struct PurgeTests {
    let store = IssuedTokenStore()
    let joe = Callers.key("joe")
    let joeHigh = Callers.key("joe", "HighWG")
    let ann = Callers.key("ann")
    let other = InjectionKey(
        principal: Callers.principal("joe", client: "mbe-sch-1"),
        target: Callers.target("WG", DummyIssuer(configurationID: "dummy:2")))

    init() throws {
        for (key, text) in [(joe, "joe"), (joeHigh, "high"), (ann, "ann"), (other, "other")] {
            try store.fill(key, text, at: 0)
        }
    }

    @Test("purging a subject removes only its tokens")
    func subject() {
        #expect(store.entries(subject: "joe") == 3)
        store.purge(subject: "joe")
        #expect(store.entries(subject: "joe") == 0)
        #expect(store.answer(ann, at: 1) == .hit("ann"))
        for key in [joe, joeHigh, other] { #expect(store.answer(key, at: 1) == .lead) }
        #expect(store.counters.purged == 3)
    }

    @Test("purging a backend removes only its tokens")
    func client() {
        store.purge(backendID: "mbe-inv-1")
        #expect(store.answer(other, at: 1) == .hit("other"))
        #expect(store.entries(subject: "joe") == 1)
        #expect(store.entries(subject: "ann") == 0)
    }

    @Test("purging a configuration removes only its tokens")
    func configuration() {
        store.purge(configurationID: "dummy:2")
        #expect(store.answer(other, at: 1) == .lead)
        #expect(store.counters.entries == 3)
    }

    @Test("purging everything removes all tokens")
    func everything() {
        store.purgeAll()
        #expect(store.counters.entries == 0)
        #expect(store.counters.purged == 4)
    }

    @Test("refusing an already replaced token keeps the new one")
    func refusedToken() throws {
        guard case .hit(let token, _) = store.ask(joe, at: 1) else { throw Missing.token }
        #expect(store.refuse(token, for: joe, now: 1))
        #expect(token.isRefused)
        try store.fill(joe, "new", at: 1)
        #expect(store.refuse(token, for: joe, now: 1))
        #expect(store.answer(joe, at: 2) == .hit("new"))
        #expect(store.counters.refused == 1)
        #expect(store.answer(joeHigh, at: 2) == .hit("high"))
    }

    @Test("an upstream that refuses every token causes one issuer call per second")
    func refusalOfEveryToken() throws {
        for now in Int64(1)...3 {
            var renewals = 0
            for _ in 0..<20 {
                if case .lead = store.ask(joe, at: now) { Issue.record("the token is gone") }
                guard case .hit(let token, _) = store.ask(joe, at: now) else { throw Missing.token }
                guard store.refuse(token, for: joe, now: now) else { continue }
                renewals += 1
                try store.fill(joe, "new-\(renewals)", at: now)
            }
            #expect(renewals == 1)
        }
    }

    @Test("a call that began before a purge is not cached, nor joined afterwards")
    func callUnderWay() throws {
        let bob = Callers.key("bob")
        let flight = try #require(store.ask(bob, 1, at: 0).flight)
        #expect(Answer(store.ask(bob, 2, at: 0)) == .join)
        store.purge(subject: "bob")
        let lookup = store.ask(bob, 3, at: 0)
        #expect(Answer(lookup) == .lead)
        let completion = store.complete(flight, .success(IssuedToken("stale")), now: 0)
        #expect(completion.waiters.map(\.exchange) == [2])
        #expect(store.entries(subject: "bob") == 0)
        #expect(Answer(store.ask(bob, 4, at: 0)) == .join)
        let second = try #require(lookup.flight)
        #expect(store.complete(second, .success(IssuedToken("fresh")), now: 0).waiters.map(\.exchange) == [4])
        #expect(store.answer(bob, at: 0) == .hit("fresh"))
    }

    @Test("a refresh that began before a purge is not cached")
    func refreshUnderWay() throws {
        let flight = try #require(store.ask(ann, at: 3000).flight)
        store.purgeAll()
        _ = store.complete(flight, .success(IssuedToken("stale", issuedAt: 3000, expiresAt: 9000)), now: 3000)
        #expect(store.answer(ann, at: 3000) == .lead)
    }

    @Test("every purge changes the epoch")
    func epochChanges() throws {
        var epochs: Set<UInt64> = [store.epoch]
        store.purge(subject: "nobody")
        epochs.insert(store.epoch)
        store.purge(backendID: "x")
        epochs.insert(store.epoch)
        store.purge(configurationID: "x")
        epochs.insert(store.epoch)
        store.purgeAll()
        epochs.insert(store.epoch)
        #expect(epochs.count == 5)
    }

    enum Missing: Error { case token }
}
