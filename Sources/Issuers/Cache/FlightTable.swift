import Identity

/// Issuer calls in progress, at most one per key (CACHE-02). Not thread-safe.
struct FlightTable {
    private struct Call {
        let ticket: UInt64
        let term: CacheTerm
        var waiters: [IssuedTokenStore.Waiter]
    }

    /// A call that takes longer is considered lost and may be replaced.
    private let patienceSeconds: Int64
    private var calls: [InjectionKey: Call] = [:]
    /// Waiters of calls whose result must not be cached, by ticket.
    private var detached: [UInt64: [IssuedTokenStore.Waiter]] = [:]
    private var lastTicket: UInt64 = 0

    init(patienceSeconds: Int64) { self.patienceSeconds = patienceSeconds }

    /// Adds a waiter to the call for this key; false if there is none to join.
    mutating func join(_ key: InjectionKey, _ waiter: IssuedTokenStore.Waiter, now: Int64) -> Bool {
        guard isUnderWay(key, now: now) else { return false }
        calls[key]?.waiters.append(waiter)
        return true
    }

    func isUnderWay(_ key: InjectionKey, now: Int64) -> Bool {
        calls[key]?.term.covers(now) ?? false
    }

    /// Begins a call. Waiters of a lost one wait for it.
    mutating func begin(
        _ key: InjectionKey, replacing previous: IssuedToken?, now: Int64
    ) -> IssuedTokenStore.Flight {
        lastTicket += 1
        calls[key] = Call(
            ticket: lastTicket, term: CacheTerm(from: now, seconds: patienceSeconds), waiters: calls[key]?.waiters ?? []
        )
        return IssuedTokenStore.Flight(key: key, previous: previous, ticket: lastTicket)
    }

    /// Ends a call.
    /// - Returns: its waiters, and whether its result may be cached: not after a purge, nor if another call has
    ///   replaced it.
    mutating func end(_ flight: IssuedTokenStore.Flight) -> (waiters: [IssuedTokenStore.Waiter], mayKeep: Bool) {
        guard let call = calls[flight.key], call.ticket == flight.ticket else {
            return (detached.removeValue(forKey: flight.ticket) ?? [], false)
        }
        calls[flight.key] = nil
        return (call.waiters, true)
    }

    /// Detaches calls with matching keys: they continue, but cannot be joined, and their results are not cached.
    mutating func detach(where fits: (InjectionKey) -> Bool) {
        for key in calls.keys.filter(fits) {
            guard let call = calls.removeValue(forKey: key), !call.waiters.isEmpty else { continue }
            detached[call.ticket] = call.waiters
        }
    }
}
