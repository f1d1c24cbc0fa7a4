import HTTP
import Model

/// The limits of the client side. Times in milliseconds.
package struct GatewayLimits: Sendable {
    package var head = HTTPLimits()
    /// What an HTTP/2 connection may ask for; its `head` is the one above.
    package var http2 = H2Limits()
    /// Longest request body in bytes; 0 for no limit. Routes may set their own.
    package var maximumBodyBytes = 0
    /// Client connections of one worker; further ones are closed at once.
    package var maximumConnectionsPerWorker = 100_000
    /// Client connections of one address (IPv6: /64) over all workers; 0 for no limit. Trusted proxies have none.
    package var maximumConnectionsPerAddress = 0
    /// Connections of one address (IPv6: /64) that may be ended for a flood in ten seconds before it is barred; 0 for any
    /// number. Trusted proxies are never barred.
    package var maximumFloodsPerAddress = 20
    /// TLS handshakes of the process that may begin in a second; 0 for no limit.
    package var maximumHandshakesPerSecond = 0
    /// Password checks and other blocking work of one address that run or wait; 0 for no limit.
    package var maximumPasswordChecksPerAddress = 32
    /// Ceiling of the bytes in buffers of the whole process; 0 for none.
    package var maximumBufferBytes = 0
    /// Bytes in a second that a request body, or a client that takes its response, must not fall behind in the long
    /// run; 0 asks only that something moves within the time-out.
    package var minimumBodyRate = 256
    /// From the first byte of a head to its end.
    package var headerTimeout: Int64 = 10_000
    /// Between two pieces of a request body.
    package var bodyTimeout: Int64 = 30_000
    /// Between two requests of a connection.
    package var idleTimeout: Int64 = 60_000
    /// While the client takes nothing of a response.
    package var writeTimeout: Int64 = 30_000
    /// For a decision that needs more than the head of the request: a password check, an issued token, an endpoint with
    /// the body it wants.
    package var decisionTimeout: Int64 = 30_000
    /// How long requests under way may take to finish when the program ends.
    package var drainTimeout: Int64 = 30_000

    /// How long a tunnel or a stream of events may be silent.
    package var tunnelIdleTimeout: Int64 = 3_600_000

    package init() {}

    /// The limits of request heads on a listener. Administrators have the most that a buffer takes: they have to name, and
    /// remove, what was named without a bound.
    func head(_ role: ListenerRole) -> HTTPLimits {
        guard role == .admin else { return head }
        var limits = head
        limits.maximumHeadBytes = 65_536
        limits.maximumTargetBytes = 65_536
        return limits
    }
}
