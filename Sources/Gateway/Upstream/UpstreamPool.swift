/// One worker's connections to one upstream: the unused ones, newest on top, so that a quiet upstream keeps few.
final class UpstreamPool {
    private(set) var settings: UpstreamSettings
    /// Top of the stack, which goes on through `nextIdle`.
    private var top: UpstreamConnection?
    private(set) var idleCount = 0
    /// Connections open or opening, unused ones included.
    private(set) var open = 0

    init(_ settings: UpstreamSettings) {
        self.settings = settings
    }

    /// Whether another connection may be opened.
    var mayOpen: Bool { settings.maximumConnections == 0 || open < settings.maximumConnections }

    /// An unused connection, or nil.
    func take() -> UpstreamConnection? {
        guard let connection = top else { return nil }
        top = connection.nextIdle
        connection.nextIdle = nil
        idleCount &-= 1
        return connection
    }

    /// Keeps an unused connection; answers false where enough are kept.
    func keep(_ connection: UpstreamConnection) -> Bool {
        guard idleCount < settings.maximumIdle else { return false }
        connection.nextIdle = top
        top = connection
        idleCount &+= 1
        return true
    }

    /// Forgets an unused connection that has ended.
    func forget(_ connection: UpstreamConnection) {
        var above: UpstreamConnection?
        var candidate = top
        while let here = candidate, here !== connection {
            above = here
            candidate = here.nextIdle
        }
        guard candidate != nil else { return }
        if let above { above.nextIdle = connection.nextIdle } else { top = connection.nextIdle }
        connection.nextIdle = nil
        idleCount &-= 1
    }

    func opened() { open += 1 }
    func closed() { open -= 1 }

    /// New time-outs and limits for the same address.
    func update(_ settings: UpstreamSettings) { self.settings = settings }
}
