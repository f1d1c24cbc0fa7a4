import HTTP
import Model
import Reactor

/// An HTTP/2 connection of a worker to a server. Carries many exchanges, each with its own `UpstreamConnection` in a
/// stream.
final class UpstreamSession: SlabElement {
    let index: Int
    var generation: UInt32 = 0
    var server: UpstreamServer?
    /// Nil until the connection is established with HTTP/2.
    var link: H2Link?
    var socket: Socket?
    /// Exchanges waiting for the connection.
    var waiting: [UpstreamConnection] = []
    /// Exchanges with a stream.
    private(set) var users: [UpstreamConnection] = []
    /// Whether no further streams are opened.
    var isLeaving = false
    /// When the last bytes arrived.
    var heardAt: Int64 = 0
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    var nextVacant: UpstreamSession?

    /// Limits that a server must observe.
    static let limits: H2Limits = {
        var limits = H2Limits()
        limits.head = UpstreamConnection.headLimits
        limits.initialWindow = 256 * 1024
        limits.connectionWindow = 4 * 1024 * 1024
        return limits
    }()

    init(index: Int) { self.index = index }

    /// Whether another exchange may begin here.
    var hasRoom: Bool {
        guard !isLeaving, let server else { return false }
        guard let link else { return waiting.count < min(UpstreamSession.maximumWaiting, server.streamLimit) }
        return link.session.mayOpen && link.session.activeStreams < server.streamLimit
    }

    /// Maximum number of exchanges waiting for a new connection, whose stream limit is not yet known.
    private static let maximumWaiting = 100

    func add(_ upstream: UpstreamConnection) {
        upstream.place = users.count
        users.append(upstream)
    }

    func remove(_ upstream: UpstreamConnection) {
        let last = users.removeLast()
        guard last !== upstream else { return }
        last.place = upstream.place
        users[upstream.place] = last
    }

    func reset() {
        generation &+= 1
        server = nil
        link = nil
        socket = nil
        waiting = []
        isLeaving = false
        heardAt = 0
        deadline = .max
    }
}
