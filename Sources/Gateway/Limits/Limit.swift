import Model

/// What a client can run into, as `portcullis_limited_total` names it. The place of a case is that of its counter.
enum Limit: Int, CaseIterable {
    /// Connections of a worker.
    case connections
    case connectionsPerAddress
    /// Connections that were ended for a flood.
    case floodsPerAddress
    /// The ceiling of buffers.
    case memory
    case handshakes
    /// A missing, broken or forbidden PROXY header.
    case proxyHeader
    case headerTime
    case headerSize
    case bodySize
    /// Time between two pieces of a request body, or its least rate.
    case bodyRate
    /// The same for a response that the client takes.
    case readRate
    /// A request rate of a route.
    case requestRate
    case passwordChecks
    /// Wrong passwords for a user, or from a network.
    case loginAttempts
    /// Blocking work as a whole.
    case blockingWork
    /// Time for a decision: a password check, an issued token, an endpoint.
    case decisionTime

    var name: String {
        switch self {
        case .connections: "connections"
        case .connectionsPerAddress: "connections_per_address"
        case .floodsPerAddress: "floods_per_address"
        case .memory: "memory"
        case .handshakes: "handshakes"
        case .proxyHeader: "proxy_header"
        case .headerTime: "header_time"
        case .headerSize: "header_size"
        case .bodySize: "body_size"
        case .bodyRate: "body_rate"
        case .readRate: "read_rate"
        case .requestRate: "request_rate"
        case .passwordChecks: "password_checks"
        case .loginAttempts: "login_attempts"
        case .blockingWork: "blocking_work"
        case .decisionTime: "decision_time"
        }
    }
}
