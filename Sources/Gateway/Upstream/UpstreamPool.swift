import Model

/// One worker's idle connections to a server, most recent on top, so that few are kept without load.
final class UpstreamPool {
    /// Milliseconds for which idle connections beyond the usual number are kept.
    static let surplusTime: Int64 = 1_000

    private(set) var settings: UpstreamSettings
    private(set) var tls: UpstreamTLS?
    /// Top of the stack, linked through `nextIdle`.
    private var top: UpstreamConnection?
    private(set) var idleCount = 0
    /// Connections open or opening, idle ones included.
    private(set) var open = 0

    init(_ upstream: Upstream) {
        settings = upstream.settings
        tls = upstream.tls
    }

    /// Whether another connection may be opened.
    var mayOpen: Bool { settings.maximumConnections == 0 || open < settings.maximumConnections }

    /// An idle connection, or nil.
    func take() -> UpstreamConnection? {
        guard let connection = top.take() else { return nil }
        if let next = connection.nextIdle.take() {
            next.previousIdle = nil
            top = consume next
        }
        idleCount &-= 1
        return connection
    }

    /// Keeps an idle connection. Returns for how many milliseconds; nil if it is not kept. Surplus connections are kept
    /// briefly, because under higher concurrency each request would otherwise reconnect.
    func keep(_ connection: UpstreamConnection) -> Int64? {
        guard settings.maximumIdle > 0 else { return nil }
        let isUsual = idleCount < settings.maximumIdle
        if let next = top.take() {
            next.previousIdle = connection
            connection.nextIdle = consume next
        }
        top = connection
        idleCount &+= 1
        return isUsual ? settings.idleTimeout : min(settings.idleTimeout, UpstreamPool.surplusTime)
    }

    /// Removes an idle connection that has ended.
    func forget(_ connection: UpstreamConnection) {
        let (above, below) = (connection.previousIdle, connection.nextIdle)
        guard above != nil || top === connection else { return }
        if let above { above.nextIdle = below } else { top = below }
        below?.previousIdle = above
        connection.previousIdle = nil
        connection.nextIdle = nil
        idleCount &-= 1
    }

    func opened() { open += 1 }
    func closed() { open -= 1 }

    /// New timeouts and limits for the same address.
    func update(_ upstream: Upstream) {
        settings = upstream.settings
        tls = upstream.tls
    }
}
