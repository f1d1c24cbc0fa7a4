import Identity

/// One worker's cache in front of the shared store: no locks, and no allocation on a hit. Not thread-safe.
///
/// Entries are identified by object identity: the same principal (which the cache of verified tokens returns for the
/// same credential) and the same target. Misses go to the store, which compares field by field.
package final class WorkerTokenCache {
    /// Plain values for comparison, so that a search touches no reference counts.
    private struct Tag {
        var principal: ObjectIdentifier
        var target: ObjectIdentifier
        /// From this instant the store must be asked, which arranges the refresh.
        var goodUntil: Int64
    }

    /// Retains the objects of a tag, so that their identities are not reused.
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

    /// Totals since the start of the worker.
    package private(set) var hits: UInt64 = 0
    package private(set) var misses: UInt64 = 0

    /// - Parameter capacity: number of tokens, at most the store's, rounded down to a power of two; at least 4.
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

    /// The token to inject, or how to get one.
    /// - Parameters:
    ///   - waiter: this exchange, returned when a call that it joins ends.
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

    /// The token to inject if there is one; does not start a call.
    package func find(_ principal: Principal, _ target: InjectionTarget, now: Int64) -> IssuedToken? {
        let set = firstSlot(principal, target)
        if let token = held(principal, target, in: set, now: now) { return token }
        misses &+= 1
        guard let token = store.find(InjectionKey(principal: principal, target: target), now: now) else { return nil }
        keep(token, principal, target, in: set, now: now)
        return token
    }

    /// The token in this cache.
    private func held(_ principal: Principal, _ target: InjectionTarget, in set: Int, now: Int64) -> IssuedToken? {
        // Before the store is asked: what is cached afterwards is as of this epoch or later (CACHE-07).
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

    /// Removes everything, as after a reload.
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

    /// Index of the first possible slot of this pair. Addresses are multiples of 16 and close together, so a
    /// multiplication spreads them and the upper half is used.
    private func firstSlot(_ principal: Principal, _ target: InjectionTarget) -> Int {
        let caller = UInt(bitPattern: ObjectIdentifier(principal))
        let place = UInt(bitPattern: ObjectIdentifier(target))
        let mixed = (caller ^ (place &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int((mixed >> 32) & setMask) * WorkerTokenCache.ways
    }
}
