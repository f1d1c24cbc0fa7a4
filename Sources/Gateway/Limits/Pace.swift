/// The time that a peer has left to make progress, who must not be given all the time of the world for a byte now and
/// then. Waiting uses it up, each byte earns some of it back, and there is never more than an allowance of it.
///
/// So nobody who keeps to the least rate is ever cut off, nobody may stop for longer than the allowance, and whoever is
/// slower than the rate loses what he lacks. The clock stands still while it is not the peer's turn.
struct Pace {
    /// When the time is over; `.max` while the clock stands still.
    private(set) var deadline: Int64 = .max
    /// What is left of it while it stands still.
    private var left: Int64 = 0
    /// What had moved when that was last looked at, in bytes.
    var bytes = 0

    /// Begins with the whole allowance, which is the grace that a peer has to get going.
    mutating func start(now: Int64, allowance: Int64) {
        deadline = now + allowance
        left = 0
    }

    /// The peer has moved so many bytes. A rate of 0 asks for nothing but that something moves.
    ///
    /// - Parameter rate: bytes in a second.
    mutating func moved(_ count: Int, now: Int64, rate: Int, allowance: Int64) {
        guard count > 0, deadline != .max else { return }
        guard rate > 0 else {
            deadline = now + allowance
            return
        }
        deadline = min(now + allowance, deadline + Int64(count) * 1000 / Int64(rate))
    }

    /// It is not the peer's turn.
    mutating func pause(now: Int64) {
        guard deadline != .max else { return }
        left = max(0, deadline - now)
        deadline = .max
    }

    /// It is the peer's turn again.
    mutating func resume(now: Int64, allowance: Int64) {
        guard deadline == .max else { return }
        // A moment at least: a peer that was paused at its last moment has the chance to be read.
        deadline = now + max(left, min(allowance, 1000))
    }
}
