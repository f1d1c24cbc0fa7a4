/// Stops requests to a server that fails as a whole, so that callers get their answer at once and the server can recover:
/// closed; open for a pause; half open with one request as the probe. The pause doubles with each probe that fails.
///
/// A value; time is an argument in milliseconds of the monotonic clock.
package struct CircuitBreaker: Equatable, Sendable {
    /// The raw values stand in metrics.
    package enum State: Int, Sendable {
        case closed, halfOpen, open
    }

    package struct Settings: Equatable, Sendable {
        /// Failures in a row that open it; 0 for any number.
        package var failures = 0
        /// Share of failed requests of a window that opens it; 0 for any.
        package var errorPercent = 0
        /// Requests that a window must have before their share counts.
        package var minimumRequests = 20
        package var windowMilliseconds: Int64 = 10_000
        /// The first pause, and what pauses grow to.
        package var pauseMilliseconds: Int64
        package var longestPauseMilliseconds: Int64

        package init(pause: Int64 = 10_000, longestPause: Int64? = nil) {
            pauseMilliseconds = pause
            longestPauseMilliseconds = longestPause ?? pause
        }
    }

    /// What is to become of a request.
    package enum Verdict: Equatable, Sendable {
        case pass
        /// It goes through to find out, and its outcome decides.
        case probe
        /// Refused; so many milliseconds until the next probe.
        case refuse(Int64)
    }

    /// A probe that has not reported after this time is taken to be lost.
    private static let probePatience: Int64 = 60_000

    package private(set) var state = State.closed
    /// How often it has opened.
    package private(set) var opened: UInt64 = 0
    private var failuresInRow = 0
    private var requests = 0
    private var failures = 0
    private var windowEnd: Int64 = .min
    /// How often in a row it opened.
    private var openings = 0
    private var reopensAt: Int64 = .min
    private var probeLostAt: Int64 = .min

    package init() {}

    /// Asks for a request.
    package mutating func admit(_ now: Int64) -> Verdict {
        switch state {
        case .closed: return .pass
        case .open:
            guard now >= reopensAt else { return .refuse(reopensAt - now) }
        case .halfOpen:
            // A probe without an outcome keeps the others out; they may come back in a second.
            guard now >= probeLostAt else { return .refuse(1000) }
        }
        state = .halfOpen
        probeLostAt = now + CircuitBreaker.probePatience
        return .probe
    }

    package mutating func succeeded(_ now: Int64, probe: Bool, _ settings: Settings) {
        if probe {
            let opened = opened
            self = CircuitBreaker()
            self.opened = opened
        } else if state == .closed {
            count(failed: false, now, settings)
        }
    }

    /// - Parameters:
    ///   - asked: for how long the server wants to be left alone, in milliseconds; 0 where it has not said.
    ///   - spread: from 0 (half of the pause) up to 1000. Gateways that failed together do not come back together.
    /// - Returns: whether it has opened now.
    @discardableResult
    package mutating func failed(
        _ now: Int64, probe: Bool, asked: Int64 = 0, spread: Int64 = 1000, _ settings: Settings
    ) -> Bool {
        if !probe {
            // What was under way when it opened says nothing new.
            guard state == .closed else { return false }
            count(failed: true, now, settings)
            let tooMany = settings.failures > 0 && (failuresInRow >= settings.failures || asked > 0)
            let tooOften =
                settings.errorPercent > 0 && requests >= settings.minimumRequests
                && failures * 100 >= requests * settings.errorPercent
            guard tooMany || tooOften else { return false }
        }
        let whole = min(settings.pauseMilliseconds << Int64(min(openings, 20)), settings.longestPauseMilliseconds)
        let pause = whole - whole / 2 * (1000 - spread) / 1000
        state = .open
        opened &+= 1
        openings += 1
        reopensAt = now + max(pause, min(asked, settings.longestPauseMilliseconds))
        return true
    }

    /// The probe ended without an outcome, as when its client went away: the next request is one.
    package mutating func probeLost() {
        guard state == .halfOpen else { return }
        state = .open
        reopensAt = .min
    }

    private mutating func count(failed: Bool, _ now: Int64, _ settings: Settings) {
        if now >= windowEnd {
            windowEnd = now + settings.windowMilliseconds
            requests = 0
            failures = 0
        }
        requests += 1
        failures += failed ? 1 : 0
        failuresInRow = failed ? failuresInRow + 1 : 0
    }
}
