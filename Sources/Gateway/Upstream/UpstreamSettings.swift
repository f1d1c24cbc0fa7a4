import Model
import Reactor

/// The API servers behind one name: where they are, how requests are spread over them, and what is done when they fail
/// (GW-08). Times in milliseconds; limits hold for each worker.
package struct UpstreamSettings: Equatable, Sendable {
    package var name: String
    package var servers: [ServerSettings]
    /// `Host` for requests that came without one (HTTP/1.0).
    package var authority: [UInt8]
    package var balance = Balance.leastRequests
    /// TLS; nil for none.
    package var tls: UpstreamTLS?
    /// Requests go as HTTP/2: over TLS where the server chooses it, else by prior knowledge.
    package var http2 = false

    package var connectTimeout: Int64 = 5000
    /// From the end of the request to the head of the response, and between two pieces of its body.
    package var responseTimeout: Int64 = 60_000
    /// How long an unused connection is kept.
    package var idleTimeout: Int64 = 60_000
    /// Unused connections to one server.
    package var maximumIdle = 64
    /// Connections to one server; 0 for no limit.
    package var maximumConnections = 0
    /// Requests under way to all servers together; 0 for no limit.
    package var maximumInFlight = 0
    /// Requests that wait for one of these limits; 0 refuses at once.
    package var queueLength = 0
    package var queueTimeout: Int64 = 1000

    package var healthCheck: HealthCheckSettings?
    package var ejection: EjectionSettings?
    package var breaker: CircuitBreaker.Settings?
    package var retries = RetrySettings()
    /// How long a server that comes back takes to get its whole share; 0 for at once.
    package var slowStart: Int64 = 0
    /// Between two resolutions of a host name.
    package var resolveInterval: Int64 = 30_000

    package init(name: String, servers: [ServerSettings]) {
        self.name = name
        self.servers = servers
        authority = servers.first?.authority ?? []
    }

    /// An upstream of one server.
    package init(name: String, address: SocketAddress) {
        self.init(name: name, servers: [ServerSettings(.address(address))])
    }
}

extension UpstreamSettings {
    /// Whether requests for the one may go over the connections of the other.
    func hasSameServers(as other: UpstreamSettings) -> Bool {
        name == other.name && tls == other.tls && http2 == other.http2
            && servers.map(\.target) == other.servers.map(\.target)
    }
}
