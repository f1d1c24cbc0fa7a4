import Model

/// One worker's connections to one upstream: the unused ones, newest on top, so that a quiet upstream keeps few.
final class UpstreamPool {
    /// Milliseconds for which an unused connection beyond the usual number is kept.
    static let surplusTime: Int64 = 1_000

    private(set) var settings: UpstreamSettings
    private(set) var tls: UpstreamTLS?
    /// Top of the stack, which goes on through `nextIdle`.
    private var top: UpstreamConnection?
    private(set) var idleCount = 0
    /// Connections open or opening, unused ones included.
    private(set) var open = 0

    init(_ upstream: Upstream) {
        settings = upstream.settings
        tls = upstream.tls
    }

    /// Whether another connection may be opened.
    var mayOpen: Bool { settings.maximumConnections == 0 || open < settings.maximumConnections }

    /// An unused connection, or nil.
    func take() -> UpstreamConnection? {
        guard let connection = top.take() else { return nil }
        if let next = connection.nextIdle.take() {
            next.previousIdle = nil
            top = consume next
        }
        idleCount &-= 1
        return connection
    }

    /// Keeps an unused connection; answers for how many milliseconds, and nil where none is to be kept. Those beyond the
    /// usual number stay for a moment: with more requests at a time than that, each would else open a connection anew.
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

    /// Forgets an unused connection that has ended.
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

    /// New time-outs and limits for the same address.
    func update(_ upstream: Upstream) {
        settings = upstream.settings
        tls = upstream.tls
    }
}
