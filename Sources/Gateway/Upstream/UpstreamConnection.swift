import HTTP
import Model
import Reactor

/// A worker's connection to an upstream. Carries one exchange at a time, or is idle in its pool. For an HTTP/2 server
/// it is one stream of an `UpstreamSession`.
final class UpstreamConnection: SlabElement {
    enum Phase: Equatable {
        case connecting
        /// Idle in the pool.
        case idle
        /// Waiting for the response head.
        case awaitingHead
        /// Relaying the response body.
        case relayingBody
        /// Relaying the response body without what its receiver must not see.
        case filteringBody
        /// The upgrade was accepted; bytes are relayed both ways.
        case tunnelling
    }

    /// Maximum size of a response head; higher than for clients, since upstreams belong to the operator.
    static let headLimits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.maximumHeadBytes = 64 * 1024
        limits.maximumFields = 200
        return limits
    }()

    /// Maximum number of interim responses per request. They are relayed without back-pressure, since more than two are
    /// rarely needed; without a limit they could exhaust memory.
    static let maximumInterim = 32

    let index: Int
    var nextVacant: UpstreamConnection?
    /// Neighbours in the pool.
    var nextIdle: UpstreamConnection?
    var previousIdle: UpstreamConnection?
    var socket: Socket?
    /// The HTTP/2 connection and, once open, the stream; both instead of a socket.
    var session: UpstreamSession?
    var stream: H2Stream?
    /// When the stream was opened.
    var askedAt: Int64 = 0
    /// Index among the users of the session.
    var place = 0
    var server: UpstreamServer?
    var exchange: Exchange?
    var phase = Phase.connecting
    var parser = ResponseParser(limits: UpstreamConnection.headLimits)
    /// The remaining response body, and its framing towards the client.
    var body = BodyRelay.empty
    /// Whether the connection can serve another exchange.
    var keepAlive = false
    /// Number of responses on this connection.
    var served = 0
    /// Number of interim responses before the current response.
    var interim = 0
    /// Whether any byte of the current response has arrived.
    var heard = false
    /// The last turn of the loop whose events precede the request.
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
