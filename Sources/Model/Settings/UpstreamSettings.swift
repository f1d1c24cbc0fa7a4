/// Settings of a group of equivalent servers (GW-08), besides the servers and TLS. Times in milliseconds; limits hold for
/// each worker.
package struct UpstreamSettings: Equatable, Sendable {
    package var name: String
    package var balance = Balance.leastRequests
    /// HTTP/2 to the servers: by ALPN over TLS, with prior knowledge without.
    package var http2 = false
    package var connectTimeout: Int64 = 5000
    /// From the end of the request to the response head, and between two pieces of the response body.
    package var responseTimeout: Int64 = 60_000
    /// How long an idle connection is kept.
    package var idleTimeout: Int64 = 60_000
    /// Idle connections to one server.
    package var maximumIdle = 64
    /// Connections to one server; 0 for any number.
    package var maximumConnections = 0
    /// Active requests to all servers together; 0 for any number.
    package var maximumInFlight = 0
    /// Requests that wait for one of these limits; 0 for no queue.
    package var queueLength = 0
    package var queueTimeout: Int64 = 1000
    /// Nil without health checks.
    package var healthCheck: HealthCheckSettings?
    /// Nil without ejection of failing servers.
    package var ejection: EjectionSettings?
    /// Nil without a circuit breaker.
    package var breaker: CircuitBreaker.Settings?
    package var retries = RetrySettings()
    /// How long a recovered server gets less than its share; 0 for not at all.
    package var slowStart: Int64 = 0
    /// How long resolved addresses are used.
    package var resolveInterval: Int64 = 30_000

    package init(name: String) { self.name = name }
}
