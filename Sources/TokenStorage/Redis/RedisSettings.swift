/// Parameters of a session with a Redis or Valkey server. Times in milliseconds.
package struct RedisSettings: Equatable, Sendable {
    /// User for `AUTH`; nil for a server with a password only, or the user `default`.
    package var username: String?
    package var password: String?
    /// Number for `SELECT`.
    package var database = 0
    /// Limit for connecting and greeting, and for each command from submission to reply.
    package var timeout: Int64 = 1000
    /// Maximum number of commands waiting or sent. Others fail immediately.
    package var limit = 1024
    /// Pause before the first reconnection attempt; doubled after each failure.
    package var firstPause: Int64 = 50
    package var longestPause: Int64 = 2000

    package init() {}

    /// Commands sent at the start of a connection, in one write with the first others.
    package var greeting: [[[UInt8]]] {
        var commands: [[[UInt8]]] = []
        if let password {
            commands.append((["AUTH"] + (username.map { [$0] } ?? []) + [password]).map { Array($0.utf8) })
        }
        if database != 0 { commands.append(["SELECT", String(database)].map { Array($0.utf8) }) }
        // A frozen server still accepts connections; only an answer proves that it works.
        commands.append([Array("PING".utf8)])
        return commands
    }
}

/// Why there is no connection to the server.
package enum RedisFault: Error, Equatable, Sendable {
    /// Name resolution or connecting failed.
    case unreachable
    /// The TLS handshake failed, for this reason.
    case tls(String)
    case closed
    case timedOut
    case malformed(RESPFault)
    /// It sent an unsolicited reply.
    case unasked
    /// It refused the greeting with this error code.
    case refused(String)
    /// It has become a read-only replica. Its name may now resolve to another server.
    case readOnly

    /// Whether it happened on an open connection.
    package var isOfRequest: Bool {
        switch self {
        case .unreachable, .tls: false
        case .closed, .timedOut, .malformed, .unasked, .refused, .readOnly: true
        }
    }

    /// For logs.
    package var reason: String {
        switch self {
        case .unreachable: "unreachable"
        case .tls(let code): "tls_\(code)"
        case .closed: "closed"
        case .timedOut: "timed_out"
        case .malformed(.malformed): "malformed_reply"
        case .malformed(.tooLarge): "reply_too_large"
        case .malformed(.tooDeep): "reply_too_deep"
        case .unasked: "unasked_reply"
        case .refused(let code): "refused_\(code)"
        case .readOnly: "read_only"
        }
    }
}
