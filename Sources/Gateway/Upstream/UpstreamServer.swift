import Bytes
import Model
import Reactor

/// One address of an upstream as one worker sees it: its connections, what is known of its health, its load.
final class UpstreamServer {
    let address: SocketAddress
    /// The configured server that the address is one of; the label of metrics.
    let target: ServerSettings.Target
    private(set) var weight: Int
    private(set) var isBackup: Bool
    /// `Host` of requests that the gateway makes itself.
    private(set) var authority: [UInt8]
    let pool: UpstreamPool
    /// Connections of HTTP/2.
    var sessions: [UpstreamSession] = []
    /// How many streams of one connection it allowed last; a connection that has not said so yet is taken to be like it.
    var streamLimit = Int.max
    /// It was asked for HTTP/2 and has chosen HTTP/1.1.
    var speaksHTTP1 = false

    var health = ServerHealth()
    var ejection = ServerEjection()
    var slowStart = SlowStart()
    /// Requests under way.
    var inFlight = 0
    /// What smooth round-robin owes to the server.
    var credit = 0
    /// The configuration has no such server any more: its requests end, and no further ones come.
    private(set) var isRetired = false
    /// Attempts that failed, by kind.
    let failures = CounterBlock(count: UpstreamFailure.allCases.count)
    /// Answers that say that something behind the server failed.
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

    /// Begins a connection to it, over TLS where the upstream has it; nil where that fails at once.
    ///
    /// - Parameter forUpgrade: to speak HTTP/1.1 alone.
    func openSocket(_ poller: Poller, forUpgrade: Bool = false) -> Socket? {
        let tls = pool.tls
        return poller.connect(
            to: address, tls: forUpgrade ? tls?.upgradeContext ?? tls?.context : tls?.context,
            serverName: tls?.name(of: target) ?? "")
    }

    /// Healthy as far as checks and requests say.
    func isUsable(_ now: Int64) -> Bool { health.isUp && now >= ejection.until }

    /// Whether another request finds or gets a connection.
    var hasRoom: Bool { pool.idleCount > 0 || pool.mayOpen || sessions.contains { $0.hasRoom } }

    /// The weight in hundredths, less than all of it while the server starts slowly.
    ///
    /// - Parameter duration: how long a slow start takes.
    func effectiveWeight(_ now: Int64, _ duration: Int64) -> Int {
        duration == 0 ? weight &* 100 : weight &* slowStart.percent(now, of: duration)
    }

    /// A request is to be sent here; there may be no connection for it.
    func attempted() { requests &+= 1 }

    /// A request has its connection to this server, or waits for it to open.
    func began() { inFlight &+= 1 }

    func ended() { inFlight &-= 1 }
}
