import Configuration
import Gateway
import Reactor

extension Assembly {
    func upstreams() -> [UpstreamSettings] {
        configuration.upstreams.map { entry in
            // Weight 0 lets a server run dry: it gets no request any more.
            var settings = UpstreamSettings(
                name: entry.name, servers: entry.servers.filter { $0.weight > 0 }.compactMap(ServerSettings.init))
            settings.balance = Balance(entry.balance)
            settings.connectTimeout = entry.connectTimeout.milliseconds
            settings.responseTimeout = entry.responseTimeout.milliseconds
            settings.idleTimeout = entry.idleTimeout.milliseconds
            settings.maximumIdle = entry.maximumIdle
            settings.maximumConnections = entry.maximumConnections
            settings.maximumInFlight = entry.maximumInFlight
            settings.queueLength = entry.queue.length
            settings.queueTimeout = entry.queue.timeout.milliseconds
            settings.healthCheck = entry.healthCheck.map(HealthCheckSettings.init)
            settings.ejection = entry.ejection.map(EjectionSettings.init)
            settings.breaker = entry.circuitBreaker.map(BreakerSettings.init)
            settings.retries.attempts = entry.retries.attempts
            settings.retries.budgetPercent = entry.retries.budgetPercent
            settings.retries.minimumPerSecond = entry.retries.minimumPerSecond
            settings.slowStart = entry.slowStart.milliseconds
            settings.resolveInterval = entry.resolveInterval.milliseconds
            return settings
        }
    }
}

extension ServerSettings {
    /// nil where the address is none, which the configuration has made sure of.
    fileprivate init?(_ entry: ServerEntry) {
        let target: Target? =
            switch entry.place {
            case .address(let literal, let port): SocketAddress(literal, port: port).map(Target.address)
            case .unix(let path): SocketAddress(unixPath: path).map(Target.address)
            case .name(let host, let port): .name(host: host, port: UInt16(clamping: port))
            }
        guard let target else { return nil }
        self.init(target, weight: entry.weight, isBackup: entry.isBackup)
        // A path is no authority (RFC 9110 section 7.2).
        if case .unix = entry.place { authority = Array("localhost".utf8) }
    }
}

extension Balance {
    fileprivate init(_ entry: BalanceEntry) {
        self =
            switch entry {
            case .leastRequests: .leastRequests
            case .roundRobin: .roundRobin
            case .consistentHash(.address): .consistentHash(.address)
            case .consistentHash(.principal): .consistentHash(.principal)
            case .consistentHash(.path): .consistentHash(.path)
            case .consistentHash(.header(let name)): .consistentHash(.header(Array(name.lowercased().utf8)))
            }
    }
}

extension HealthCheckSettings {
    fileprivate init(_ entry: HealthCheckEntry) {
        self.init(path: entry.path)
        interval = entry.interval.milliseconds
        timeout = entry.timeout.milliseconds
        healthy = entry.healthy
        unhealthy = entry.unhealthy
        status = entry.status
    }
}

extension EjectionSettings {
    fileprivate init(_ entry: EjectionEntry) {
        self.init()
        failures = entry.failures
        time = entry.time.milliseconds
        maximumPercent = entry.maximumPercent
    }
}

extension BreakerSettings {
    fileprivate init(_ entry: CircuitBreakerEntry) {
        self.init()
        failures = entry.failures
        errorPercent = entry.errorPercent
        minimumRequests = entry.minimumRequests
        window = entry.window.milliseconds
        openFor = entry.openFor.milliseconds
    }
}
