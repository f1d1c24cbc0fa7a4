import Bytes

/// One request and its response on an HTTP/2 connection. Objects are reused; `generation` distinguishes the uses.
package final class H2Stream {
    package var id: Int32 { number }
    package var generation: UInt32 { life }
    /// Free for the owner of the session, such as for an index; initially 0.
    package var owner: Int {
        get { ownerPlace }
        set { ownerPlace = newValue }
    }

    /// Bytes of the last head: the pseudo-header fields, HTTP/1 field lines and an empty line.
    package var head: Chunk { receivedHead }
    /// The same for the interim response that was reported last.
    package var interim: Chunk? { currentInterim }
    /// Interim responses that are not reported yet.
    var interims: [Chunk] = []
    /// Limit of pending interim responses, above what well-behaved servers send at once.
    static let maximumInterims = 16
    /// Field lines of the received trailers with the empty line; nil without trailers.
    package var trailers: Chunk? { receivedTrailers }
    /// Value of `:protocol` in `head` (RFC 8441).
    package var extendedProtocol: ByteRange? { isSet(.protocol) ? fields.protocol : nil }

    /// The peer's message is complete.
    package var ended: Bool { marks.contains(.ended) }
    /// The peer's message was complete with its head.
    package var endedWithHead: Bool { marks.contains(.endedWithHead) }
    /// Whether the method is HEAD, also for a refused head.
    package var asksForHead: Bool { marks.contains(.asksForHead) }
    /// The outgoing message is complete and framed.
    package var endSent: Bool { marks.contains(.endSent) }
    /// Nothing can be sent or received any more.
    package var isClosed: Bool { marks.contains(.isClosed) }
    /// The error code of an aborted stream.
    package var code: UInt32 { errorCode }
    /// Whether the peer has not processed the request, or it was not sent: it may be retried elsewhere regardless of
    /// its method (RFC 9113 section 8.7).
    package var mayReplay: Bool { marks.contains(.mayReplay) }

    // Stored separately from the package properties: within the module, the compiler can remove exclusivity checks of
    // internal properties.
    var number: Int32 = 0
    private var life: UInt32 = 0
    private var ownerPlace = 0
    var receivedHead = Chunk(capacity: H2Stream.headCapacity)
    private var currentInterim: Chunk?
    var receivedTrailers: Chunk?
    var errorCode: UInt32 = 0
    /// State flags of the stream.
    var marks: H2StreamMarks = []

    let inbox = ChunkQueue()
    let outbox = ChunkQueue()
    /// Trailers to be sent.
    var lastFields: Chunk?
    /// Received bytes whose credit was not returned yet.
    var owed = 0
    var fields = H2FieldRanges()
    var present: H2PseudoFields = []
    var headError: HTTPParseError?

    var events: H2PendingEvents = []
    /// Bytes of heads that are charged to the pool.
    private var chargedBytes = 0
    /// The next stream in the list of streams with events, or in the free list.
    var next: H2Stream?
    /// Index in the session's streams.
    var slot = 0

    static let headCapacity = 1024

    init() {}

    /// The first chunk of the received body, for inspection.
    package var inboxFront: Chunk? { inbox.first }
    /// Bytes of the received body that were not taken.
    package var unread: Int { inbox.byteCount }
    /// Takes the first chunk of the received body. The owner calls `H2Session.consumed` once its bytes are forwarded.
    package func takeInbox() -> Chunk? { inbox.removeFirst() }
    /// Bytes of body given to `H2Session.send` and not yet framed.
    package var pendingBytes: Int { outbox.byteCount }

    func isSet(_ field: H2PseudoFields) -> Bool { present.contains(field) }

    /// Bytes of the heads of the stream.
    var headBytes: Int {
        let current = receivedHead.capacity &+ (currentInterim?.capacity ?? 0)
        return interims.isEmpty ? current : interims.reduce(current) { $0 &+ $1.capacity }
    }

    /// Charges the heads to the pool, since they are held during the whole exchange and count against the memory limits
    /// of a client.
    func chargeHeads(_ chunks: ChunkPool) {
        let bytes = headBytes
        chunks.charge(bytes &- chargedBytes)
        chargedBytes = bytes
    }

    /// Makes the next interim response the current one.
    func takeInterim() {
        var waiting = interims
        interims = []
        currentInterim = waiting.removeFirst()
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
        // Interim heads do not come from the pool, like `head`.
        currentInterim = nil
        if !interims.isEmpty { interims = [] }
        if let chunk = receivedTrailers.take() { chunks.give(chunk) }
        if let chunk = lastFields.take() { chunks.give(chunk) }
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

/// Free streams for the sessions of one worker.
package final class H2StreamPool {
    private var first: H2Stream?
    private var count = 0
    private let keep: Int

    package init(keep: Int = 256) { self.keep = keep }

    func take() -> H2Stream {
        guard let stream = first.take() else { return H2Stream() }
        first = stream.next.take()
        count &-= 1
        return stream
    }

    /// Keeps the stream, or frees it if the pool is full.
    func give(_ stream: consuming H2Stream) {
        guard count < keep else { return }
        stream.next = first.take()
        first = consume stream
        count &+= 1
    }
}

@available(*, unavailable)
extension H2StreamPool: Sendable {}

/// Ranges of the pseudo-header fields in the head (RFC 9113 section 8.3).
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

/// State flags of a stream in one value, so that recycling resets them at once.
struct H2StreamMarks: OptionSet {
    let rawValue: UInt32

    static let ended = H2StreamMarks(rawValue: 1)
    static let endedWithHead = H2StreamMarks(rawValue: 1 << 1)
    static let endSent = H2StreamMarks(rawValue: 1 << 2)
    static let isClosed = H2StreamMarks(rawValue: 1 << 3)
    static let mayReplay = H2StreamMarks(rawValue: 1 << 4)
    /// It is in the list of streams with events.
    static let isReady = H2StreamMarks(rawValue: 1 << 5)
    /// The owner knows of the stream.
    static let isReported = H2StreamMarks(rawValue: 1 << 6)
    /// The final head has been received.
    static let hasHead = H2StreamMarks(rawValue: 1 << 7)
    /// A final head was submitted to the library.
    static let hasAnswered = H2StreamMarks(rawValue: 1 << 8)
    /// The request has left.
    static let isSent = H2StreamMarks(rawValue: 1 << 9)
    static let isFinishing = H2StreamMarks(rawValue: 1 << 10)
    /// The library waits for `resume` to frame more data.
    static let isDeferred = H2StreamMarks(rawValue: 1 << 11)
    static let isAboveLowWater = H2StreamMarks(rawValue: 1 << 12)
    /// The owner ends the stream, so that no `reset` is reported.
    static let endsByUs = H2StreamMarks(rawValue: 1 << 13)
    /// Closed in the protocol, but the body is not fully read.
    static let awaitsRead = H2StreamMarks(rawValue: 1 << 14)
    static let asksForHead = H2StreamMarks(rawValue: 1 << 15)
    /// It is reset as soon as its pending output is framed.
    static let breaksOff = H2StreamMarks(rawValue: 1 << 16)
}

/// The pseudo-header fields that are present.
struct H2PseudoFields: OptionSet {
    let rawValue: UInt8
    static let method = H2PseudoFields(rawValue: 1)
    static let scheme = H2PseudoFields(rawValue: 2)
    static let authority = H2PseudoFields(rawValue: 4)
    static let path = H2PseudoFields(rawValue: 8)
    static let `protocol` = H2PseudoFields(rawValue: 16)
    static let status = H2PseudoFields(rawValue: 32)
}
