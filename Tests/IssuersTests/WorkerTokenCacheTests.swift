import Identity
import Issuers
import Testing

@Suite struct WorkerTokenCacheTests {
    let store = IssuedTokenStore()
    let target = Callers.target()
    let waiter = IssuedTokenStore.Waiter(worker: 0, exchange: 0)

    private func fill(_ principal: Principal, _ target: InjectionTarget, _ text: String, at now: Int64) throws {
        try store.fill(InjectionKey(principal: principal, target: target), text, at: now)
    }

    private func answer(
        _ cache: WorkerTokenCache, _ principal: Principal, _ target: InjectionTarget? = nil, at now: Int64
    ) -> Answer {
        Answer(cache.lookup(principal, target ?? self.target, waiter: waiter, now: now))
    }

    @Test("the second lookup does not ask the store")
    func secondLookupDoesNotAskTheStore() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        try fill(joe, target, "t", at: 0)
        for _ in 0..<10 { #expect(answer(cache, joe, at: 1) == .hit("t")) }
        #expect(store.counters.hits == 1)
        #expect(cache.hits == 9)
        #expect(cache.misses == 1)
    }

    @Test("CACHE-03: callers and targets have separate entries")
    func callersAndPlacesAreApart() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        let high = Callers.target("HighWG")
        try fill(joe, target, "t", at: 0)
        #expect(answer(cache, joe, at: 0) == .hit("t"))
        #expect(answer(cache, Callers.principal("ann"), at: 0) == .lead)
        #expect(answer(cache, joe, high, at: 0) == .lead)
        // Another token of the same caller has another principal: the store knows it is the same.
        #expect(answer(cache, Callers.principal(), at: 0) == .hit("t"))
    }

    @Test("CACHE-07: a purge empties every worker's cache")
    func purgeIsSeenAtOnce() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        let ann = Callers.principal("ann")
        try fill(joe, target, "joe", at: 0)
        try fill(ann, target, "ann", at: 0)
        #expect(answer(cache, joe, at: 0) == .hit("joe"))
        #expect(answer(cache, ann, at: 0) == .hit("ann"))
        store.purge(subject: "joe")
        #expect(answer(cache, joe, at: 0) == .lead)
        #expect(answer(cache, ann, at: 0) == .hit("ann"))
    }

    @Test("a refused token is removed from every worker; other tokens stay")
    func refusedTokenIsNotHandedOut() throws {
        let workers = (0..<2).map { _ in WorkerTokenCache(store: store) }
        let joe = Callers.principal()
        let ann = Callers.principal("ann")
        try fill(joe, target, "joe", at: 0)
        try fill(ann, target, "ann", at: 0)
        for cache in workers {
            #expect(answer(cache, joe, at: 0) == .hit("joe"))
            #expect(answer(cache, ann, at: 0) == .hit("ann"))
        }
        guard case .hit(let token, _) = workers[0].lookup(joe, target, waiter: waiter, now: 0) else {
            Issue.record("no token")
            return
        }
        #expect(store.refuse(token, for: InjectionKey(principal: joe, target: target), now: 0))
        try fill(joe, target, "new", at: 0)
        for cache in workers {
            #expect(answer(cache, joe, at: 0) == .hit("new"))
            #expect(answer(cache, ann, at: 0) == .hit("ann"))
            #expect(cache.hits > 0)
        }
    }

    @Test("CACHE-05: no cache returns an expired token; one worker refreshes")
    func refreshAndEndAreTheStores() throws {
        let workers = (0..<3).map { _ in WorkerTokenCache(store: store) }
        let joe = Callers.principal()
        let key = InjectionKey(principal: joe, target: target)
        try store.fill(key, "old", at: 0, retained: 130)
        for cache in workers { #expect(answer(cache, joe, at: 10) == .hit("old")) }
        let answers = workers.map { answer($0, joe, at: 80) }
        #expect(answers.filter { $0 == .refresh("old") }.count == 1)
        #expect(answers.filter { $0 == .hit("old") }.count == 2)
        for cache in workers { #expect(answer(cache, joe, at: 100) == .join) }
    }

    @Test("a refreshed token replaces the old one")
    func refreshedTokenReplacesTheOldOne() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        try store.fill(InjectionKey(principal: joe, target: target), "old", at: 0, retained: 130)
        #expect(answer(cache, joe, at: 10) == .hit("old"))
        let lookup = cache.lookup(joe, target, waiter: waiter, now: 80)
        let flight = try #require(lookup.flight)
        _ = store.complete(flight, .success(IssuedToken("new", issuedAt: 81, expiresAt: 500)), now: 81)
        #expect(answer(cache, joe, at: 81) == .hit("new"))
    }

    @Test("with more callers than slots every caller gets the right token")
    func overflowIsHarmless() throws {
        let cache = WorkerTokenCache(store: store, capacity: 8)
        let callers = (0..<100).map { Callers.principal("user\($0)") }
        for caller in callers { try fill(caller, target, caller.subject, at: 0) }
        for _ in 0..<3 {
            for caller in callers { #expect(answer(cache, caller, at: 0) == .hit(caller.subject)) }
        }
        #expect(cache.misses > 100)
    }

    @Test("CACHE-06, GW-15: the worker's capacity does not exceed the store's")
    func holdsNoMoreThanTheStore() throws {
        let store = IssuedTokenStore(maximumEntries: 15)
        let cache = WorkerTokenCache(store: store)
        let callers = (0..<100).map { Callers.principal("user\($0)") }
        for caller in callers {
            try store.fill(InjectionKey(principal: caller, target: target), caller.subject, at: 0)
            #expect(answer(cache, caller, at: 0) == .hit(caller.subject))
        }
        let found = callers.filter { cache.find($0, target, now: 0) != nil }
        // Those of the store, and eight that it may no longer have.
        #expect((15...23).contains(found.count))
    }

    @Test("object identities in the cache are not reused for other callers")
    func identitiesAreNotReused() throws {
        let cache = WorkerTokenCache(store: store, capacity: 64)
        for round in 0..<200 {
            let caller = Callers.principal("user\(round)")
            try fill(caller, target, caller.subject, at: 0)
            #expect(answer(cache, caller, at: 0) == .hit(caller.subject))
        }
    }

    @Test("clear removes all entries")
    func clearForgetsEverything() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        try fill(joe, target, "t", at: 0)
        _ = answer(cache, joe, at: 0)
        cache.clear()
        #expect(answer(cache, joe, at: 0) == .hit("t"))
        #expect(cache.hits == 0)
    }
}
