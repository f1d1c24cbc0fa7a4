/// A limit that a client can exceed, as labelled in `portcullis_limited_total`. The raw value is the index of its
/// counter.
enum Limit: Int, CaseIterable {
    /// Connections of a worker.
    case connections
    case connectionsPerAddress
    /// Connections closed for a flood.
    case floodsPerAddress
    /// The ceiling of buffer memory.
    case memory
    case handshakes
    /// A missing, invalid or forbidden PROXY header.
    case proxyHeader
    case headerTime
    case headerSize
    case bodySize
    /// Pause or minimum rate of a request body.
    case bodyRate
    /// Pause or minimum rate of a client taking a response.
    case readRate
    /// A request rate of a route.
    case requestRate
    case passwordChecks
    /// Wrong passwords for a user, or from a network.
    case loginAttempts
    /// Total blocking work.
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
