import Bytes
import Model

/// The state of one upstream in one worker, for `/metrics`. Addresses of a host name are summed, which gives one row
/// per configured server.
struct UpstreamReport: Sendable {
    struct Server: Sendable {
        /// As configured: `host:port`.
        var name: String
        /// Number of addresses that active checks found healthy.
        var healthyCount = 0
        /// Number of ejected addresses.
        var ejected = 0
        var inFlight = 0
        var open = 0
        var idleCount = 0
        var requests: UInt64 = 0
        /// By index of the failure.
        var failures = [UInt64](repeating: 0, count: UpstreamFailure.allCases.count)
        var badAnswers: UInt64 = 0
    }

    var name: String
    var servers: [Server] = []
    var breaker = CircuitBreaker.State.closed
    var breakerOpened: UInt64 = 0
    var inFlight = 0
    var waiting = 0
    var retries: UInt64 = 0
    var retriesRefused: UInt64 = 0
    var ejections: UInt64 = 0

    /// Adds another worker's report on the same upstream.
    mutating func add(_ other: UpstreamReport) {
        for server in other.servers {
            guard let place = servers.firstIndex(where: { $0.name == server.name }) else {
                servers.append(server)
                continue
            }
            servers[place].add(server, ofSameWorker: false)
        }
        breaker = breaker.rawValue > other.breaker.rawValue ? breaker : other.breaker
        breakerOpened &+= other.breakerOpened
        inFlight += other.inFlight
        waiting += other.waiting
        retries &+= other.retries
        retriesRefused &+= other.retriesRefused
        ejections &+= other.ejections
    }
}

extension UpstreamReport.Server {
    init(_ server: UpstreamServer, _ now: Int64) {
        name = server.target.description
        healthyCount = server.health.isUp ? 1 : 0
        ejected = server.ejection.isEjected(now) ? 1 : 0
        inFlight = server.inFlight
        open = server.pool.open
        idleCount = server.pool.idleCount
        requests = server.requests
        failures = server.failures.values
        badAnswers = server.badAnswers
    }

    /// - Parameter ofSameWorker: whether it is another address of the server, rather than the same one in another
    ///   worker.
    mutating func add(_ other: UpstreamReport.Server, ofSameWorker: Bool) {
        if ofSameWorker {
            healthyCount += other.healthyCount
            ejected += other.ejected
        } else {
            // All workers have the same addresses; during a change, the worse value counts.
            healthyCount = min(healthyCount, other.healthyCount)
            ejected = max(ejected, other.ejected)
        }
        inFlight += other.inFlight
        open += other.open
        idleCount += other.idleCount
        requests &+= other.requests
        for i in failures.indices { failures[i] &+= other.failures[i] }
        badAnswers &+= other.badAnswers
    }
}

extension UpstreamGroup {
    /// The current state. Includes configured servers without an address, as unhealthy.
    func report(_ now: Int64) -> UpstreamReport {
        var report = UpstreamReport(name: settings.name)
        for entry in upstream.servers {
            var sum = UpstreamReport.Server(name: entry.target.description)
            for server in servers where server.target == entry.target {
                sum.add(UpstreamReport.Server(server, now), ofSameWorker: true)
            }
            report.servers.append(sum)
        }
        report.breaker = breaker.state
        report.breakerOpened = breaker.opened
        report.inFlight = inFlight
        report.waiting = queue.count
        report.retries = retries
        report.retriesRefused = retriesRefused
        report.ejections = ejections
        return report
    }
}
