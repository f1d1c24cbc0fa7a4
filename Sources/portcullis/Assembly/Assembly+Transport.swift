import Configuration
import Gateway
import HTTP
import Model
import Reactor

extension Assembly {
    func trustedProxies() -> TrustedProxies {
        TrustedProxies(configuration.trustedProxies, family: configuration.forwardedFields)
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
        limits.decisionTimeout = section.decisionTimeout.milliseconds
        limits.maximumConnectionsPerAddress = section.maximumConnectionsPerAddress
        limits.maximumFloodsPerAddress = section.maximumFloodsPerAddress
        limits.maximumHandshakesPerSecond = section.maximumHandshakesPerSecond
        limits.maximumPasswordChecksPerAddress = section.passwordChecksPerAddress
        limits.maximumBufferBytes = section.maximumBufferBytes
        limits.minimumBodyRate = section.minimumBodyRate
        limits.drainTimeout = section.drainTimeout.milliseconds
        limits.tunnelIdleTimeout = section.tunnelIdleTimeout.milliseconds
        limits.http2.maximumStreams = section.http2.maximumStreams
        limits.http2.initialWindow = section.http2.windowBytes
        limits.http2.connectionWindow = section.http2.connectionWindowBytes
        limits.http2.maximumResets = section.http2.maximumResets
        limits.http2.maximumSettings = section.http2.maximumSettings
        limits.http2.maximumPings = section.http2.maximumPings
        limits.http2.maximumEmptyFrames = section.http2.maximumEmptyFrames
        limits.http2.maximumWindowUpdates = section.http2.maximumWindowUpdates
        limits.http2.maximumPriorities = section.http2.maximumPriorities
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
