/// Limits of clients. Times in milliseconds.
package struct GatewayLimits: Sendable {
    package var head = HTTPLimits()
    /// Limits of an HTTP/2 connection; its `head` is replaced by the one above.
    package var http2 = H2Limits()
    /// Bytes of a request body; 0 for any number. Routes may override it.
    package var maximumBodyBytes = 0
    /// Client connections of the process; 0 for a number derived from the limit on open files.
    package var maximumConnections = 0
    /// Client connections of one worker; further ones are closed at once.
    package var maximumConnectionsPerWorker = 100_000
    /// Client connections of one address (IPv6: /64) over all workers; 0 for any number. Trusted proxies are exempt.
    package var maximumConnectionsPerAddress = 0
    /// Connections of one address (IPv6: /64) that are closed for a flood within ten seconds before the address is barred;
    /// 0 for any number. Trusted proxies are never barred.
    package var maximumFloodsPerAddress = 20
    /// TLS handshakes of the process that may begin in a second; 0 for any number.
    package var maximumHandshakesPerSecond = 0
    /// Password checks and other blocking work of one address that run or wait; 0 for any number.
    package var maximumPasswordChecksPerAddress = 32
    /// Bytes in buffers of the whole process; 0 for any number.
    package var maximumBufferBytes = 0
    /// Minimum transfer rate of a body in bytes per second, in either direction; 0 for any rate.
    package var minimumBodyRate = 256
    /// Bytes of a request body that arrive before its request gets a place at a full upstream; 0 for none.
    package var bufferedBodyBytes = 64 << 10
    /// From the first byte of a request head to its end.
    package var headerTimeout: Int64 = 10_000
    /// Between two pieces of a request body.
    package var bodyTimeout: Int64 = 30_000
    /// Between two requests of a connection.
    package var idleTimeout: Int64 = 60_000
    /// While the client accepts nothing of a response.
    package var writeTimeout: Int64 = 30_000
    /// For a decision that needs more than the request head: a password check, an issued token, an endpoint's body.
    package var decisionTimeout: Int64 = 30_000
    /// How long a shutdown waits for active requests.
    package var drainTimeout: Int64 = 30_000
    /// How long a tunnel or a stream of events may be silent.
    package var tunnelIdleTimeout: Int64 = 3_600_000

    package init() {}
}
