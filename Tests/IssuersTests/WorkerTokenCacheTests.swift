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

    @Test func secondLookupDoesNotAskTheStore() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        try fill(joe, target, "t", at: 0)
        for _ in 0..<10 { #expect(answer(cache, joe, at: 1) == .hit("t")) }
        #expect(store.counters.hits == 1)
        #expect(cache.hits == 9)
        #expect(cache.misses == 1)
    }

    /// CACHE-03.
    @Test func callersAndPlacesAreApart() throws {
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

    /// CACHE-07: a purge anywhere empties the cache of every worker.
    @Test func purgeIsSeenAtOnce() throws {
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

    /// A token that its upstream refused leaves every worker, and the others stay where they are.
    @Test func refusedTokenIsNotHandedOut() throws {
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

    /// CACHE-05: neither cache hands out a token that has ended, and the refresh is asked for once among all workers.
    @Test func refreshAndEndAreTheStores() throws {
        let workers = (0..<3).map { _ in WorkerTokenCache(store: store) }
        let joe = Callers.principal()
        let key = InjectionKey(principal: joe, target: target)
        try store.fill(key, "old", at: 0, lasting: 130)
        for cache in workers { #expect(answer(cache, joe, at: 10) == .hit("old")) }
        let answers = workers.map { answer($0, joe, at: 80) }
        #expect(answers.filter { $0 == .refresh("old") }.count == 1)
        #expect(answers.filter { $0 == .hit("old") }.count == 2)
        for cache in workers { #expect(answer(cache, joe, at: 100) == .join) }
    }

    @Test func refreshedTokenReplacesTheOldOne() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        try store.fill(InjectionKey(principal: joe, target: target), "old", at: 0, lasting: 130)
        #expect(answer(cache, joe, at: 10) == .hit("old"))
        let lookup = cache.lookup(joe, target, waiter: waiter, now: 80)
        let flight = try #require(lookup.flight)
        _ = store.complete(flight, .success(IssuedToken("new", issuedAt: 81, expiresAt: 500)), now: 81)
        #expect(answer(cache, joe, at: 81) == .hit("new"))
    }

    /// Bounded: with more callers than places everybody still gets the right token.
    @Test func overflowIsHarmless() throws {
        let cache = WorkerTokenCache(store: store, capacity: 8)
        let callers = (0..<100).map { Callers.principal("user\($0)") }
        for caller in callers { try fill(caller, target, caller.subject, at: 0) }
        for _ in 0..<3 {
            for caller in callers { #expect(answer(cache, caller, at: 0) == .hit(caller.subject)) }
        }
        #expect(cache.misses > 100)
    }

    /// Who gives the tokens less memory gives the workers less of it too (CACHE-06, GW-15).
    @Test func holdsNoMoreThanTheStore() throws {
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

    /// The cache holds what it knows by identity, so an address can't come to mean another caller.
    @Test func identitiesAreNotReused() throws {
        let cache = WorkerTokenCache(store: store, capacity: 64)
        for round in 0..<200 {
            let caller = Callers.principal("user\(round)")
            try fill(caller, target, caller.subject, at: 0)
            #expect(answer(cache, caller, at: 0) == .hit(caller.subject))
        }
    }

    @Test func clearForgetsEverything() throws {
        let cache = WorkerTokenCache(store: store)
        let joe = Callers.principal()
        try fill(joe, target, "t", at: 0)
        _ = answer(cache, joe, at: 0)
        cache.clear()
        #expect(answer(cache, joe, at: 0) == .hit("t"))
        #expect(cache.hits == 0)
    }
}
