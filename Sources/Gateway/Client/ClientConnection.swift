import Crypto
import HTTP
import Model
import Reactor

/// A client connection. HTTP/1 carries one exchange at a time, and pipelined requests wait in the inbox. HTTP/2 carries
/// many, each in its own stream.
final class ClientConnection: SlabElement {
    enum Phase: Equatable {
        /// Waiting for a complete PROXY header.
        case readingProxyHeader
        /// Waiting for a complete request head.
        case readingHead
        /// An exchange is in progress.
        case inExchange
        /// The exchange is answered; the rest of its request body is discarded before the next request.
        case skippingBody
        /// The last response is written and the sending side shut down. Further input is discarded until the client
        /// closes, so that a reset does not destroy the response (RFC 9112 section 9.6).
        case lingering
        /// The connection speaks HTTP/2; see `link` and `exchanges`.
        case multiplexing
    }

    let index: Int
    var nextVacant: ClientConnection?
    var socket: Socket?
    /// Index of the accepting listener.
    var listener = 0
    var role = ListenerRole.proxy
    /// When it became idle, in milliseconds.
    var idleSince: Int64 = 0
    /// The client's address: the peer's, or from the PROXY header; nil on a unix socket.
    var address: IPAddress?
    /// Whether it uses TLS.
    var isEncrypted: Bool { socket?.filter != nil }
    private var knownCertificate: ClientCertificate?
    private var hasReadCertificate = false
    /// Whether the certificate is revoked, and the configuration by which that was looked up.
    private var revocation = (generation: UInt64(0), isRevoked: false)
    /// The address that the connection is counted for in the tally.
    var talliedAddress: IPAddress?
    /// Bytes of the output that the client has taken.
    var delivery = Delivery()
    var phase = Phase.readingHead
    /// Whether the first bytes may be an HTTP/2 preface (RFC 9113 section 3.4).
    var mayBeHTTP2 = false
    /// Whether the first bytes could have been an HTTP/2 preface but were not, and no request was read yet.
    var lacksPreface = false
    /// Whether the TLS handshake is in progress.
    var isShakingHands = false
    var parser = RequestParser(limits: HTTPLimits())
    var exchange: Exchange?
    /// The HTTP/2 connection, while `multiplexing`.
    var link: H2Link?
    /// The exchanges of its streams, unordered.
    private(set) var exchanges: [Exchange] = []
    /// State of the graceful shutdown of an HTTP/2 connection.
    var shutdown = ConnectionShutdown()
    /// Whether the HTTP/2 client's time for taking output is running; further frames do not extend it.
    var isAwaited = false
    /// Body bytes that an HTTP/2 client had taken at the last check, and since when it has taken nothing of the answers
    /// waiting for it.
    var takenBytes = 0
    var untakenSince: Int64 = .max
    /// The body being discarded, in `skippingBody`.
    var skipped = BodyRelay.empty
    /// Bytes that may still be discarded or lingered over.
    var allowance = 0
    /// Whether the connection ends after the current response.
    var closing = false
    /// Whether the current response is written, so that the socket closes once the kernel has taken it.
    var closeWhenSent = false
    /// Whether its requests are being read, which prevents reentrancy when an exchange ends.
    var isServed = false
    /// Deadline for the current request head; `.max` between requests.
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
        revocation = (0, false)
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

    /// The client's certificate, parsed when a route first needs it; nil without one.
    var certificate: ClientCertificate? {
        if !hasReadCertificate {
            hasReadCertificate = true
            knownCertificate = socket?.tls?.peerCertificate.map { ClientCertificate($0) }
        }
        return knownCertificate
    }

    /// Whether the client's certificate counts no more under the authorities and revocation lists of a configuration.
    func isRevoked(by context: TLSServerContext, generation: UInt64) -> Bool {
        guard let session = socket?.tls else { return false }
        if revocation.generation != generation { revocation = (generation, context.revokes(session)) }
        return revocation.isRevoked || context.hasExpiredList(at: Clock.wallSeconds)
    }

    /// Adds the exchange of a stream.
    func add(_ exchange: Exchange) {
        // Moved out and back in, like all tables that requests change.
        var table = exchanges
        exchanges = []
        exchange.place = table.count
        table.append(exchange)
        exchanges = table
    }

    /// Removes the exchange of a stream.
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
