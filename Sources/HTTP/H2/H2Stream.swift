import Bytes

/// One request and its response on an HTTP/2 connection. A reused object: `generation` tells its lives apart.
package final class H2Stream {
    package var id: Int32 { number }
    package var generation: UInt32 { life }
    /// For the owner of the session, who may keep an index here; 0 at the start of each life.
    package var owner: Int {
        get { ownerPlace }
        set { ownerPlace = newValue }
    }

    /// Bytes of the last head: the pseudo-header fields, then field lines as HTTP/1 writes them and an empty line.
    package var head: Chunk { receivedHead }
    /// The same of the interim response that was told of last.
    package var interim: Chunk? { toldInterim }
    /// Those of interim responses that are still to be told of, in their order.
    var interims: [Chunk] = []
    /// How many may wait: more than that in one piece of bytes is nothing a good server sends.
    static let maximumInterims = 16
    /// Field lines of the received trailers with the empty line behind them; nil where there were none.
    package var trailers: Chunk? { receivedTrailers }
    /// Value of `:protocol` in `head` (RFC 8441); nil where there was none.
    package var extendedProtocol: ByteRange? { isSet(.protocol) ? fields.protocol : nil }

    /// The peer's message is complete.
    package var ended: Bool { marks.contains(.ended) }
    /// The peer's message was complete with its head.
    package var endedWithHead: Bool { marks.contains(.endedWithHead) }
    /// The request has the method HEAD; known of a head that is refused, too.
    package var asksForHead: Bool { marks.contains(.asksForHead) }
    /// Our message is complete and framed.
    package var endSent: Bool { marks.contains(.endSent) }
    /// Nothing can be sent or received any more.
    package var isClosed: Bool { marks.contains(.isClosed) }
    /// The error code the stream ended with before its time.
    package var code: UInt32 { errorCode }
    /// A request of ours that the peer says it has not looked at, or that was not sent: it may be sent again elsewhere
    /// whatever its method (RFC 9113 section 8.7).
    package var mayReplay: Bool { marks.contains(.mayReplay) }

    // Stored apart from what other rooms see: accesses that the compiler can follow through the whole module cost no
    // check at run time.
    var number: Int32 = 0
    private var life: UInt32 = 0
    private var ownerPlace = 0
    var receivedHead = Chunk(capacity: H2Stream.headCapacity)
    private var toldInterim: Chunk?
    var receivedTrailers: Chunk?
    var errorCode: UInt32 = 0
    /// How far the stream has come.
    var marks: H2StreamMarks = []

    let inbox = ChunkQueue()
    let outbox = ChunkQueue()
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
    /// The next one in the list that the stream stands in: of those with events, or of those without use.
    var next: H2Stream?
    /// Place among the session's streams.
    var slot = 0

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
        let told = receivedHead.capacity &+ (toldInterim?.capacity ?? 0)
        return interims.isEmpty ? told : interims.reduce(told) { $0 &+ $1.capacity }
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
        var waiting = interims
        interims = []
        toldInterim = waiting.removeFirst()
        if !waiting.isEmpty { events.insert(.interim) }
        interims = waiting
    }

    /// Prepares the object for another stream.
    func recycle(_ chunks: ChunkPool) {
        life &+= 1
        chunks.charge(-chargedBytes)
        chargedBytes = 0
        ownerPlace = 0
        number = 0
        if receivedHead.capacity > 4 * H2Stream.headCapacity { receivedHead = Chunk(capacity: H2Stream.headCapacity) }
        receivedHead.reset()
        // Interim heads are of the same kind as `head`, and no pool's.
        toldInterim = nil
        if !interims.isEmpty { interims = [] }
        if let chunk = receivedTrailers {
            receivedTrailers = nil
            chunks.give(chunk)
        }
        if let chunk = lastFields {
            lastFields = nil
            chunks.give(chunk)
        }
        inbox.removeAll(pool: chunks)
        outbox.removeAll(pool: chunks)
        owed = 0
        errorCode = 0
        fields = H2FieldRanges()
        present = []
        headError = nil
        events = []
        next = nil
        marks = []
    }
}

@available(*, unavailable)
extension H2Stream: Sendable {}

/// Streams without use, for the sessions of one worker.
package final class H2StreamPool {
    private var first: H2Stream?
    private var count = 0
    private let keep: Int

    package init(keep: Int = 256) { self.keep = keep }

    func take() -> H2Stream {
        guard let stream = first else { return H2Stream() }
        first = stream.next
        stream.next = nil
        count &-= 1
        return stream
    }

    /// Keeps it; one that is too many is freed.
    func give(_ stream: consuming H2Stream) {
        guard count < keep else { return }
        stream.next = first
        first = consume stream
        count &+= 1
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

/// How far a stream has come. One value for all, so that a stream begins its next life with one step.
struct H2StreamMarks: OptionSet {
    let rawValue: UInt16

    static let ended = H2StreamMarks(rawValue: 1)
    static let endedWithHead = H2StreamMarks(rawValue: 1 << 1)
    static let endSent = H2StreamMarks(rawValue: 1 << 2)
    static let isClosed = H2StreamMarks(rawValue: 1 << 3)
    static let mayReplay = H2StreamMarks(rawValue: 1 << 4)
    /// It stands in the list of those with events.
    static let isReady = H2StreamMarks(rawValue: 1 << 5)
    /// The owner knows of the stream.
    static let isAnnounced = H2StreamMarks(rawValue: 1 << 6)
    /// The final head has been received.
    static let hasHead = H2StreamMarks(rawValue: 1 << 7)
    /// A final head of ours has been handed to the library.
    static let hasAnswered = H2StreamMarks(rawValue: 1 << 8)
    /// The request has left.
    static let isSent = H2StreamMarks(rawValue: 1 << 9)
    static let isFinishing = H2StreamMarks(rawValue: 1 << 10)
    /// The library waits to be told that there is something to frame.
    static let isDeferred = H2StreamMarks(rawValue: 1 << 11)
    static let isAboveLowWater = H2StreamMarks(rawValue: 1 << 12)
    /// We end the stream ourselves: no `reset` is reported.
    static let endsByUs = H2StreamMarks(rawValue: 1 << 13)
    /// Closed in the protocol, but the owner has not taken all of the body.
    static let awaitsReader = H2StreamMarks(rawValue: 1 << 14)
    static let asksForHead = H2StreamMarks(rawValue: 1 << 15)
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
