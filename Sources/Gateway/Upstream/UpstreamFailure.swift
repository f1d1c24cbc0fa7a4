import Model

/// What can go wrong with an upstream, kept apart for status, log and metric (GW-08).
package enum UpstreamFailure: Int, ReasonedFailure, CaseIterable {
    /// The connection was refused or the address cannot be reached.
    case connectFailed
    /// No connection within `connectTimeout`.
    case connectTimedOut
    /// The TLS handshake failed: the server is not who it must be, or does not speak what is spoken here.
    case tlsFailed
    /// The connection ended before the response was complete.
    case connectionLost
    /// The head of the response did not come within `responseTimeout`.
    case responseTimedOut
    /// What came is not HTTP, or framed in a way that two readers may take differently.
    case invalidResponse
    /// `maximumConnections` or `maximumInFlight` are in use, and the queue is full.
    case exhausted
    /// Nothing came free within `queueTimeout`.
    case queueTimedOut
    /// No server is known, or the breaker is open.
    case unavailable

    /// It is to be laid to the server's account: the request was sent there, or was about to be.
    var countsAgainstServer: Bool {
        switch self {
        case .exhausted, .queueTimedOut, .unavailable: false
        default: true
        }
    }

    /// No byte of the request has left.
    var leavesUnsent: Bool { self == .connectFailed || self == .connectTimedOut || self == .tlsFailed }

    /// The stable reason code of log, metric and body.
    package var reason: Reason {
        switch self {
        case .connectFailed: .upstreamConnectFailed
        case .connectTimedOut: .upstreamConnectTimeout
        case .tlsFailed: .upstreamTLSFailed
        case .connectionLost: .upstreamConnectionLost
        case .responseTimedOut: .upstreamResponseTimeout
        case .invalidResponse: .upstreamInvalidResponse
        case .exhausted: .upstreamExhausted
        case .queueTimedOut: .upstreamQueueTimeout
        case .unavailable: .upstreamUnavailable
        }
    }

    var detail: StaticString {
        switch self {
        case .connectFailed: "the upstream cannot be reached"
        case .connectTimedOut: "the upstream did not accept a connection in time"
        case .tlsFailed: "the upstream cannot be trusted"
        case .connectionLost: "the upstream closed the connection"
        case .responseTimedOut: "the upstream did not answer in time"
        case .invalidResponse: "the upstream sent an invalid response"
        case .exhausted, .queueTimedOut: "the upstream is busy"
        case .unavailable: "the upstream is not available"
        }
    }
}
