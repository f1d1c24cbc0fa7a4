import Configuration
import Gateway
import HTTP
import Reactor

extension Assembly {
    func upstreams() -> [UpstreamSettings] {
        configuration.upstreams.compactMap { entry in
            guard let address = SocketAddress(entry.address, port: entry.port) else { return nil }
            var settings = UpstreamSettings(name: entry.name, address: address)
            settings.connectTimeout = entry.connectTimeout.milliseconds
            settings.responseTimeout = entry.responseTimeout.milliseconds
            settings.idleTimeout = entry.idleTimeout.milliseconds
            settings.maximumIdle = entry.maximumIdle
            settings.maximumConnections = entry.maximumConnections
            return settings
        }
    }

    func trustedProxies() -> TrustedProxies {
        TrustedProxies(configuration.trustedProxies.compactMap { IPAddressRange($0) })
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

extension IPAddressRange {
    /// The addresses of a block that the configuration has checked.
    init?(_ block: AddressBlock) {
        let text = Array("\(block.base.description)/\(block.prefixLength)".utf8)
        self.init(text: text.span)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
