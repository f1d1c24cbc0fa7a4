/// Cached verdicts, and the waiters for calls in progress. A pure value.
struct SocialVerdicts<Waiter> {
    /// The next step for a request.
    enum Step {
        case known(SocialVerdict)
        /// No call in progress: make one, then `settle`.
        case ask
        /// A call is in progress; the waiter is notified.
        case wait
    }

    private struct Known {
        let verdict: SocialVerdict
        let term: CacheTerm
    }

    /// Time that a verdict is cached, in seconds (FB-03).
    static var positiveSeconds: Int64 { 600 }
    static var negativeSeconds: Int64 { 10 }

    private let capacity: Int
    private var known: [[UInt8]: Known] = [:]
    private var flights: [[UInt8]: [Waiter]] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// - Parameter key: identifies token and app.
    mutating func look(_ key: [UInt8], now: Int64, _ waiter: @autoclosure () -> Waiter) -> Step {
        if let held = known[key] {
            if held.term.covers(now) { return .known(held.verdict) }
            known[key] = nil
        }
        if flights[key] != nil {
            flights[key]?.append(waiter())
            return .wait
        }
        flights[key] = [waiter()]
        return .ask
    }

    /// Stores the provider's verdict and returns the waiters to notify. `.unavailable` is not cached.
    mutating func settle(_ key: [UInt8], _ verdict: SocialVerdict, now: Int64) -> [Waiter] {
        switch verdict {
        case .valid(_, let endsAt):
            remember(key, verdict, until: min(now + Self.positiveSeconds, endsAt ?? .max), now: now)
        case .invalid: remember(key, verdict, until: now + Self.negativeSeconds, now: now)
        case .unavailable: break
        }
        return flights.removeValue(forKey: key) ?? []
    }

    private mutating func remember(_ key: [UInt8], _ verdict: SocialVerdict, until: Int64, now: Int64) {
        if known.count >= capacity { known = known.filter { $0.value.term.covers(now) } }
        // Full of valid entries: removing any of them costs one more call.
        while known.count >= capacity, let any = known.keys.first { known[any] = nil }
        known[key] = Known(verdict: verdict, term: CacheTerm(from: now, until: until))
    }
}
