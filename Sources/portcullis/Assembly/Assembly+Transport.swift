import Configuration
import Gateway
import HTTP
import Reactor

extension Assembly {
    /// What the configuration can say of the transport and the data plane cannot do is refused, never left out.
    mutating func checkTransport() {
        for (index, listener) in configuration.listeners.enumerated() {
            let pointer = "/listeners/\(index)"
            if listener.tls != nil { error("\(pointer)/tls", "TLS is not part of this version") }
            if listener.tls == nil, listener.http2 { error("\(pointer)/http2", "HTTP/2 is not part of this version") }
            if !listener.proxyProtocol.isEmpty {
                error("\(pointer)/proxyProtocol", "the PROXY protocol is not part of this version")
            }
            guard case .address = listener.place else {
                error(pointer, "unix and inherited sockets are not part of this version")
                continue
            }
        }
        for upstream in configuration.upstreams {
            let isPlain = upstream.servers.count == 1 && !upstream.http2 && !upstream.servers[0].isSecure
            guard isPlain, case .address = upstream.servers[0].place else {
                error("/upstreams/\(upstream.name)", "only one http server with an IP address is part of this version")
                continue
            }
        }
    }

    func upstreams() -> [UpstreamSettings] {
        configuration.upstreams.compactMap { entry in
            guard case .address(let literal, let port)? = entry.servers.first?.place,
                let address = SocketAddress(literal, port: port)
            else { return nil }
            var settings = UpstreamSettings(name: entry.name, address: address)
            settings.connectTimeout = entry.connectTimeout.milliseconds
            settings.responseTimeout = entry.responseTimeout.milliseconds
            settings.idleTimeout = entry.idleTimeout.milliseconds
            settings.maximumIdle = entry.maximumIdle
            settings.maximumConnections = entry.maximumConnections
            return settings
        }
    }

    func limits() -> GatewayLimits {
        let section = configuration.limits
        var limits = GatewayLimits()
        limits.head.maximumHeadBytes = section.maximumHeadBytes
        limits.head.maximumFields = section.maximumHeaders
        limits.head.maximumTargetBytes = section.maximumTargetBytes
        limits.maximumBodyBytes = section.maximumBodyBytes
        limits.headerTimeout = section.headerTimeout.milliseconds
        limits.bodyTimeout = section.bodyTimeout.milliseconds
        limits.idleTimeout = section.idleTimeout.milliseconds
        limits.writeTimeout = section.writeTimeout.milliseconds
        limits.drainTimeout = section.drainTimeout.milliseconds
        limits.tunnelIdleTimeout = section.tunnelIdleTimeout.milliseconds
        let wanted =
            section.maximumConnections > 0 ? section.maximumConnections : ProcessLimits.raiseOpenFiles() * 2 / 5
        limits.maximumConnectionsPerWorker = max(16, wanted / max(1, configuration.workerCount))
        return limits
    }
}

extension GatewayConfiguration {
    /// How many event loops there are.
    var workerCount: Int { workers > 0 ? workers : WorkerThread.processorCount }
}

extension SocketAddress {
    /// The address of a literal that the configuration has checked.
    init?(_ literal: IPLiteral, port: Int) {
        self.init(literal: literal.description, port: UInt16(clamping: port))
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
