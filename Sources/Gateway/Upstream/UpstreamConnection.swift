import Bytes
import HTTP
import Model
import Reactor

/// One connection of a worker to an upstream. Carries one exchange at a time, or idles in its pool. Toward a server that
/// speaks HTTP/2 it is one stream of an `UpstreamSession`.
final class UpstreamConnection: SlabElement {
    enum Phase: Equatable {
        /// The connect is under way.
        case connecting
        /// In the pool.
        case idle
        /// The response head has not been read.
        case awaitingHead
        /// The response body is under way.
        case relayingBody
        /// An upgrade was agreed to, and bytes go both ways.
        case tunnelling
    }

    /// How long a response head may be; more generous than toward clients, since upstreams are the operator's own.
    static let headLimits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.maximumHeadBytes = 64 * 1024
        limits.maximumFields = 200
        return limits
    }()

    /// How many interim responses one request may get. They go to the client without back-pressure, as one rarely needs
    /// more than two, so that without a bound they could fill the memory.
    static let maximumInterim = 32

    let index: Int
    var nextVacant: UpstreamConnection?
    /// The connections below and above this one in the pool.
    var nextIdle: UpstreamConnection?
    var previousIdle: UpstreamConnection?
    var socket: Socket?
    /// The HTTP/2 connection that this is a part of, and its stream there once it is open; both in place of a socket.
    var session: UpstreamSession?
    var stream: H2Stream?
    /// When the stream was opened.
    var askedAt: Int64 = 0
    /// Place among the users of the session.
    var place = 0
    var server: UpstreamServer?
    var exchange: Exchange?
    var phase = Phase.connecting
    var parser = ResponseParser(limits: UpstreamConnection.headLimits)
    /// What of the response body is still to come, and how it goes to the client.
    var body = BodyRelay.empty
    /// Whether the connection can serve another exchange after this one.
    var keepAlive = false
    /// Responses that came over this connection.
    var served = 0
    /// Interim responses that came ahead of the current one.
    var interim = 0
    /// Any byte of the current response has been seen.
    var heard = false
    /// The last turn of the loop whose events are older than the request.
    var unaskedUntil: UInt64 = 0
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    init(index: Int) { self.index = index }

    func reset() {
        socket = nil
        session = nil
        stream = nil
        server = nil
        exchange = nil
        phase = .connecting
        body = .empty
        keepAlive = false
        served = 0
        heard = false
        deadline = .max
    }
}
