import Reactor

/// An object with a deadline. Timers of the wheel cannot be cancelled, and most deadlines move before they are reached.
/// A later deadline therefore waits for the existing timer, which then checks again.
protocol Timed: AnyObject {
    /// Milliseconds of the loop's clock; `.max` for no deadline.
    var deadline: Int64 { get set }
    /// When the next timer fires; `.max` if none is set. Kept on reuse, because the timer remains set: successive
    /// connections and streams at one index share it.
    var timerAt: Int64 { get set }
    /// When the timer fires that an earlier one has displaced; `.max` if none. Without it, alternating short and long
    /// deadlines would leave another long timer behind each time.
    var laterTimerAt: Int64 { get set }
    /// Identifies the object by its index; the timer may have been set by an earlier user.
    var timer: TimerToken { get }
}

extension Poller {
    func setDeadline(_ timed: some Timed, in milliseconds: Int64) { setDeadline(timed, at: now + milliseconds) }

    func setDeadline(_ timed: some Timed, at deadline: Int64) {
        timed.deadline = deadline
        guard deadline < timed.timerAt else { return }
        if timed.laterTimerAt == .max { timed.laterTimerAt = timed.timerAt }
        timed.timerAt = deadline
        schedule(timed.timer, at: deadline)
    }

    /// A timer fired: whether the deadline has been reached rather than moved or cleared.
    func hasCome(_ timed: some Timed) -> Bool {
        // Another timer for the same deadline fired before, or this one is obsolete.
        guard timed.timerAt <= now else { return false }
        timed.timerAt = timed.laterTimerAt
        timed.laterTimerAt = .max
        guard timed.deadline > now else { return true }
        if timed.deadline != .max { setDeadline(timed, at: timed.deadline) }
        return false
    }
}

extension ClientConnection: Timed {
    var timer: TimerToken { TimerToken(role: LoopRole.client, owner: index) }
}

extension UpstreamConnection: Timed {
    var timer: TimerToken { TimerToken(role: LoopRole.upstream, owner: index) }
}

extension UpstreamSession: Timed {
    var timer: TimerToken { TimerToken(role: LoopRole.upstreamSession, owner: index) }
}

/// For an exchange in a stream; for HTTP/1 the connection has the deadline.
extension Exchange: Timed {
    var timer: TimerToken { TimerToken(role: LoopRole.stream, owner: index) }
}
