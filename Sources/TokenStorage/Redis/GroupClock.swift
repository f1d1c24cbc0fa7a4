/// The clock that gateways with the same server have in common: that of the server. Tokens are dated by it, and so are
/// revocations of what was issued until now, which otherwise would spare tokens of a gateway whose clock is ahead.
package protocol GroupClock: Sendable {
    /// Milliseconds since 1970 by the clock of this machine.
    var milliseconds: Int64 { get }

    /// Takes what the server's clock has said, some time between a question and its answer.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970 by the server's clock.
    ///   - sent: when the question was sent, by the clock of this machine.
    ///   - received: when the answer came, by the clock of this machine.
    func learn(_ time: Int64, between sent: Int64, and received: Int64)
}

/// By how much the clock of a machine is to be corrected to show the time of a server. In milliseconds.
///
/// Each answer bounds the difference of the clocks: the server's was read between the question and the answer. The
/// correction stays where it lies between the bounds, and otherwise goes to the nearer one, so that slow answers do not
/// disturb what quick ones have told.
package struct ClockCorrection: Sendable, Equatable {
    /// What is to be added to the clock of this machine.
    package private(set) var milliseconds: Int64 = 0
    /// Whether the clocks differ by more than is corrected.
    package private(set) var isRefused = false

    /// The largest correction: as much as times in tokens of other issuers may be off by default.
    package static let largest: Int64 = 60_000
    /// A difference that was refused is corrected again once it is smaller by so much: one that changes by the latency of an
    /// answer would otherwise move the clock by a minute each time.
    private static let hysteresis: Int64 = 5000

    package init() {}

    /// As `GroupClock.learn`.
    ///
    /// - Returns: whether it has changed by a second or more, or has begun or ceased to be refused.
    package mutating func learn(_ time: Int64, between sent: Int64, and received: Int64) -> Bool {
        // The clock of this machine was set meanwhile.
        guard sent <= received else { return false }
        let before = self
        // The server's clock was read within a millisecond, in which it went on.
        let (least, most) = (time - received, time + 1 - sent)
        let bound = ClockCorrection.largest - (isRefused ? ClockCorrection.hysteresis : 0)
        isRefused = least > bound || most < -bound
        milliseconds = isRefused ? 0 : max(least, min(most, milliseconds))
        milliseconds = max(-ClockCorrection.largest, min(ClockCorrection.largest, milliseconds))
        return before.isRefused != isRefused || abs(before.milliseconds - milliseconds) >= 1000
    }
}
