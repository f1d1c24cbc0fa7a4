import HTTP
import Model
import Reactor

/// One HTTP/2 connection of a worker to a server, which carries many exchanges, each with an `UpstreamConnection` of its
/// own in a stream.
final class UpstreamSession: SlabElement {
    let index: Int
    var generation: UInt32 = 0
    var server: UpstreamServer?
    /// nil until the connection stands and speaks HTTP/2.
    var link: H2Link?
    var socket: Socket?
    /// Those that wait for the connection.
    var waiting: [UpstreamConnection] = []
    /// Those that have a stream.
    private(set) var users: [UpstreamConnection] = []
    /// The server opens no more streams, or the connection is not for further ones.
    var isLeaving = false
    /// When the last bytes came.
    var heardAt: Int64 = 0
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    var nextVacant: UpstreamSession?

    /// What a server may ask of this side.
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

    /// How many wait for a connection that is being made: what a server allows is not known before.
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
