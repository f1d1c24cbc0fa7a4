import Bytes
import Model
import Reactor

/// One address of an upstream in one worker: connections, health and load.
final class UpstreamServer {
    let address: SocketAddress
    /// The configured server of the address; its label in metrics.
    let target: ServerSettings.Target
    private(set) var weight: Int
    private(set) var isBackup: Bool
    /// `Host` of requests that the gateway makes itself.
    private(set) var authority: [UInt8]
    let pool: UpstreamPool
    /// Connections of HTTP/2.
    var sessions: [UpstreamSession] = []
    /// Streams per connection that it allowed last; assumed for connections that have not stated a limit yet.
    var streamLimit = Int.max
    /// Whether it chose HTTP/1.1 although HTTP/2 was offered.
    var speaksHTTP1 = false

    var health = ServerHealth()
    var ejection = ServerEjection()
    var slowStart = SlowStart()
    /// Requests in progress.
    var inFlight = 0
    /// Credit of smooth round-robin.
    var credit = 0
    /// Whether it was removed from the configuration: requests in progress finish, and no new ones are sent.
    private(set) var isRetired = false
    /// Failed attempts by kind.
    let failures = CounterBlock(count: UpstreamFailure.allCases.count)
    /// Responses with a gateway error.
    var badAnswers: UInt64 = 0
    private(set) var requests: UInt64 = 0
    /// When the next active check is due.
    var checkAt: Int64 = .min

    init(_ settings: ServerSettings, at address: SocketAddress, of upstream: Upstream) {
        self.address = address
        target = settings.target
        weight = max(1, settings.weight)
        isBackup = settings.isBackup
        authority = settings.authority
        pool = UpstreamPool(upstream)
    }

    func update(_ settings: ServerSettings, of upstream: Upstream) {
        weight = max(1, settings.weight)
        isBackup = settings.isBackup
        authority = settings.authority
        pool.update(upstream)
        if upstream.settings.healthCheck == nil { health.forget() }
        if upstream.settings.ejection == nil { ejection.pardon() }
    }

    func retire() { isRetired = true }

    /// Begins a connection, over TLS if configured.
    ///
    /// - Parameter forUpgrade: offers HTTP/1.1 only.
    func openSocket(_ poller: Poller, forUpgrade: Bool = false) throws(KernelError) -> Socket {
        let tls = pool.tls
        return try poller.connect(
            to: address, tls: forUpgrade ? tls?.upgradeContext ?? tls?.context : tls?.context,
            serverName: tls?.name(of: target) ?? "")
    }

    /// Whether checks and requests consider it healthy.
    func isUsable(_ now: Int64) -> Bool { health.isUp && now >= ejection.until }

    /// Whether a connection for another request is available or may be opened.
    var hasRoom: Bool { pool.idleCount > 0 || pool.mayOpen || sessions.contains { $0.hasRoom } }

    /// The weight in hundredths, reduced during slow start.
    ///
    /// - Parameter duration: of the slow start.
    func effectiveWeight(_ now: Int64, _ duration: Int64) -> Int {
        duration == 0 ? weight &* 100 : weight &* slowStart.percent(now, of: duration)
    }

    /// Counts an attempt; there may be no connection for it.
    func attempted() { requests &+= 1 }

    /// A request has a connection to this server, or waits for one to open.
    func began() { inFlight &+= 1 }

    func ended() { inFlight &-= 1 }
}
