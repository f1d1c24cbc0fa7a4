import Reactor

/// Something that must have come about by a time. A timer of the wheel cannot be cancelled, and most deadlines move on
/// before they come: a later one waits for the timer that is set already, which then looks again.
protocol Timed: AnyObject {
    /// Milliseconds of the loop's clock; `.max` for no deadline.
    var deadline: Int64 { get set }
    /// When the next timer fires; `.max` where none is set. It stays when the object is made ready for its next use, since
    /// the timer does: connections and streams that follow one another in a place share it, however many they are.
    var timerAt: Int64 { get set }
    /// When the timer fires that a nearer one has displaced; `.max` where there is none. Short deadlines and long ones take
    /// turns, and would else leave a long timer behind each time that a short one comes.
    var laterTimerAt: Int64 { get set }
    /// Tells whose timer has fired, by its place: it may have been set for an earlier user.
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

    /// A timer has fired: whether the deadline has come, and neither moved on nor been cleared.
    func hasCome(_ timed: some Timed) -> Bool {
        // Another timer of the same deadline came before this one, or this one is none of those that the place knows.
        guard timed.timerAt <= now else { return false }
        timed.timerAt = timed.laterTimerAt
        timed.laterTimerAt = .max
        guard timed.deadline > now else { return true }
        if timed.deadline != .max { setDeadline(timed, at: timed.deadline) }
        return false
    }
}

extension ClientConnection: Timed {
    var timer: TimerToken { TimerToken(role: Worker.Role.client, owner: index) }
}

extension UpstreamConnection: Timed {
    var timer: TimerToken { TimerToken(role: Worker.Role.upstream, owner: index) }
}

extension UpstreamSession: Timed {
    var timer: TimerToken { TimerToken(role: Worker.Role.upstreamSession, owner: index) }
}

/// Of an exchange in a stream; a connection of HTTP/1 has the deadline of its one exchange itself.
extension Exchange: Timed {
    var timer: TimerToken { TimerToken(role: Worker.Role.stream, owner: index) }
}
