import Bytes

/// One HTTP/2 connection (RFC 9113), server or client: bytes in, events out, bytes out. No sockets, and time as an
/// argument. Framing, HPACK and flow control are libnghttp2's.
///
/// The owner calls `receive` with what came in, then `nextEvent` until nil, then `produce` while `wantsToSend`, then
/// `nextEvent` again: `drained` and `closed` come of sending too. When `isOver`, the connection is closed once all is
/// sent. Not Sendable: a session belongs to one worker.
package final class H2Session {
    let callbacks: H2Callbacks
    let isServer: Bool
    let limits: H2Limits
    let chunks: ChunkPool
    private let pool: H2StreamPool

    /// Why the connection has failed; nil while it has not.
    package var failure: H2Failure? { endedBy }
    /// The peer has acknowledged our SETTINGS; the owner keeps the time (RFC 9113 section 6.5.3).
    package internal(set) var settingsAcknowledged = false
    /// Streams that are not closed.
    package var activeStreams: Int { active }
    /// The most there ever were at a time.
    package var mostStreams: Int { most }
    /// Bytes of bodies framed so far: where it stands still, the peer takes nothing.
    package var framedBytes: Int { framed }
    /// Bytes of buffers that the streams hold.
    package var heldBytes: Int {
        streams.reduce(0) { $0 + $1.inbox.capacity + $1.outbox.capacity + $1.headBytes }
    }
    /// How far the announcement of the end has come.
    var announcement = Announcement.none
    /// The peer has read that the end is announced: what it sends from now on, it sends knowing of it.
    package var shutdownIsHeard: Bool { announcement == .heard }
    /// The peer has sent GOAWAY.
    package internal(set) var peerIsLeaving = false

    // Stored apart from what other rooms see, as in `H2Stream`.
    private var endedBy: H2Failure?
    private var active = 0
    private var most = 0
    var framed = 0
    /// All streams that events may still be of.
    private var streams: [H2Stream] = []
    private var firstReady: H2Stream?
    private var lastReady: H2Stream?
    /// The stream whose `closed` was handed out last.
    private var leaving: H2Stream?
    var announcesGoAway = false

    let block = H2Block()
    let floods: H2Floods
    private var order = H2FrameOrder()
    /// Time of the last `receive` in milliseconds.
    var now: Int64 = 0

    /// What is being written to, and how far; set during `produce`.
    var output: Chunk?
    var outputEnd = 0
    /// The rest of a frame that had no room.
    var spill: Chunk?
    /// Found within a callback: why the library has to stop.
    var cause: H2Failure?
    /// Some of the body stood in the DATA frame that is coming in.
    var frameHasBody = false
    /// The library has sent a GOAWAY for an error of the peer.
    var sentFailure: H2Failure?
    /// Our own GOAWAY is to be sent.
    var owesFarewell = false

    /// Of a GOAWAY that refuses nothing, and the PING behind it.
    enum Announcement {
        case none, queued, sent, heard
    }

    /// The server's end of a connection.
    package convenience init(
        server limits: H2Limits, chunks: ChunkPool, streams: H2StreamPool = H2StreamPool()
    ) {
        self.init(isServer: true, limits, chunks, streams)
    }

    /// The client's end of a connection.
    package convenience init(
        client limits: H2Limits, chunks: ChunkPool, streams: H2StreamPool = H2StreamPool()
    ) {
        self.init(isServer: false, limits, chunks, streams)
    }

    private init(isServer: Bool, _ limits: H2Limits, _ chunks: ChunkPool, _ pool: H2StreamPool) {
        self.isServer = isServer
        self.limits = limits
        self.chunks = chunks
        self.pool = pool
        floods = H2Floods(limits)
        callbacks = H2Callbacks(isServer: isServer, limits: limits)
        callbacks.work(for: self)
        callbacks.open(limits)
    }

    deinit {
        block.abandon(chunks)
        if let spill { chunks.give(spill) }
        for stream in streams { stream.recycle(chunks) }
    }

    /// Takes everything in.
    ///
    /// - Parameter now: milliseconds of a clock that never goes back.
    /// - Returns: false when the connection has failed: `failure` says why, every stream is reported reset and closed,
    ///   and what `produce` gives is the last to be sent.
    package func receive(_ bytes: Span<UInt8>, now: Int64) -> Bool {
        guard failure == nil else { return false }
        self.now = now
        let breach = isServer ? order.check(bytes) : nil
        let answer = callbacks.receive(bytes.extracting(0..<(breach?.offset ?? bytes.count)))
        if answer < 0 { fail(cause ?? H2Callbacks.failure(answer)) }
        if let breach { fail(breach.failure) }
        if failure == nil, callbacks.queuedFrames > limits.maximumQueuedFrames { fail(.queueFlood) }
        return failure == nil
    }

    /// What happened next; nil when all has been told.
    package func nextEvent() -> H2Event? {
        releaseLeaving()
        while let stream = firstReady {
            let event = stream.events.removeFirst()
            if event == .interim { stream.takeInterim() }
            // Out of the list with its last event: after `closed` the object may begin another life.
            if stream.events.isEmpty { unlinkFirst() }
            guard let event else { continue }
            if event == .head, isServer { stream.marks.insert(.isAnnounced) }
            if event == .closed {
                leaving = stream
                if !stream.marks.contains(.isAnnounced) {
                    releaseLeaving()
                    continue
                }
            }
            return H2Session.event(event, stream)
        }
        guard announcesGoAway else { return nil }
        announcesGoAway = false
        return .goAway
    }

    private func unlinkFirst() {
        guard let stream = firstReady else { return }
        firstReady = stream.next
        stream.next = nil
        if firstReady == nil { lastReady = nil }
        stream.marks.remove(.isReady)
    }

    private static func event(_ event: H2PendingEvents, _ stream: H2Stream) -> H2Event {
        switch event {
        case .interim: .interim(stream)
        case .head: .head(stream)
        case .body: .body(stream)
        case .ended: .ended(stream)
        case .drained: .drained(stream)
        case .reset: .reset(stream, code: stream.code)
        default: .closed(stream)
        }
    }

    /// Drops bytes from the front of the first chunk of the body received, and gives credit for them.
    package func consume(_ count: Int, of stream: H2Stream) {
        stream.inbox.dropFirst(count, pool: chunks)
        consumed(stream, count)
    }

    /// Gives the peer credit for bytes of body that have been passed on, on the stream and the connection.
    package func consumed(_ stream: H2Stream, _ count: Int) {
        let count = min(count, stream.owed)
        if count > 0 {
            stream.owed &-= count
            callbacks.consume(stream.id, count)
        }
        if stream.marks.contains(.awaitsReader), stream.unread == 0 { release(stream) }
    }

    /// Ends a stream at once. What waits to be sent is dropped; `closed` follows.
    package func reset(_ stream: H2Stream, code: UInt32) {
        stream.inbox.removeAll(pool: chunks)
        if stream.marks.contains(.awaitsReader) { return release(stream) }
        guard !stream.isClosed, !stream.marks.contains(.endsByUs), failure == nil else { return }
        stream.outbox.removeAll(pool: chunks)
        stream.marks.insert(.endsByUs)
        stream.events.remove([.interim, .head, .body, .ended, .drained])
        callbacks.reset(stream.id, code: code)
    }

    /// Announces the end of a server's connection: a GOAWAY that asks for no more streams and refuses none, and a PING
    /// behind it, by which `shutdownIsHeard` (RFC 9113 section 6.8).
    package func announceShutdown() {
        guard failure == nil, isServer else { return }
        announcement = .queued
        callbacks.announceShutdown()
    }

    /// Ends the connection: a GOAWAY that refuses the streams that come after it. Streams that are open go on. A peer that
    /// has heard the announcement loses none.
    package func shutDown() {
        guard failure == nil else { return }
        callbacks.shutDown()
    }

    /// The connection is gone: every stream is reported reset and closed, and nothing is sent any more.
    package func disconnect() {
        guard failure == nil else { return }
        fail(.disconnected)
        owesFarewell = false
    }

    /// Nothing more will be received or sent.
    package var isOver: Bool {
        if failure != nil { return !owesFarewell && spill == nil }
        return !callbacks.wantsRead && !wantsToSend
    }

    /// Ends the connection for this reason. The library is given nothing any more.
    func fail(_ reason: H2Failure) {
        guard failure == nil else { return }
        endedBy = reason
        owesFarewell = true
        block.abandon(chunks)
        for stream in streams where !stream.isClosed { close(stream, code: reason.code) }
    }

    func makeStream() -> H2Stream {
        let stream = pool.take()
        // Out and in again, here and below: a change in place would put a check on every reading.
        var table = streams
        streams = []
        stream.slot = table.count
        table.append(stream)
        streams = table
        active &+= 1
        most = max(most, active)
        return stream
    }

    /// Has `nextEvent` tell of this.
    func post(_ event: H2PendingEvents, _ stream: H2Stream) {
        stream.events.insert(event)
        guard !stream.marks.contains(.isReady) else { return }
        stream.marks.insert(.isReady)
        if let lastReady { lastReady.next = stream } else { firstReady = stream }
        lastReady = stream
    }

    /// The stream is at its end in the protocol.
    func close(_ stream: H2Stream, code: UInt32) {
        stream.marks.insert(.isClosed)
        active &-= 1
        stream.outbox.removeAll(pool: chunks)
        // A client has all it wants with the whole response, whatever becomes of the rest of its request.
        let isComplete = stream.ended && (stream.endSent || !isServer)
        if stream.marks.contains(.endsByUs) || isComplete {
            if !isServer, !stream.marks.contains(.endsByUs), stream.unread > 0 {
                stream.marks.insert(.awaitsReader)
                return
            }
        } else {
            stream.errorCode = code
            if !isServer, !stream.marks.contains(.isSent) || code == H2Code.refusedStream {
                stream.marks.insert(.mayReplay)
            }
            stream.events = .reset
        }
        release(stream)
    }

    /// Lets a closed stream go, with credit for what it still held.
    private func release(_ stream: H2Stream) {
        stream.marks.remove(.awaitsReader)
        if stream.owed > 0, failure == nil { callbacks.consume(stream.id, stream.owed) }
        stream.owed = 0
        // A request that was reset before anybody heard of it leaves no trace (CVE-2023-44487).
        if !stream.marks.contains(.isAnnounced) { stream.events = [] }
        post(.closed, stream)
    }

    private func releaseLeaving() {
        guard let stream = leaving else { return }
        leaving = nil
        remove(stream)
    }

    /// Takes a stream back that the library had no number for.
    func discard(_ stream: H2Stream) {
        active &-= 1
        remove(stream)
    }

    /// Makes the object ready for another life.
    private func remove(_ stream: H2Stream) {
        assert(!stream.marks.contains(.isReady), "it still stands in the list of those with events")
        var table = streams
        streams = []
        let last = table.removeLast()
        if last !== stream {
            last.slot = stream.slot
            table[stream.slot] = last
        }
        streams = table
        stream.recycle(chunks)
        pool.give(stream)
    }
}

@available(*, unavailable)
extension H2Session: Sendable {}
