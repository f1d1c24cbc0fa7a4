import HTTP

/// The limits of the client side. Times in milliseconds.
package struct GatewayLimits: Sendable {
    package var head = HTTPLimits()
    /// What an HTTP/2 connection may ask for; its `head` is the one above.
    package var http2 = H2Limits()
    /// Longest request body in bytes; 0 for no limit. Routes may set their own.
    package var maximumBodyBytes = 0
    /// Client connections of one worker; further ones are closed at once.
    package var maximumConnectionsPerWorker = 100_000
    /// From the first byte of a head to its end.
    package var headerTimeout: Int64 = 10_000
    /// Between two pieces of a request body.
    package var bodyTimeout: Int64 = 30_000
    /// Between two requests of a connection.
    package var idleTimeout: Int64 = 60_000
    /// While the client takes nothing of a response.
    package var writeTimeout: Int64 = 30_000
    /// How long requests under way may take to finish when the program ends.
    package var drainTimeout: Int64 = 30_000

    /// How long a tunnel or a stream of events may be silent.
    package var tunnelIdleTimeout: Int64 = 3_600_000

    package init() {}
}
