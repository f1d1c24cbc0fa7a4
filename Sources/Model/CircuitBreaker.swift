/// Stops requests to a failing server, so that callers fail fast and the server can recover. States: closed; open for a
/// pause; half-open with one request as a probe. The pause doubles with each failed probe.
///
/// The time is an argument in milliseconds of the monotonic clock.
package struct CircuitBreaker: Equatable, Sendable {
    /// The raw values are those of the metrics.
    package enum State: Int, Sendable {
        case closed, halfOpen, open
    }

    package struct Settings: Equatable, Sendable {
        /// Consecutive failures that open it; 0 for any number.
        package var failures = 0
        /// Share of failed requests of a window that opens it; 0 for any.
        package var errorPercent = 0
        /// Minimum number of requests in a window for the share.
        package var minimumRequests = 20
        package var windowMilliseconds: Int64 = 10_000
        /// The first pause and the maximum.
        package var pauseMilliseconds: Int64
        package var longestPauseMilliseconds: Int64

        package init(pause: Int64 = 10_000, longestPause: Int64? = nil) {
            pauseMilliseconds = pause
            longestPauseMilliseconds = longestPause ?? pause
        }
    }

    /// The decision about a request.
    package enum Verdict: Equatable, Sendable {
        case pass
        /// Forwarded as a probe, whose outcome decides.
        case probe
        /// Refused, with milliseconds until the next probe.
        case refuse(Int64)
    }

    /// A probe without an outcome after this time is lost.
    private static let probePatience: Int64 = 60_000

    package private(set) var state = State.closed
    /// Number of openings.
    package private(set) var opened: UInt64 = 0
    private var failuresInRow = 0
    private var requests = 0
    private var failures = 0
    private var windowEnd: Int64 = .min
    /// Consecutive openings.
    private var openings = 0
    private var reopensAt: Int64 = .min
    private var probeLostAt: Int64 = .min

    package init() {}

    /// Decides about a request.
    package mutating func admit(_ now: Int64) -> Verdict {
        switch state {
        case .closed: return .pass
        case .open:
            guard now >= reopensAt else { return .refuse(reopensAt - now) }
        case .halfOpen:
            // While a probe is pending, others are refused for a second.
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
    ///   - asked: the pause that the server requests in milliseconds; 0 for none.
    ///   - spread: random, from 0 (half of the pause) to 1000, so that gateways do not resume simultaneously.
    /// - Returns: whether it has opened now.
    @discardableResult
    package mutating func failed(
        _ now: Int64, probe: Bool, asked: Int64 = 0, spread: Int64 = 1000, _ settings: Settings
    ) -> Bool {
        if !probe {
            // Requests that were active when it opened do not count.
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

    /// Handles a probe without an outcome, for example after its client has disconnected: the next request is a probe.
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
