/// Health checks by each worker. Times in milliseconds.
package struct HealthCheckSettings: Equatable, Sendable {
    package var path: [UInt8]
    package var interval: Int64 = 10_000
    /// From the connect to the end of the response head.
    package var timeout: Int64 = 2000
    /// Consecutive successes that restore a server.
    package var healthy = 2
    /// Consecutive failures that remove it.
    package var unhealthy = 3
    /// Status codes of success.
    package var status = 200...399

    package init(path: String) { self.path = Array(path.utf8) }
}
