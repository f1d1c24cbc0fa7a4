import Bytes

/// One request and its response on an HTTP/2 connection. A reused object: `generation` tells its lives apart.
package final class H2Stream {
    package internal(set) var id: Int32 = 0
    package internal(set) var generation: UInt32 = 0
    /// For the owner of the session, who may keep an index here; 0 at the start of each life.
    package var owner = 0

    /// Bytes of the last head: the pseudo-header fields, then field lines as HTTP/1 writes them and an empty line.
    package internal(set) var head = Chunk(capacity: H2Stream.headCapacity)
    /// The same of the interim response that was told of last.
    package internal(set) var interim: Chunk?
    /// Those of interim responses that are still to be told of, in their order.
    var interims: [Chunk] = []
    /// How many may wait: more than that in one piece of bytes is nothing a good server sends.
    static let maximumInterims = 16
    /// Field lines of the received trailers with the empty line behind them; nil where there were none.
    package internal(set) var trailers: Chunk?
    /// Value of `:protocol` in `head` (RFC 8441); nil where there was none.
    package var extendedProtocol: ByteRange? { isSet(.protocol) ? fields.protocol : nil }

    /// The peer's message is complete.
    package internal(set) var ended = false
    /// The peer's message was complete with its head.
    package internal(set) var endedWithHead = false
    /// Our message is complete and framed.
    package internal(set) var endSent = false
    /// Nothing can be sent or received any more.
    package internal(set) var isClosed = false
    /// The error code the stream ended with before its time.
    package internal(set) var code: UInt32 = 0
    /// A request of ours that the peer says it has not looked at, or that was not sent: it may be sent again elsewhere
    /// whatever its method (RFC 9113 section 8.7).
    package internal(set) var mayReplay = false

    var inbox = ChunkQueue()
    var outbox = ChunkQueue()
    /// Trailers to be sent.
    var lastFields: Chunk?
    /// Bytes received for which the peer has no credit back yet.
    var owed = 0
    var fields = H2FieldRanges()
    var present: H2PseudoFields = []
    var headError: HTTPParseError?

    var events: H2PendingEvents = []
    /// Bytes of heads that the pool counts for this stream.
    private var chargedBytes = 0
    var isReady = false
    var nextReady: H2Stream?
    /// Place among the session's streams.
    var slot = 0

    /// The owner knows of the stream.
    var isAnnounced = false
    /// The final head has been received.
    var hasHead = false
    /// A final head of ours has been handed to the library.
    var hasAnswered = false
    /// The request has left.
    var isSent = false
    var isFinishing = false
    /// The library waits to be told that there is something to frame.
    var isDeferred = false
    var isAboveLowWater = false
    /// We end the stream ourselves: no `reset` is reported.
    var endsByUs = false
    /// Closed in the protocol, but the owner has not taken all of the body.
    var awaitsReader = false

    static let headCapacity = 1024

    init() {}

    /// The first chunk of the body received, to be looked at; `takeInbox` takes it.
    package var inboxFront: Chunk? { inbox.first }
    /// Bytes of body that have been received and not been taken.
    package var unread: Int { inbox.byteCount }
    /// Takes the first chunk of the body received over. Once its bytes are passed on, `H2Session.consumed` says so.
    package func takeInbox() -> Chunk? { inbox.removeFirst() }
    /// Bytes of body given to `H2Session.send` and not yet framed.
    package var pendingBytes: Int { outbox.byteCount }

    func isSet(_ field: H2PseudoFields) -> Bool { present.contains(field) }

    /// Bytes of the heads that stand here.
    var headBytes: Int {
        interims.reduce(head.capacity &+ (interim?.capacity ?? 0)) { $0 &+ $1.capacity }
    }

    /// Has the pool count the heads as they are now: they are held for as long as the answer takes, and what one
    /// client's streams hold must show where memory is looked after.
    func chargeHeads(_ chunks: ChunkPool) {
        let bytes = headBytes
        chunks.charge(bytes &- chargedBytes)
        chargedBytes = bytes
    }

    /// Makes the next interim response the one that is told of.
    func takeInterim() {
        interim = interims.removeFirst()
        if !interims.isEmpty { events.insert(.interim) }
    }

    /// Prepares the object for another stream.
    func recycle(_ chunks: ChunkPool) {
        generation &+= 1
        chunks.charge(-chargedBytes)
        chargedBytes = 0
        owner = 0
        id = 0
        if head.capacity > 4 * H2Stream.headCapacity { head = Chunk(capacity: H2Stream.headCapacity) }
        head.reset()
        // Interim heads are of the same kind as `head`, and no pool's.
        for chunk in [trailers, lastFields] {
            if let chunk { chunks.give(chunk) }
        }
        interim = nil
        if !interims.isEmpty { interims = [] }
        trailers = nil
        lastFields = nil
        inbox.removeAll(pool: chunks)
        outbox.removeAll(pool: chunks)
        owed = 0
        code = 0
        fields = H2FieldRanges()
        present = []
        headError = nil
        events = []
        nextReady = nil
        (ended, endedWithHead, endSent, isClosed, mayReplay) = (false, false, false, false, false)
        (isReady, isAnnounced, hasHead, hasAnswered, isSent) = (false, false, false, false, false)
        (isFinishing, isDeferred, isAboveLowWater, endsByUs, awaitsReader) = (false, false, false, false, false)
    }
}

@available(*, unavailable)
extension H2Stream: Sendable {}

/// Streams without use, for the sessions of one worker.
package final class H2StreamPool {
    private var spare: [H2Stream] = []
    private let keep: Int

    package init(keep: Int = 256) { self.keep = keep }

    func take() -> H2Stream { spare.popLast() ?? H2Stream() }

    func give(_ stream: H2Stream) {
        if spare.count < keep { spare.append(stream) }
    }
}

@available(*, unavailable)
extension H2StreamPool: Sendable {}

/// Where the values of the pseudo-header fields stand in the head (RFC 9113 section 8.3).
struct H2FieldRanges {
    var method = ByteRange.empty
    var scheme = ByteRange.empty
    var authority = ByteRange.empty
    var path = ByteRange.empty
    var `protocol` = ByteRange.empty
    var status = ByteRange.empty
    /// Where the field lines begin.
    var lines = 0
}

/// Which pseudo-header fields there were.
struct H2PseudoFields: OptionSet {
    let rawValue: UInt8
    static let method = H2PseudoFields(rawValue: 1)
    static let scheme = H2PseudoFields(rawValue: 2)
    static let authority = H2PseudoFields(rawValue: 4)
    static let path = H2PseudoFields(rawValue: 8)
    static let `protocol` = H2PseudoFields(rawValue: 16)
    static let status = H2PseudoFields(rawValue: 32)
}
