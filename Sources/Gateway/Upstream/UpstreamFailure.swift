import Model

/// Upstream failures, distinguished by status, log and metric (GW-08).
package enum UpstreamFailure: Int, ReasonedFailure, CaseIterable {
    /// The connection was refused, or the address is unreachable.
    case connectFailed
    /// No connection within `connectTimeout`.
    case connectTimedOut
    /// The TLS handshake failed: the certificate is not valid for the server, or no common protocol was found.
    case tlsFailed
    /// The connection ended before the response was complete.
    case connectionLost
    /// The response head did not arrive within `responseTimeout`.
    case responseTimedOut
    /// The response is not valid HTTP, or its framing is ambiguous.
    case invalidResponse
    /// `maximumConnections` or `maximumInFlight` are in use, and the queue is full.
    case exhausted
    /// No room within `queueTimeout`.
    case queueTimedOut
    /// No server is known, or the breaker is open.
    case unavailable

    /// Whether it counts against the server's health: the request was sent, or was about to be.
    var countsAgainstServer: Bool {
        switch self {
        case .exhausted, .queueTimedOut, .unavailable: false
        default: true
        }
    }

    /// Whether no byte of the request was sent.
    var leavesUnsent: Bool { self == .connectFailed || self == .connectTimedOut || self == .tlsFailed }

    /// Stable reason code for log, metric and body.
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
