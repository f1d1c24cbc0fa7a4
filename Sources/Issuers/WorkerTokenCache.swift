import Identity

/// One worker's cache in front of the shared store: no lock, and no allocation on a hit. Not thread-safe.
///
/// It knows callers and places by identity: the same principal object (which the cache of verified tokens hands out for
/// the same credential) at the same target. Anything else goes to the store, which compares field by field.
package final class WorkerTokenCache {
    private struct Slot {
        let principal: Principal
        let target: InjectionTarget
        let token: IssuedToken
        /// From this instant on the store has to be asked, which organises the refresh.
        let goodUntil: Int64
    }

    private static let ways = 4

    private let store: IssuedTokenStore
    private let setMask: UInt
    private var slots: [Slot?]
    private var epoch: UInt64
    private var victim = 0

    /// Sums since the start of the worker.
    package private(set) var hits: UInt64 = 0
    package private(set) var misses: UInt64 = 0

    /// - Parameter capacity: number of tokens, rounded up to a power of two.
    package init(store: IssuedTokenStore, capacity: Int = 4096) {
        precondition(capacity > 0)
        var sets = 1
        while sets * WorkerTokenCache.ways < capacity { sets *= 2 }
        self.store = store
        setMask = UInt(sets - 1)
        slots = Array(repeating: nil, count: sets * WorkerTokenCache.ways)
        epoch = store.epoch
    }

    /// The token to inject for this caller at this place, or what to do to get one.
    /// - Parameters:
    ///   - waiter: this exchange, to be named when a call that it joins ends.
    ///   - now: seconds since 1970.
    package func lookup(
        _ principal: Principal, _ target: InjectionTarget, waiter: IssuedTokenStore.Waiter, now: Int64
    ) -> IssuedTokenStore.Lookup {
        // Before the store is asked: what is kept below was current at this epoch or later (CACHE-07).
        let current = store.epoch
        if current != epoch {
            clear()
            epoch = current
        }
        let set = firstSlot(principal, target)
        for index in set..<set + WorkerTokenCache.ways {
            guard let slot = slots[index], slot.principal === principal, slot.target === target else { continue }
            if now < slot.goodUntil {
                hits &+= 1
                return .hit(slot.token, refresh: nil)
            }
            slots[index] = nil
        }
        misses &+= 1
        let answer = store.lookup(InjectionKey(principal: principal, target: target), waiter: waiter, now: now)
        if case .hit(let token, _) = answer { keep(token, principal, target, in: set, now: now) }
        return answer
    }

    /// Forgets everything, as after a reload.
    package func clear() {
        for index in slots.indices { slots[index] = nil }
    }

    private func keep(
        _ token: IssuedToken, _ principal: Principal, _ target: InjectionTarget, in set: Int, now: Int64
    ) {
        let goodUntil = min(store.timing.refreshAt(token), store.timing.usableUntil(token))
        guard now < goodUntil else { return }
        let ways = set..<set + WorkerTokenCache.ways
        let index = ways.first { slots[$0] == nil } ?? set + victim
        victim = (victim + 1) % WorkerTokenCache.ways
        slots[index] = Slot(principal: principal, target: target, token: token, goodUntil: goodUntil)
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
