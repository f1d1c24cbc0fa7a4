/// Requests that a worker makes by itself to see whether a server is well. Times in milliseconds.
package struct HealthCheckSettings: Equatable, Sendable {
    package var path: [UInt8]
    package var interval: Int64 = 10_000
    /// From the connect to the end of the response's head.
    package var timeout: Int64 = 2000
    /// Good answers in a row that bring a server back.
    package var healthy = 2
    /// Bad ones in a row that take it out.
    package var unhealthy = 3
    /// What a good answer's status is.
    package var status = 200...399

    package init(path: String) { self.path = Array(path.utf8) }
}
