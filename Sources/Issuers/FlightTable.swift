import Identity

/// The issuer calls that are under way, at most one per key (CACHE-02). Not thread-safe.
struct FlightTable {
    private struct Call {
        let ticket: UInt64
        let term: CacheTerm
        var waiters: [IssuedTokenStore.Waiter]
    }

    /// A call that has not reported back after this time is taken to be lost, and another may be made.
    private let patienceSeconds: Int64
    private var calls: [InjectionKey: Call] = [:]
    /// Waiters of calls whose result must not be kept any more, by ticket.
    private var detached: [UInt64: [IssuedTokenStore.Waiter]] = [:]
    private var lastTicket: UInt64 = 0

    init(patienceSeconds: Int64) { self.patienceSeconds = patienceSeconds }

    /// Adds a waiter to the call for this key; false where there is none to wait for.
    mutating func join(_ key: InjectionKey, _ waiter: IssuedTokenStore.Waiter, now: Int64) -> Bool {
        guard isUnderWay(key, now: now) else { return false }
        calls[key]?.waiters.append(waiter)
        return true
    }

    func isUnderWay(_ key: InjectionKey, now: Int64) -> Bool {
        calls[key]?.term.covers(now) ?? false
    }

    /// Begins a call. Those who wait for a lost one now wait for this.
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
    /// - Returns: who waits for it, and whether its result may be kept: not after a purge, and not when another call has
    ///   taken its place.
    mutating func end(_ flight: IssuedTokenStore.Flight) -> (waiters: [IssuedTokenStore.Waiter], mayKeep: Bool) {
        guard let call = calls[flight.key], call.ticket == flight.ticket else {
            return (detached.removeValue(forKey: flight.ticket) ?? [], false)
        }
        calls[flight.key] = nil
        return (call.waiters, true)
    }

    /// Lets the calls whose key fits run on, but nobody joins them and their results are not kept.
    mutating func detach(where fits: (InjectionKey) -> Bool) {
        for key in calls.keys.filter(fits) {
            guard let call = calls.removeValue(forKey: key), !call.waiters.isEmpty else { continue }
            detached[call.ticket] = call.waiters
        }
    }
}
