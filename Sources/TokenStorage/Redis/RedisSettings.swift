/// How a session with a Redis or Valkey server is kept. Times in milliseconds.
package struct RedisSettings: Equatable, Sendable {
    /// Name for `AUTH`; nil for a server that knows a password only, or the user `default`.
    package var username: String?
    package var password: String?
    /// Number for `SELECT`.
    package var database = 0
    /// For a connection to be made and greeted, and for each command from when it is given to its reply.
    package var timeout: Int64 = 1000
    /// Commands that wait or are under way. What is beyond is refused at once.
    package var limit = 1024
    /// Before the first attempt to connect again, and doubled with each that fails.
    package var firstPause: Int64 = 50
    package var longestPause: Int64 = 2000

    package init() {}

    /// Commands before all others, in one piece with them.
    var greeting: [[[UInt8]]] {
        var commands: [[[UInt8]]] = []
        if let password {
            commands.append((["AUTH"] + (username.map { [$0] } ?? []) + [password]).map { Array($0.utf8) })
        }
        if database != 0 { commands.append(["SELECT", String(database)].map { Array($0.utf8) }) }
        // A frozen server takes connections too: only an answer shows that it lives.
        commands.append([Array("PING".utf8)])
        return commands
    }
}

/// Why there is no session with the server.
package enum RedisFault: Error, Equatable, Sendable {
    /// No address, no connection.
    case unreachable
    /// TLS came to nothing, for this reason.
    case tls(String)
    case closed
    case timedOut
    case malformed(RESPFault)
    /// It sent what nobody asked for.
    case unasked
    /// It refused the greeting, with this code.
    case refused(String)
    /// It has become a replica, which takes no writes. Its name may lead to another server by now.
    case readOnly

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
