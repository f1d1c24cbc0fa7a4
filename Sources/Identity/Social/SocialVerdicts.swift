/// The verdicts that are known, and who waits for those that are being asked for: a value, told what happens.
struct SocialVerdicts<Waiter> {
    /// What to do for somebody who wants a verdict.
    enum Step {
        case known(SocialVerdict)
        /// Nobody has asked yet: ask, and `settle`.
        case ask
        /// Somebody has asked; the waiter is told.
        case wait
    }

    private struct Known {
        let verdict: SocialVerdict
        let term: CacheTerm
    }

    /// How long the provider's word counts, in seconds (FB-03).
    static var positiveSeconds: Int64 { 600 }
    static var negativeSeconds: Int64 { 10 }

    private let capacity: Int
    private var known: [[UInt8]: Known] = [:]
    private var flights: [[UInt8]: [Waiter]] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// - Parameter key: what the question is about.
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

    /// The provider has answered; these are to be told. That it did not answer is not remembered.
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
        // Full of living ones: room is made by forgetting any of them, which costs one more question.
        while known.count >= capacity, let any = known.keys.first { known[any] = nil }
        known[key] = Known(verdict: verdict, term: CacheTerm(from: now, until: until))
    }
}
