import Identity

/// Cached verdicts, and the waiters for calls in progress. A pure value.
struct FacebookVerdicts<Waiter: Sendable> {
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

    private var answers: AnswerTable<Known, Waiter>

    init(capacity: Int) { answers = AnswerTable(capacity: capacity) }

    /// - Parameter key: identifies token and app.
    mutating func look(_ key: [UInt8], now: Int64, _ waiter: @autoclosure () -> Waiter) -> Step {
        if let held = answers[key], held.term.covers(now) { return .known(held.verdict) }
        let waiter = waiter()
        if answers.follow(key, waiter) { return .wait }
        answers.lead(key, waiter)
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
        return answers.settle(key)
    }

    private mutating func remember(_ key: [UInt8], _ verdict: SocialVerdict, until: Int64, now: Int64) {
        answers.keep(key, Known(verdict: verdict, term: CacheTerm(from: now, until: until)))
    }
}
