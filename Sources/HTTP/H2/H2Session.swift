import Bytes
import Model

/// One HTTP/2 connection (RFC 9113), server or client: bytes in, events out, bytes out. Uses no sockets and gets the
/// time as an argument. libnghttp2 does framing, HPACK and flow control.
///
/// The owner calls `receive` with incoming bytes, `nextEvent` until nil, `produce` while `wantsToSend`, and `nextEvent`
/// again, since sending causes `drained` and `closed`. Once `isOver`, the connection is closed after all is sent. Not
/// Sendable: a session belongs to one worker.
package final class H2Session {
    let callbacks: H2Callbacks
    let isServer: Bool
    let limits: H2Limits
    let chunks: ChunkPool
    private let streamPool: H2StreamPool

    /// Why the connection has failed; nil while it is intact.
    package var failure: H2Failure? { endedBy }
    /// Whether the peer has acknowledged the SETTINGS; the owner enforces the time-out (RFC 9113 section 6.5.3).
    package internal(set) var settingsAcknowledged = false
    /// Number of open streams.
    package var activeStreams: Int { active }
    /// Maximum number of concurrent streams so far.
    package var mostStreams: Int { most }
    /// Bytes of bodies framed so far, which stand still while the peer's window is full.
    package var framedBytes: Int { framed }
    /// Bytes of the buffers of all streams.
    package var heldBytes: Int {
        streams.reduce(0) { $0 + $1.inbox.capacity + $1.outbox.capacity + $1.headBytes }
    }
    /// State of the shutdown announcement.
    var announcement = Announcement.none
    /// Whether the peer has acknowledged the announced shutdown.
    package var shutdownIsAcknowledged: Bool { announcement == .acknowledged }
    /// The peer has sent GOAWAY.
    package internal(set) var peerSentGoAway = false

    // Stored separately from the package properties, as in `H2Stream`.
    private var endedBy: H2Failure?
    private var active = 0
    private var most = 0
    var framed = 0
    /// All streams that may still have events.
    private var streams: [H2Stream] = []
    private var firstReady: H2Stream?
    private var lastReady: H2Stream?
    /// The stream whose `closed` was reported last.
    private var lastClosed: H2Stream?
    var announcesGoAway = false

    let fieldBlock = H2Block()
    let floods: H2Floods
    private var order = H2FrameOrder()
    /// Time of the last `receive` in milliseconds.
    var receivedAt: Int64 = 0

    /// The output and its limit; set during `produce`.
    var output: Chunk?
    var outputEnd = 0
    /// The rest of a frame that did not fit.
    var spill: Chunk?
    /// The failure that a callback has found.
    var cause: H2Failure?
    /// Whether the current DATA frame contained body bytes.
    var frameHasBody = false
    /// Set if the library has sent a GOAWAY for an error of the peer.
    var sentFailure: H2Failure?
    /// Whether a GOAWAY must be written.
    var owesGoAway = false

    /// State of the first GOAWAY and the PING behind it.
    enum Announcement {
        case none, queued, sent, acknowledged
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
        streamPool = pool
        floods = H2Floods(limits)
        callbacks = H2Callbacks(isServer: isServer, limits: limits)
        callbacks.work(for: self)
        callbacks.open(limits)
    }

    deinit {
        fieldBlock.abandon(chunks)
        if let spill { chunks.give(spill) }
        for stream in streams { stream.recycle(chunks) }
    }

    /// Processes received bytes.
    ///
    /// - Parameter now: milliseconds of a monotonic clock.
    /// - Returns: false if the connection has failed: `failure` is set, every stream is reported reset and closed, and
    ///   `produce` writes the last frames.
    package func receive(_ bytes: Span<UInt8>, now: Int64) -> Bool {
        guard failure == nil else { return false }
        receivedAt = now
        let breach = isServer ? order.check(bytes) : nil
        let answer = callbacks.receive(bytes.extracting(0..<(breach?.offset ?? bytes.count)))
        if answer < 0 { fail(cause ?? H2Callbacks.failure(answer)) }
        if let breach { fail(breach.failure) }
        if failure == nil, callbacks.queuedFrames > limits.maximumQueuedFrames { fail(.queueFlood) }
        return failure == nil
    }

    /// The next event, if any.
    package func nextEvent() -> H2Event? {
        releaseLeaving()
        while let stream = firstReady {
            let event = stream.events.removeFirst()
            if event == .interim { stream.takeInterim() }
            // Unlinked with its last event, since the object may be reused after `closed`.
            if stream.events.isEmpty { unlink(stream) }
            guard let event else { continue }
            if event == .head, isServer { stream.marks.insert(.isReported) }
            if event == .closed {
                lastClosed = stream
                if !stream.marks.contains(.isReported) {
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

    /// Unlinks the first stream of those with events.
    private func unlink(_ stream: H2Stream) {
        firstReady = stream.next.take()
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

    /// Drops bytes from the front of the received body, and returns credit for them.
    package func consume(_ count: Int, of stream: H2Stream) {
        stream.inbox.dropFirst(count, pool: chunks)
        consumed(stream, count)
    }

    /// Returns flow control credit for forwarded bytes, on the stream and the connection.
    package func consumed(_ stream: H2Stream, _ count: Int) {
        let count = min(count, stream.owed)
        if count > 0 {
            stream.owed &-= count
            callbacks.consume(stream.id, count)
        }
        if stream.marks.contains(.awaitsRead), stream.unread == 0 { release(stream) }
    }

    /// Resets a stream; `closed` follows.
    ///
    /// - Parameter afterOutput: whether its unsent data is sent before; it is dropped otherwise.
    package func reset(_ stream: H2Stream, code: UInt32, afterOutput: Bool = false) {
        if afterOutput, stream.pendingBytes > 0, !stream.marks.contains(.isFinishing) {
            stream.marks.insert(.breaksOff)
            return
        }
        stream.inbox.removeAll(pool: chunks)
        if stream.marks.contains(.awaitsRead) { return release(stream) }
        guard !stream.isClosed, !stream.marks.contains(.endsByUs), failure == nil else { return }
        stream.outbox.removeAll(pool: chunks)
        stream.marks.insert(.endsByUs)
        stream.events.remove([.interim, .head, .body, .ended, .drained])
        callbacks.reset(stream.id, code: code)
    }

    /// Announces a graceful shutdown of a server's connection: a GOAWAY that refuses no stream, and a PING whose
    /// acknowledgement sets `shutdownIsAcknowledged` (RFC 9113 section 6.8).
    package func announceShutdown() {
        guard failure == nil, isServer else { return }
        announcement = .queued
        callbacks.announceShutdown()
    }

    /// Shuts the connection down: a GOAWAY that refuses later streams. Open streams continue. A peer that has
    /// acknowledged the announcement loses none.
    package func shutDown() {
        guard failure == nil else { return }
        callbacks.shutDown()
    }

    /// Handles a lost connection: every stream is reported reset and closed, and nothing more is sent.
    package func disconnect() {
        guard failure == nil else { return }
        fail(.disconnected)
        owesGoAway = false
    }

    /// Whether the connection has ended in both directions.
    package var isOver: Bool {
        if failure != nil { return !owesGoAway && spill == nil }
        return !callbacks.wantsRead && !wantsToSend
    }

    /// Fails the connection. The library is not used any more.
    func fail(_ reason: H2Failure) {
        guard failure == nil else { return }
        endedBy = reason
        owesGoAway = true
        fieldBlock.abandon(chunks)
        for stream in streams where !stream.isClosed { close(stream, code: reason.code) }
    }

    func makeStream() -> H2Stream {
        let stream = streamPool.take()
        // Moved out and in again: mutation in place would need an exclusivity check at each read.
        var table = streams
        streams = []
        stream.slot = table.count
        table.append(stream)
        streams = table
        active &+= 1
        most = max(most, active)
        return stream
    }

    /// Queues an event for `nextEvent`.
    func post(_ event: H2PendingEvents, _ stream: H2Stream) {
        stream.events.insert(event)
        guard !stream.marks.contains(.isReady) else { return }
        stream.marks.insert(.isReady)
        if let last = lastReady.take() { last.next = stream } else { firstReady = stream }
        lastReady = stream
    }

    /// Handles the protocol's end of a stream.
    func close(_ stream: H2Stream, code: UInt32) {
        stream.marks.insert(.isClosed)
        active &-= 1
        stream.outbox.removeAll(pool: chunks)
        // For a client, the complete response suffices, even if its request was cut off.
        let isComplete = stream.ended && (stream.endSent || !isServer)
        if stream.marks.contains(.endsByUs) || isComplete {
            if !isServer, !stream.marks.contains(.endsByUs), stream.unread > 0 {
                stream.marks.insert(.awaitsRead)
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

    /// Releases a closed stream, with credit for its unread data.
    private func release(_ stream: H2Stream) {
        stream.marks.remove(.awaitsRead)
        if stream.owed > 0, failure == nil { callbacks.consume(stream.id, stream.owed) }
        stream.owed = 0
        // A request that was reset before it was reported is dropped (CVE-2023-44487).
        if !stream.marks.contains(.isReported) { stream.events = [] }
        post(.closed, stream)
    }

    private func releaseLeaving() {
        if let stream = lastClosed.take() { remove(stream) }
    }

    /// Removes a stream that the library could not open.
    func discard(_ stream: H2Stream) {
        active &-= 1
        remove(stream)
    }

    /// Removes a stream and recycles the object.
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
        streamPool.give(stream)
    }
}

@available(*, unavailable)
extension H2Session: Sendable {}
