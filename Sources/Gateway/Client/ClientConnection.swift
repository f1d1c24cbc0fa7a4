import Crypto
import HTTP
import Model
import Reactor

/// One connection of a client. Over HTTP/1 it carries one exchange at a time, and pipelined requests wait in the inbox;
/// over HTTP/2 it carries many, each in a stream of its own.
final class ClientConnection: SlabElement {
    enum Phase: Equatable {
        /// A peer that must send a PROXY header has not sent it whole.
        case readingProxyHeader
        /// A request head is awaited or incomplete.
        case readingHead
        /// An exchange is under way.
        case inExchange
        /// The exchange is answered; the rest of its request body is read and dropped before the next.
        case skippingBody
        /// The last response is written, and our side shut down behind it; what the client still sends is dropped until
        /// it closes, so that the response is not lost to a reset (RFC 9112 section 9.6).
        case lingering
        /// The connection speaks HTTP/2; `link` and `exchanges` say what is under way.
        case multiplexing
    }

    let index: Int
    var nextVacant: ClientConnection?
    var socket: Socket?
    /// Which listener accepted it.
    var listener = 0
    /// What that listener serves.
    var role = ListenerRole.proxy
    /// When it began to wait for its next request, in milliseconds.
    var idleSince: Int64 = 0
    /// Whose connection it is: the peer's address, or the one that a PROXY header names; nil on a unix socket.
    var address: IPAddress?
    /// Whether it came over TLS.
    var isEncrypted: Bool { socket?.filter != nil }
    private var knownCertificate: ClientCertificate?
    private var hasReadCertificate = false
    /// The address that the connection is counted for.
    var talliedAddress: IPAddress?
    /// What the client has taken of what was sent to it.
    var delivery = Delivery()
    var phase = Phase.readingHead
    /// The first bytes may be those of HTTP/2 (RFC 9113 section 3.4).
    var mayBeHTTP2 = false
    /// The first bytes could have been those of HTTP/2 and are not, and no request has been read yet.
    var lacksPreface = false
    /// The TLS handshake is under way.
    var isShakingHands = false
    var parser = RequestParser(limits: HTTPLimits())
    var exchange: Exchange?
    /// The HTTP/2 connection, in `multiplexing`.
    var link: H2Link?
    /// The exchanges of its streams, in no order.
    private(set) var exchanges: [Exchange] = []
    /// How far the client of an HTTP/2 connection has been told that it is about to end.
    var shutdown = ConnectionShutdown()
    /// The time of an HTTP/2 client to take what was sent runs; no further frame gives it more.
    var isAwaited = false
    /// How much of its bodies an HTTP/2 client had taken when that was last looked at, and since when it has taken nothing
    /// of answers that wait for it.
    var takenBytes = 0
    var untakenSince: Int64 = .max
    /// What is skipped, in `skippingBody`.
    var skipped = BodyRelay.empty
    /// How many bytes may still be skipped or lingered over.
    var allowance = 0
    /// The connection ends after the current response.
    var closing = false
    /// The current response is written and the socket closes when the kernel has taken it.
    var closeWhenSent = false
    /// Its requests are being read: an exchange that ends must not have them read again.
    var isServed = false
    /// When the head that has begun must be complete; `.max` between requests.
    var headDeadline: Int64 = .max
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    init(index: Int) { self.index = index }

    func reset() {
        socket = nil
        phase = .readingHead
        role = .proxy
        address = nil
        knownCertificate = nil
        hasReadCertificate = false
        talliedAddress = nil
        lacksPreface = false
        isShakingHands = false
        exchange = nil
        link = nil
        shutdown = ConnectionShutdown()
        isAwaited = false
        takenBytes = 0
        untakenSince = .max
        skipped = .empty
        closing = false
        closeWhenSent = false
        isServed = false
        headDeadline = .max
        deadline = .max
    }

    /// What the client's certificate says, read when a route first asks for it; nil where it showed none.
    var certificate: ClientCertificate? {
        if !hasReadCertificate {
            hasReadCertificate = true
            knownCertificate = socket?.tls?.peerCertificate.map(ClientCertificate.init)
        }
        return knownCertificate
    }

    /// An exchange of one of the streams begins.
    func add(_ exchange: Exchange) {
        // Out and in again, as in all tables that requests change.
        var table = exchanges
        exchanges = []
        exchange.place = table.count
        table.append(exchange)
        exchanges = table
    }

    /// An exchange of one of the streams has ended.
    func remove(_ exchange: Exchange) {
        var table = exchanges
        exchanges = []
        let last = table.removeLast()
        if last !== exchange {
            last.place = exchange.place
            table[exchange.place] = last
        }
        exchanges = table
    }
}
