/// One worker's connections to one upstream: the unused ones, newest on top, so that a quiet upstream keeps few.
final class UpstreamPool {
    private(set) var settings: UpstreamSettings
    private var idle: [UpstreamConnection] = []
    /// Connections open or opening, unused ones included.
    private(set) var open = 0

    init(_ settings: UpstreamSettings) {
        self.settings = settings
        idle.reserveCapacity(settings.maximumIdle)
    }

    var idleCount: Int { idle.count }

    /// Whether another connection may be opened.
    var mayOpen: Bool { settings.maximumConnections == 0 || open < settings.maximumConnections }

    /// An unused connection, or nil.
    func take() -> UpstreamConnection? { idle.popLast() }

    /// Keeps an unused connection; answers false where enough are kept.
    func keep(_ connection: UpstreamConnection) -> Bool {
        guard idle.count < settings.maximumIdle else { return false }
        idle.append(connection)
        return true
    }

    /// Forgets an unused connection that has ended.
    func forget(_ connection: UpstreamConnection) {
        if let place = idle.lastIndex(where: { $0 === connection }) { idle.remove(at: place) }
    }

    func opened() { open += 1 }
    func closed() { open -= 1 }

    /// New time-outs and limits for the same address.
    func update(_ settings: UpstreamSettings) { self.settings = settings }
}
