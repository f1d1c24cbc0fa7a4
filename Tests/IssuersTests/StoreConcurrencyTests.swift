import Foundation
import Identity
import Issuers
import Synchronization
import Testing

/// Real threads on one store.
@Suite struct StoreConcurrencyTests {
    private static let threadCount = 8

    /// Runs a body on several threads at once and waits for all.
    private static func run(_ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for index in 0..<threadCount {
            group.enter()
            Thread.detachNewThread {
                body(index)
                group.leave()
            }
        }
        group.wait()
    }

    @Test("CACHE-02: of concurrent misses one leads; every other waits exactly once or hits")
    func singleFlight() {
        let store = IssuedTokenStore()
        let rounds = 300
        let leads = Atomic<Int>(0)
        let joined = Mutex(Set<IssuedTokenStore.Waiter>())
        let woken = Mutex([IssuedTokenStore.Waiter]())
        Self.run { worker in
            for round in 0..<rounds {
                let key = Callers.key("user\(round)")
                let waiter = IssuedTokenStore.Waiter(worker: worker, exchange: UInt64(round))
                switch store.lookup(key, waiter: waiter, now: 0) {
                case .lead(let flight):
                    leads.add(1, ordering: .relaxed)
                    if round % 3 == 0 { Thread.sleep(forTimeInterval: 0.0005) }
                    let completion = store.complete(flight, .success(IssuedToken("user\(round)")), now: 0)
                    woken.withLock { $0 += completion.waiters }
                case .join: _ = joined.withLock { $0.insert(waiter) }
                case .hit(let token, _): #expect(token.text == "user\(round)")
                case .failed: Issue.record("nothing failed")
                }
            }
        }
        #expect(leads.load(ordering: .relaxed) == rounds)
        let told = woken.withLock { $0 }
        #expect(told.count == Set(told).count)
        #expect(Set(told) == joined.withLock { $0 })
        #expect(store.counters.entries == rounds)
    }

    @Test("concurrent lookups, refreshes and purges return no foreign or expired token")
    func everythingAtOnce() {
        let store = IssuedTokenStore(maximumEntries: 20, timing: TokenTiming(skewSeconds: 2))
        let clock = Atomic<Int64>(0)
        let target = Callers.target()
        let principals = (0..<30).map { Callers.principal("user\($0)") }
        let wrong = Atomic<Int>(0)
        Self.run { worker in
            let cache = WorkerTokenCache(store: store, capacity: 16)
            for step in 0..<4000 {
                let now = clock.load(ordering: .relaxed)
                let principal = principals[(step &* 7 &+ worker &* 3) % principals.count]
                let waiter = IssuedTokenStore.Waiter(worker: worker, exchange: UInt64(step))
                let lookup = cache.lookup(principal, target, waiter: waiter, now: now)
                if case .hit(let token, _) = lookup, token.text != principal.subject || token.expiresAt <= now {
                    wrong.add(1, ordering: .relaxed)
                }
                if let flight = lookup.flight {
                    let token = IssuedToken(principal.subject, issuedAt: now, expiresAt: now + 12)
                    _ = store.complete(flight, step % 11 == 0 ? .failure(.unavailable) : .success(token), now: now)
                }
                if step % 97 == 0 { store.purge(subject: principal.subject) }
                if step % 1013 == 0 { store.purgeAll() }
                if worker == 0, step % 20 == 0 { clock.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        let counters = store.counters
        #expect(counters.entries <= 20)
        #expect(counters.evictions > 0)
        #expect(counters.hits > 0)
    }

    @Test("CACHE-07: a token returned after a purge was obtained after it")
    func nothingFromBeforeAPurgeIsHandedOut() {
        let store = IssuedTokenStore()
        let target = Callers.target()
        let joe = Callers.principal()
        let generation = Atomic<Int>(0)
        let stale = Atomic<Int>(0)
        Self.run { worker in
            let cache = WorkerTokenCache(store: store)
            for step in 0..<3000 {
                if worker == 0 {
                    // The world changes, then the purge says so.
                    generation.add(1, ordering: .sequentiallyConsistent)
                    store.purge(subject: "joe")
                    continue
                }
                let before = generation.load(ordering: .sequentiallyConsistent)
                let waiter = IssuedTokenStore.Waiter(worker: worker, exchange: UInt64(step))
                let lookup = cache.lookup(joe, target, waiter: waiter, now: 0)
                // The purge of `before` may be under way still, that of the one before it has ended.
                if case .hit(let token, _) = lookup, (Int(token.text) ?? -1) < before - 1 {
                    stale.add(1, ordering: .relaxed)
                }
                if let flight = lookup.flight {
                    let text = String(generation.load(ordering: .sequentiallyConsistent))
                    _ = store.complete(flight, .success(IssuedToken(text)), now: 0)
                }
            }
        }
        #expect(stale.load(ordering: .relaxed) == 0)
    }
}
