/// Enforces a minimum rate of a peer, so that it cannot stay connected by sending a byte now and then. Waiting consumes
/// time, received bytes earn it back, up to an allowance.
///
/// A peer at the minimum rate is therefore never cut off, none may pause for longer than the allowance, and a slower
/// one runs out of time. The clock is paused while it is not the peer's turn.
struct Pace {
    /// When the time is over; `.max` while paused.
    private(set) var deadline: Int64 = .max
    /// Remaining time while paused.
    private var left: Int64 = 0
    /// Bytes moved at the last check.
    var bytes = 0

    /// Starts with the full allowance, so that the peer has time to begin.
    mutating func start(now: Int64, allowance: Int64) {
        deadline = now + allowance
        left = 0
    }

    /// The peer has moved so many bytes. With rate 0 any progress restores the allowance.
    ///
    /// - Parameter rate: bytes per second.
    mutating func moved(_ count: Int, now: Int64, rate: Int, allowance: Int64) {
        guard count > 0, deadline != .max else { return }
        guard rate > 0 else {
            deadline = now + allowance
            return
        }
        deadline = min(now + allowance, deadline + Int64(count) * 1000 / Int64(rate))
    }

    /// Pauses the clock.
    mutating func pause(now: Int64) {
        guard deadline != .max else { return }
        left = max(0, deadline - now)
        deadline = .max
    }

    /// Resumes the clock.
    mutating func resume(now: Int64, allowance: Int64) {
        guard deadline == .max else { return }
        // At least a short time, so that a peer paused at its last moment can be read.
        deadline = now + max(left, min(allowance, 1000))
    }
}
