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

/// How requests are spread over the servers of an upstream.
package enum Balance: Equatable, Sendable {
    /// To the server with the fewest requests under way, by weight.
    case leastRequests
    /// In turn, by weight.
    case roundRobin
    /// Equal keys to the same server, as long as it is there.
    case consistentHash(HashKey)
}

/// What stays with one server under `Balance.consistentHash`.
package enum HashKey: Equatable, Sendable {
    /// The client's address without its port.
    case address
    /// Who is logged in; the client's address for anonymous requests.
    case principal
    /// The value of a request field, by its name in lower case; the client's address for requests without it.
    case header([UInt8])
    /// The canonical path.
    case path
}

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

/// When a server is left alone for a while because requests to it fail.
package struct EjectionSettings: Equatable, Sendable {
    /// Failures in a row.
    package var failures = 5
    /// The first time out in milliseconds; each further one is longer by as much.
    package var time: Int64 = 30_000
    /// How much of the servers may be out at the same time.
    package var maximumPercent = 50

    package init() {}
}

/// How often a request that failed is tried on another server.
package struct RetrySettings: Equatable, Sendable {
    /// Further attempts of one request; 0 for none.
    package var attempts = 1
    /// Further attempts of all requests, as a share of the requests.
    package var budgetPercent = 20
    /// Further attempts in a second whatever the share.
    package var minimumPerSecond = 5

    package init() {}
}
