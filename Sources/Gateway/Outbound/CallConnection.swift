import Bytes
import Crypto
import HTTP
import Identity
import Model
import Outbound
import Reactor

/// One outbound call of a worker with its connection, or a connection that waits for the next one. Objects are reused.
final class CallConnection: SlabElement {
    enum Phase {
        case vacant
        /// It is not time yet for another attempt.
        case delayed
        /// The name is being looked up.
        case resolving
        /// Connection and handshake are under way.
        case connecting
        /// The request was sent.
        case awaitingResponse
        /// The connection is kept for the next call.
        case idle
    }

    /// What two calls must have in common to use one connection.
    struct Place: Equatable {
        let origin: WebOrigin
        let tls: ObjectIdentifier?

        init(_ call: OutboundCall) {
            origin = call.url.origin
            tls = call.tls.map { ObjectIdentifier($0) }
        }
    }

    let index: Int
    var nextVacant: CallConnection?
    var generation: UInt32 = 0
    var phase = Phase.vacant
    var pending: PendingCall?
    var request: CallRequest?
    var place: Place?
    /// Keeps the context alive that `place` knows by its address.
    var tls: TLSClientContext?
    /// What is left to try.
    var addresses: [SocketAddress] = []
    /// When name, connection and handshake must be done.
    var connectBy: Int64 = .max
    var socket: Socket?
    /// The handshake began: what fails from here on is TLS.
    var isConnected = false
    /// The connection has served before.
    var isReused = false
    var response = CallResponse(to: .get, maximumBytes: 0)
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    init(index: Int) { self.index = index }

    func reset() {
        generation &+= 1
        phase = .vacant
        pending = nil
        request = nil
        place = nil
        tls = nil
        addresses = []
        connectBy = .max
        socket = nil
        isConnected = false
        isReused = false
        response = CallResponse(to: .get, maximumBytes: 0)
        deadline = .max
    }

    /// Tells whom a late answer is for.
    var identity: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

extension CallConnection: Timed {
    var timer: TimerToken { TimerToken(role: Worker.Role.call, owner: index) }
}
