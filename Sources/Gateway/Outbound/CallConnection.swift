import Crypto
import HTTP
import Model
import Outbound
import Reactor

/// An outbound call with its connection, or an idle connection. Objects are reused.
final class CallConnection: SlabElement {
    enum Phase {
        case vacant
        /// Waiting before another attempt.
        case delayed
        /// Resolving the name.
        case resolving
        /// Connecting, including the handshake.
        case connecting
        /// The request was sent.
        case awaitingResponse
        /// Kept for the next call.
        case idle
    }

    /// What two calls must share to use the same connection.
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
    /// Retains the context that `place` identifies by its address.
    var tls: TLSClientContext?
    /// Addresses not yet tried.
    var addresses: [SocketAddress] = []
    /// The address that was tried last, and why it was not reached.
    var address: SocketAddress?
    var problem = ""
    /// Deadline for resolution, connection and handshake.
    var connectBy: Int64 = .max
    var socket: Socket?
    /// Whether the handshake began: later failures are TLS failures.
    var isConnected = false
    /// Whether the connection was used before.
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
        address = nil
        problem = ""
        connectBy = .max
        socket = nil
        isConnected = false
        isReused = false
        response = CallResponse(to: .get, maximumBytes: 0)
        deadline = .max
    }

    /// Identifies the recipient of a late answer.
    var identity: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

extension CallConnection: Timed {
    var timer: TimerToken { TimerToken(role: LoopRole.call, owner: index) }
}
