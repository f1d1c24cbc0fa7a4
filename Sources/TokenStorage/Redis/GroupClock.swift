/// The common clock of gateways that share a server: the server's clock. Token dates and revocations by date both use
/// it; otherwise a revocation of everything issued so far would miss tokens of a gateway whose clock is ahead.
package protocol GroupClock: Sendable {
    /// Milliseconds since 1970 by this machine's clock.
    var milliseconds: Int64 { get }

    /// Learns from one reading of the server's clock.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970 by the server's clock.
    ///   - sent: when the request was sent, by this machine's clock.
    ///   - received: when the answer arrived, by this machine's clock.
    func learn(_ time: Int64, between sent: Int64, and received: Int64)
}

/// Correction of this machine's clock to the server's time. In milliseconds.
///
/// Each answer bounds the clock difference, because the server's clock was read between request and answer. A
/// correction within the bounds is kept; otherwise it moves to the nearer bound. Slow answers therefore do not degrade
/// what fast ones established.
package struct ClockCorrection: Sendable, Equatable {
    /// Added to this machine's clock.
    package private(set) var milliseconds: Int64 = 0
    /// Whether the clocks differ by more than the largest correction.
    package private(set) var isRefused = false

    /// The largest correction: equal to the default clock skew for tokens of other issuers.
    package static let largest: Int64 = 60_000
    /// A refused difference is corrected again once it is this much smaller. Otherwise latency variations could move
    /// the clock by a minute each time.
    private static let hysteresis: Int64 = 5000

    package init() {}

    /// See `GroupClock.learn`.
    ///
    /// - Returns: whether the correction changed by a second or more, or its refusal began or ended.
    package mutating func learn(_ time: Int64, between sent: Int64, and received: Int64) -> Bool {
        // This machine's clock was set in between.
        guard sent <= received else { return false }
        let before = self
        // The server's reading is truncated to milliseconds.
        let (least, most) = (time - received, time + 1 - sent)
        let bound = ClockCorrection.largest - (isRefused ? ClockCorrection.hysteresis : 0)
        isRefused = least > bound || most < -bound
        milliseconds = isRefused ? 0 : max(least, min(most, milliseconds))
        milliseconds = max(-ClockCorrection.largest, min(ClockCorrection.largest, milliseconds))
        return before.isRefused != isRefused || abs(before.milliseconds - milliseconds) >= 1000
    }
}
