import Identity

/// One worker's cache in front of the shared store: no lock, and no allocation on a hit. Not thread-safe.
///
/// It knows callers and places by identity: the same principal object (which the cache of verified tokens hands out for
/// the same credential) at the same target. Anything else goes to the store, which compares field by field.
package final class WorkerTokenCache {
    /// What is compared: no references, so that a walk over some of them counts none.
    private struct Tag {
        var principal: ObjectIdentifier
        var target: ObjectIdentifier
        /// From this instant on the store has to be asked, which organises the refresh.
        var goodUntil: Int64
    }

    /// The objects of a tag, held so that no others can get their identities.
    private struct Owners {
        var principal: Principal
        var target: InjectionTarget
    }

    private static let ways = 4

    private let store: IssuedTokenStore
    private let setMask: UInt
    private var tags: [Tag?]
    private var tokens: [IssuedToken?]
    private var owners: [Owners?]
    private var epoch: UInt64
    private var victim = 0

    /// Sums since the start of the worker.
    package private(set) var hits: UInt64 = 0
    package private(set) var misses: UInt64 = 0

    /// - Parameter capacity: number of tokens, but not more than the store's, rounded down to a power of two; 4 at least.
    package init(store: IssuedTokenStore, capacity: Int = 4096) {
        precondition(capacity > 0)
        var sets = 1
        while sets * 2 * WorkerTokenCache.ways <= min(capacity, store.capacity) { sets *= 2 }
        self.store = store
        setMask = UInt(sets - 1)
        tags = Array(repeating: nil, count: sets * WorkerTokenCache.ways)
        tokens = Array(repeating: nil, count: sets * WorkerTokenCache.ways)
        owners = Array(repeating: nil, count: sets * WorkerTokenCache.ways)
        epoch = store.epoch
    }

    /// The token to inject for this caller at this place, or what to do to get one.
    /// - Parameters:
    ///   - waiter: this exchange, to be named when a call that it joins ends.
    ///   - now: seconds since 1970.
    package func lookup(
        _ principal: Principal, _ target: InjectionTarget, waiter: IssuedTokenStore.Waiter, now: Int64
    ) -> IssuedTokenStore.Lookup {
        let set = firstSlot(principal, target)
        if let token = held(principal, target, in: set, now: now) { return .hit(token, refresh: nil) }
        misses &+= 1
        let answer = store.lookup(InjectionKey(principal: principal, target: target), waiter: waiter, now: now)
        if case .hit(let token, _) = answer { keep(token, principal, target, in: set, now: now) }
        return answer
    }

    /// The token to inject, where there is one; nothing is begun to get another.
    package func find(_ principal: Principal, _ target: InjectionTarget, now: Int64) -> IssuedToken? {
        let set = firstSlot(principal, target)
        if let token = held(principal, target, in: set, now: now) { return token }
        misses &+= 1
        guard let token = store.find(InjectionKey(principal: principal, target: target), now: now) else { return nil }
        keep(token, principal, target, in: set, now: now)
        return token
    }

    /// The token that the cache itself has.
    private func held(_ principal: Principal, _ target: InjectionTarget, in set: Int, now: Int64) -> IssuedToken? {
        // Before the store is asked: what is kept later was current at this epoch or later (CACHE-07).
        let current = store.epoch
        if current != epoch {
            clear()
            epoch = current
        }
        guard let index = find(principal, target, in: set) else { return nil }
        if let tag = tags[index], now < tag.goodUntil, let token = tokens[index], !token.isRefused {
            hits &+= 1
            return token
        }
        forget(index)
        return nil
    }

    /// Forgets everything, as after a reload.
    package func clear() {
        for index in tags.indices { forget(index) }
    }

    private func find(_ principal: Principal, _ target: InjectionTarget, in set: Int) -> Int? {
        let caller = ObjectIdentifier(principal)
        let place = ObjectIdentifier(target)
        for index in set..<set &+ WorkerTokenCache.ways {
            if let tag = tags[index], tag.principal == caller, tag.target == place { return index }
        }
        return nil
    }

    private func forget(_ index: Int) {
        tags[index] = nil
        tokens[index] = nil
        owners[index] = nil
    }

    private func keep(
        _ token: IssuedToken, _ principal: Principal, _ target: InjectionTarget, in set: Int, now: Int64
    ) {
        let goodUntil = min(store.timing.refreshAt(token), store.timing.usableUntil(token))
        guard now < goodUntil else { return }
        let ways = set..<set + WorkerTokenCache.ways
        let index = ways.first { tags[$0] == nil } ?? set + victim
        victim = (victim + 1) % WorkerTokenCache.ways
        tags[index] = Tag(
            principal: ObjectIdentifier(principal), target: ObjectIdentifier(target), goodUntil: goodUntil)
        tokens[index] = token
        owners[index] = Owners(principal: principal, target: target)
    }

    /// Index of the first of the slots in which this pair may stand. Addresses are multiples of 16 and close together,
    /// so they are spread by a multiplication and the upper half is used.
    private func firstSlot(_ principal: Principal, _ target: InjectionTarget) -> Int {
        let caller = UInt(bitPattern: ObjectIdentifier(principal))
        let place = UInt(bitPattern: ObjectIdentifier(target))
        let mixed = (caller ^ (place &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int((mixed >> 32) & setMask) * WorkerTokenCache.ways
    }
}
