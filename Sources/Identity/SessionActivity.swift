import Outbound
import Synchronization

/// When a session of this process was used last: one object for each that ends by lying idle (OMS-09), shared by all
/// workers and by every token of the session.
package final class SessionActivity: Sendable {
    /// Id of the session.
    package let session: String
    /// How long it may lie idle.
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

    /// Whether it has lain idle for too long, as far as this process knows.
    package func isIdle(at now: Int64) -> Bool { now - usedAt >= idleSeconds }

    /// Notes a use. One load where the second is known already.
    package func use(at now: Int64) {
        if usedAt < now { used.max(now, ordering: .relaxed) }
    }
}

/// The sessions that this process has seen used.
package protocol SessionActivities: Sendable {
    /// That of a session, as a token of it tells.
    ///
    /// - Parameters:
    ///   - usedAt: when it was in use at the latest, in seconds since 1970.
    ///   - endsAt: when the token ends.
    func activity(of session: String, idleSeconds: Int64, usedAt: Int64, endsAt: Int64) -> SessionActivity

    /// Whether a session that seems idle here is in use elsewhere; whoever shares the store is asked. One that is not has
    /// ended with the answer.
    func confirm(_ activity: SessionActivity, now: Int64) -> Effect<SessionStanding>

    /// Writes down which sessions were used. To be called about once a second, by any thread.
    /// - Parameter now: seconds since 1970.
    func tick(now: Int64)
}

/// What became of a session that seemed idle.
package enum SessionStanding: Sendable, Equatable {
    case inUse, ended
    /// Nobody could say.
    case unknown
}
