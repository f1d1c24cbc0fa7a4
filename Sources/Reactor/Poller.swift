import Bytes
import CLinux

/// The event loop's interface to the kernel: waits, receives and sends, and reports completions.
///
/// Use: `wait()`, then `next()` until nil. Callers never read: bytes are there when they are reported. An `Engine` does
/// the event notification. Not Sendable: one per worker, used by the thread that first waits.
package final class Poller {
    let engine: Engine
    let sockets = SocketTable()
    var listeners: [Listener] = []
    /// Sockets to continue with without a new event: unread bytes, a resumed reader, an unreported failure.
    let revisits = Backlog()
    /// Sockets whose handshakes continue at the end of a turn.
    let openings = Backlog()
    /// Descriptors with large kernel buffers to close later, and whether with an RST.
    var closings: [(descriptor: Int32, reset: Bool)] = []
    /// Whether a handshake is being continued.
    var opens = false
    /// Microseconds of the monotonic clock at the last wait.
    var turnBegunAt: Int64 = 0
    /// Index of the socket whose bytes were reported last; -1 for none.
    var current = -1
    /// The output buffer of filters. What the kernel does not accept at once is moved.
    var wireBuffer = Chunk(capacity: Poller.initialWireCapacity)
    let timers: TimerWheel
    let waker: Waker
    var listenersPausedUntil: Int64 = 0
    /// Queued connections of closed listeners.
    var lateArrivals: [(listener: Int, socket: Socket)] = []
    var lateCursor = 0
    /// How often listeners were paused for lack of descriptors.
    var acceptsPostponed: UInt64 = 0
    /// The traffic of this loop so far.
    package var traffic: LoopTraffic { counted }
    var counted = LoopTraffic()
    /// Whether bulk data is read in larger pieces; false if memory is scarce.
    package var readsFarAhead: Bool {
        get { engine.readsFarAhead }
        set { engine.readsFarAhead = newValue }
    }

    /// Number of the turn: everything reported in a turn precedes all actions of the turn.
    package var turn: UInt64 { waits }
    private var waits: UInt64 = 0

    /// The spare buffers of this loop.
    package let chunks: ChunkPool
    /// Milliseconds of the monotonic clock at the last wait.
    package var now: Int64 { monotonicNow }
    /// Seconds since 1970 at the last wait.
    package var wallSeconds: Int64 { wallNow }
    private var monotonicNow: Int64
    private var wallNow: Int64

    /// Limit of accepted connections of a listener in a turn, so that a flood does not starve the others.
    static let acceptsPerTurn = 16

    /// - Parameter engine: the event notification. Throws if it is not available.
    package init(
        waker: Waker, chunkSize: Int, spareChunks: Int = 256, engine: LoopEngine = .epoll
    ) throws(KernelError) {
        self.waker = waker
        chunks = ChunkPool(chunkSize: chunkSize, keep: spareChunks)
        self.engine =
            switch engine {
            case .epoll: try EpollEngine(chunks, sockets, revisits, waker)
            case .ioUring: try RingEngine(chunks, sockets, revisits, waker)
            }
        monotonicNow = Clock.monotonicMilliseconds
        wallNow = Clock.wallSeconds
        timers = TimerWheel(at: monotonicNow)
    }

    deinit {
        for (descriptor, _) in closings { _ = clinux_close(descriptor) }
    }

    // MARK: Waiting

    /// Waits for the next events. Call it only after `next` has returned nil: unreported edges would be lost.
    ///
    /// - Parameter sleeping: false to check for events without waiting.
    package func wait(sleeping: Bool = true) {
        settle()
        revisits.settle()
        openings.settle()
        closeSome()
        revisits.open()
        let isIdle = revisits.isEmpty && lateArrivals.isEmpty && openings.isEmpty && closings.isEmpty
        let limit = sleeping && isIdle ? timers.sleepLimit(at: now) : 0
        waits &+= 1
        engine.wait(timeoutMilliseconds: limit, turn: waits)
        turnBegunAt = Clock.monotonicMicroseconds
        monotonicNow = turnBegunAt / 1000
        wallNow = Clock.wallSeconds
        timers.advance(to: now)
        for listener in listeners { listener.acceptedInTurn = 0 }
        resumeListeners()
    }

    /// The next completion of this turn; nil when it is time to wait.
    package func next() -> Completion? {
        settle()
        if let completion = nextOfBatch() { return completion }
        if revisits.hasNext, let completion = nextRevisit() { return completion }
        if !openings.isEmpty {
            openings.open()
            if let completion = nextOpening() { return completion }
        }
        if !lateArrivals.isEmpty { return nextLateArrival() }
        if let token = timers.next() { return .timer(token) }
        return nil
    }

    private func nextOfBatch() -> Completion? {
        while let event = engine.event {
            switch event.kind {
            case .woken:
                engine.advance()
                waker.drain()
                return .woken
            case .listener:
                let listener = listeners[event.place]
                // One connection at a time, until there is none or the limit of the turn is reached.
                if let completion = accept(listener) { return completion }
                engine.advance()
                // Out of memory: the listener is retried later.
                if listener.registered, !engine.watchAgain(listener, at: event.place) { pauseListeners() }
            case .socket:
                engine.advance()
                let socket = sockets[event.place]
                guard socket.descriptor >= 0, socket.generation == event.generation else { continue }
                if let completion = digest(socket, event.mask) { return completion }
            }
        }
        return nil
    }

    /// Sets a timer; it cannot be cancelled, see `TimerWheel`.
    package func schedule(_ token: TimerToken, at deadline: Int64) { timers.schedule(token, at: deadline) }
    /// Number of timers that are set.
    package var timerCount: Int { timers.count }

    /// Releases the inbox of the last socket if it is empty.
    private func settle() {
        guard current >= 0 else { return }
        releaseEmptyInbox(sockets[current])
        current = -1
    }

    /// Releases the inbox if it is empty.
    package func releaseEmptyInbox(_ socket: Socket) {
        // Moved out and in again, which avoids reference counting.
        guard let chunk = socket.received.take() else { return }
        if chunk.isEmpty { chunks.give(chunk) } else { socket.received = consume chunk }
    }

    // MARK: Events

    func digest(_ socket: Socket, _ mask: UInt32) -> Completion? {
        let broken = mask & (CLINUX_ERR | CLINUX_HUP) != 0
        if socket.connecting {
            guard broken || mask & CLINUX_OUT != 0 else { return nil }
            socket.connecting = false
            let error = clinux_socket_error(socket.descriptor)
            if error != 0 || broken { return fail(socket, error == 0 ? ECONNRESET : error) }
            // Bytes or a close that arrived with the connection trigger no further edge.
            socket.hangup = mask & CLINUX_RDHUP != 0
            if mask & CLINUX_IN != 0 || socket.hangup {
                socket.readable = true
                queue(socket)
            } else {
                engine.connected(socket)
            }
            if socket.outboxCount > 0 { flush(socket) }
            return .connected(socket)
        }
        if mask & CLINUX_RDHUP != 0 || broken { socket.hangup = true }
        if mask & CLINUX_IN != 0 || socket.hangup { socket.readable = true }
        if mask & CLINUX_OUT != 0, socket.outboxCount > 0 {
            flush(socket)
            // The owner does not see handshake messages.
            if socket.outboxCount == 0, socket.failure == 0, socket.stream?.isOpening != true {
                if socket.readable { queue(socket) }
                return .sent(socket)
            }
        }
        return progress(socket)
    }

    func progress(_ socket: Socket) -> Completion? {
        if let stream = socket.stream { return progress(socket, through: stream) }
        if socket.failure != 0 { return reportFailure(socket) }
        guard socket.readable, !socket.sawEnd else { return nil }
        if socket.readingPaused { return socket.hangup ? .hungUp(socket) : nil }
        return receive(socket)
    }

    /// A peer may have responded before it reset the connection, for example to refuse a long body: its bytes are read
    /// first. A busy ring may not have reported them yet.
    private func reportFailure(_ socket: Socket) -> Completion? {
        guard !socket.failureReported else { return nil }
        if socket.readable || engine.mayHaveUnreported, !socket.sawEnd, !socket.readingPaused,
            let completion = receive(socket)
        {
            if case .received = completion {
                queue(socket)
                return completion
            }
        }
        return fail(socket, socket.failure)
    }

    func fail(_ socket: Socket, _ error: Int32) -> Completion? {
        socket.failure = error
        socket.failureReported = true
        return .failed(socket, KernelError(error))
    }

    private func receive(_ socket: Socket) -> Completion? {
        var inbox = socket.received.take()
        let n = receive(socket, into: &inbox)
        socket.received = inbox.take()
        if n > 0 {
            if socket.readable { queue(socket) }
            current = socket.index
            return .received(socket)
        }
        if n == 0 {
            socket.sawEnd = true
            return .ended(socket)
        }
        return n == -Int(EAGAIN) ? nil : fail(socket, Int32(-n))
    }

    /// See `Engine.receive`.
    func receive(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        let n = engine.receive(socket, into: &inbox)
        counted.count(received: n)
        return n
    }

    // MARK: Sockets

    func adopt(_ descriptor: Int32, peer: SocketAddress?, connecting: Bool = false) -> Socket {
        let socket = sockets.take()
        socket.descriptor = descriptor
        socket.peerAddress = peer
        socket.connecting = connecting
        engine.register(socket, connecting: connecting)
        return socket
    }

    /// Connects; `.connected` or `.failed` follows.
    package func connect(to address: SocketAddress) throws(KernelError) -> Socket {
        let descriptor = try Kernel.check(clinux_stream_socket(address.family))
        let result = Kernel.connect(descriptor, address)
        // An interrupted connect continues asynchronously (POSIX).
        if result < 0, result != -EINPROGRESS, result != -EINTR {
            _ = clinux_close(descriptor)
            throw KernelError(-result)
        }
        if !address.isUnix { _ = clinux_no_delay(descriptor) }
        return adopt(descriptor, peer: address, connecting: true)
    }

    /// Stops reading, which slows the peer down.
    package func pauseReading(_ socket: Socket) {
        socket.readingPaused = true
        engine.awaitHangup(socket)
    }

    /// Resumes reading.
    package func resumeReading(_ socket: Socket) {
        guard socket.readingPaused else { return }
        socket.readingPaused = false
        if socket.mayHaveMore || socket.stream != nil { queue(socket) }
    }

    /// Continues reading after a full inbox or an unread end, and releases an inbox that was emptied in a later turn.
    package func readMore(_ socket: Socket) {
        guard socket.descriptor >= 0 else { return }
        releaseEmptyInbox(socket)
        if socket.mayHaveMore, !socket.readingPaused { queue(socket) }
    }

    /// Takes the inbox; the caller passes the chunk to `send` or returns it to the pool.
    package func takeInbox(_ socket: Socket) -> Chunk? {
        socket.received.take()
    }

    /// Grows the inbox for a message longer than a pooled chunk.
    package func growInbox(_ socket: Socket, toHold count: Int) {
        guard let chunk = socket.received else { return }
        chunk.ensureFree(max(0, count - chunk.count))
        if socket.mayHaveMore { queue(socket) }
    }
}

@available(*, unavailable)
extension Poller: Sendable {}
