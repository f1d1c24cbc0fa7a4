/// Stops requests to an upstream that fails as a whole, so that its clients get their answer at once and it gets air to
/// recover: closed, open for a while, half open with one request as the probe.
///
/// One for each upstream and worker, fed with the last outcome of each request. A value; time is an argument in
/// milliseconds.
struct CircuitBreaker: Equatable {
    enum State: Int, Sendable { case closed, halfOpen, open }

    /// What is to become of a request.
    enum Verdict: Equatable {
        case pass
        /// It goes through to find out, and its outcome decides.
        case probe
        /// Refused; so many milliseconds until the next probe.
        case refuse(Int64)
    }

    private(set) var state = State.closed
    private var failuresInRow = 0
    private var requests = 0
    private var failures = 0
    private var windowEnd: Int64 = .min
    private var reopensAt: Int64 = .min
    private var isProbing = false
    private(set) var opened: UInt64 = 0

    /// Asks for a request.
    mutating func admit(_ now: Int64) -> Verdict {
        switch state {
        case .closed: return .pass
        case .open:
            guard now >= reopensAt else { return .refuse(reopensAt - now) }
            state = .halfOpen
            isProbing = true
            return .probe
        case .halfOpen:
            // A probe that has no outcome yet keeps the others out; they may come back in a second.
            guard !isProbing else { return .refuse(1000) }
            isProbing = true
            return .probe
        }
    }

    mutating func succeeded(_ now: Int64, probe: Bool, _ settings: BreakerSettings) {
        if probe {
            close()
            return
        }
        guard state == .closed else { return }
        count(failed: false, now, settings)
    }

    mutating func failed(_ now: Int64, probe: Bool, _ settings: BreakerSettings) {
        if probe {
            open(now, settings)
            return
        }
        // What was under way when it opened says nothing new.
        guard state == .closed else { return }
        count(failed: true, now, settings)
        let tooMany = settings.failures > 0 && failuresInRow >= settings.failures
        let tooOften =
            settings.errorPercent > 0 && requests >= settings.minimumRequests
            && failures * 100 >= requests * settings.errorPercent
        if tooMany || tooOften { open(now, settings) }
    }

    /// The probe ended without an outcome, as when its client went away.
    mutating func probeLost() { isProbing = false }

    private mutating func count(failed: Bool, _ now: Int64, _ settings: BreakerSettings) {
        if now >= windowEnd {
            windowEnd = now + settings.window
            requests = 0
            failures = 0
        }
        requests += 1
        if failed {
            failures += 1
            failuresInRow += 1
        } else {
            failuresInRow = 0
        }
    }

    private mutating func open(_ now: Int64, _ settings: BreakerSettings) {
        state = .open
        isProbing = false
        reopensAt = now + settings.openFor
        opened &+= 1
    }

    private mutating func close() {
        state = .closed
        isProbing = false
        failuresInRow = 0
        windowEnd = .min
    }
}
