/// Leaves an issuer alone that fails as a whole, so that callers get their answer at once and it gets air to recover:
/// closed; open for a pause that doubles with each failed attempt to close again; half open with one call as the probe.
///
/// A value; time is an argument in milliseconds.
package struct IssuerBreaker: Equatable, Sendable {
    /// The raw values stand in metrics, as those of upstreams' breakers do.
    package enum State: Int, Sendable {
        case closed, halfOpen, open
    }

    package struct Settings: Equatable, Sendable {
        /// So many failures in a row open it, or one with a word of how long the issuer wants to be left alone; 0 for never.
        package var failures = 5
        /// The first pause.
        package var pauseMilliseconds: Int64 = 1000
        /// What the pause grows to.
        package var longestPauseMilliseconds: Int64 = 60_000

        package init() {}
    }

    /// What is to become of a call.
    package enum Verdict: Equatable, Sendable {
        case pass
        /// It goes through to find out, and its outcome decides.
        case probe
        /// Not to be made; so many milliseconds until the next probe.
        case refuse(Int64)
    }

    /// A probe that has not reported after this time is taken to be lost.
    private static let probePatience: Int64 = 60_000

    package private(set) var state = State.closed
    private var failuresInRow = 0
    /// How often in a row it opened.
    private var openings = 0
    private var reopensAt: Int64 = 0
    private var probedAt: Int64 = 0

    package init() {}

    /// Asks for a call.
    package mutating func admit(_ now: Int64) -> Verdict {
        switch state {
        case .closed: return .pass
        case .open:
            guard now >= reopensAt else { return .refuse(reopensAt - now) }
        case .halfOpen:
            guard now >= probedAt + IssuerBreaker.probePatience else { return .refuse(1000) }
        }
        state = .halfOpen
        probedAt = now
        return .probe
    }

    package mutating func succeeded(probe: Bool) {
        // What was under way when it opened says nothing new.
        guard probe || state == .closed else { return }
        self = IssuerBreaker()
    }

    /// - Parameters:
    ///   - asked: for how long the issuer wants to be left alone, in milliseconds; 0 where it has not said.
    ///   - spread: from 0 up to 1000. Gateways that failed together do not come back together.
    /// - Returns: whether it has opened now.
    package mutating func failed(
        _ now: Int64, probe: Bool, asked: Int64 = 0, spread: Int64, _ settings: Settings
    ) -> Bool {
        if !probe {
            guard state == .closed, settings.failures > 0 else { return false }
            failuresInRow += 1
            guard failuresInRow >= settings.failures || asked > 0 else { return false }
        }
        let whole = min(settings.pauseMilliseconds << Int64(min(openings, 20)), settings.longestPauseMilliseconds)
        let pause = whole / 2 + whole / 2 * spread / 1000
        state = .open
        openings += 1
        reopensAt = now + max(pause, min(asked, settings.longestPauseMilliseconds))
        return true
    }

    /// The probe has said nothing about the issuer: the next call is one.
    package mutating func probeLost(_ now: Int64) {
        guard state == .halfOpen else { return }
        state = .open
        reopensAt = now
    }
}
