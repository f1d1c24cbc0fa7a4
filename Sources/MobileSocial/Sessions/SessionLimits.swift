import Bytes

/// OMS-22: "The server setting overrides the application setting."
package enum ServerSetting {
    /// The one that counts: the server's where there is one, whatever it says, else what the application asks for.
    package static func merge<Value>(server: Value?, application: Value?) -> Value? { server ?? application }
}

/// How long a session lasts (OMS-08, OMS-09). Nil means no limit.
package struct SessionLimits: Sendable, Equatable {
    /// Seconds from the login on.
    package var session: Int64?
    /// Seconds without a request.
    package var idle: Int64?

    /// Zero stands for no limit, on either side.
    package init(
        session: (server: Int64?, application: Int64?), idle: (server: Int64?, application: Int64?)
    ) {
        self.session = SessionLimits.limit(session.server, session.application)
        self.idle = SessionLimits.limit(idle.server, idle.application)
    }

    private static func limit(_ server: Int64?, _ application: Int64?) -> Int64? {
        guard let limit = ServerSetting.merge(server: server, application: application), limit > 0 else { return nil }
        return limit
    }

    /// Whether a session goes on: it ends in the second in which it reaches a limit.
    package func allow(age: Int64, idleFor: Int64) -> Bool {
        if let session, age >= session { return false }
        if let idle, idleFor >= idle { return false }
        return true
    }
}
