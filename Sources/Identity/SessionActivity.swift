import Outbound
import Synchronization

/// Last use of a session in this process: one object per session with an idle timeout (OMS-09), shared by all workers
/// and all tokens of the session.
package final class SessionActivity: Sendable {
    /// Id of the session.
    package let session: String
    /// Idle timeout.
    package let idleSeconds: Int64
    /// Seconds since 1970.
    private let used: Atomic<Int64>

    /// - Parameter usedAt: seconds since 1970.
    package init(session: String, idleSeconds: Int64, usedAt: Int64) {
        self.session = session
        self.idleSeconds = idleSeconds
        used = Atomic(usedAt)
    }

    /// Seconds since 1970.
    package var usedAt: Int64 { used.load(ordering: .relaxed) }

    /// Whether the idle timeout has passed, as far as this process knows.
    package func isIdle(at now: Int64) -> Bool { now - usedAt >= idleSeconds }

    /// Records a use. Costs one load if the second is already recorded.
    package func use(at now: Int64) {
        if usedAt < now { used.max(now, ordering: .relaxed) }
    }
}

/// The sessions that this process has seen in use.
package protocol SessionActivities: Sendable {
    /// The activity of a session, from one of its tokens.
    ///
    /// - Parameters:
    ///   - usedAt: latest known use, in seconds since 1970.
    ///   - endsAt: when the token expires.
    func activity(of session: String, idleSeconds: Int64, usedAt: Int64, endsAt: Int64) -> SessionActivity

    /// Checks with the shared store whether a session that seems idle here is in use elsewhere. If it is not, this ends
    /// it.
    func confirm(_ activity: SessionActivity, now: Int64) -> Effect<SessionStanding>

    /// Writes recent uses to the store. Call it about once a second, from any thread.
    /// - Parameter now: seconds since 1970.
    func tick(now: Int64)
}

/// State of a session that seemed idle.
package enum SessionStanding: Sendable, Equatable {
    case inUse, ended
    /// The store does not answer.
    case unknown
}
