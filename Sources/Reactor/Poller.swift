import Bytes
import CLinux
import Model

/// One event loop's view of the kernel: it waits, receives and sends, and reports what is done.
///
/// Use: `wait()`, then `next()` until it answers nil. Callers never call `read`: what has come is there when they hear of
/// it. An `Engine` asks the kernel. Not Sendable: one per worker, used by the thread that first waits.
package final class Poller {
    let engine: Engine
    let sockets = SocketTable()
    var listeners: [Listener] = []
    /// Sockets to look at again without a new event of the kernel: unread bytes, a resumed reader, an unreported failure.
    let revisits = Backlog()
    /// Sockets whose handshakes go on when all else of a turn is done.
    let openings = Backlog()
    /// Connections with much in their buffers that the kernel is still to close, and whether by an RST.
    var closings: [(descriptor: Int32, reset: Bool)] = []
    /// A handshake is gone on with at the moment.
    var opens = false
    /// Microseconds of the monotonic clock at the last wait.
    var turnBegunAt: Int64 = 0
    /// Place of the socket whose bytes were handed out last; -1 for none.
    var current = -1
    /// Where filters put what is to be sent. The kernel takes it from here at once; what it does not take is moved.
    var wire = Chunk(capacity: Poller.usualWire)
    var timers: TimerWheel
    let waker: Waker
    var listenersPausedUntil: Int64 = 0
    /// Connections that waited at a listener when it was closed.
    var lateArrivals: [(listener: Int, socket: Socket)] = []
    var lateCursor = 0
    /// How often the listeners have rested because no descriptor was left.
    package internal(set) var acceptsPostponed: UInt64 = 0
    var counted = LoopTraffic()
    /// Whether of what comes in large pieces more is read at once; to be false where memory is scarce.
    package var readsFarAhead: Bool {
        get { engine.readsFarAhead }
        set { engine.readsFarAhead = newValue }
    }

    /// Counts the waits: what is reported in one turn was there before anything was done in it.
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

    /// How many connections one listener may take in a turn, so that a flood of them does not starve the others: what
    /// each asks for comes in one of the next turns, all at once.
    static let acceptsPerTurn = 16

    /// - Parameter engine: how the kernel is asked. Throws where it is not to be had.
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
        timers = TimerWheel(now: monotonicNow)
    }

    deinit {
        for (descriptor, _) in closings { _ = clinux_close(descriptor) }
    }

    // MARK: Waiting

    /// Waits for the next events. To be called when `next` has answered nil: an edge that was not handed out is lost.
    ///
    /// - Parameter sleeping: false to look only at what has happened already.
    package func wait(sleeping: Bool = true) {
        settle()
        revisits.settle()
        openings.settle()
        closeSome()
        revisits.open()
        let isIdle = revisits.isEmpty && lateArrivals.isEmpty && openings.isEmpty && closings.isEmpty
        let limit = sleeping && isIdle ? timers.sleepLimit(now: now) : 0
        waits &+= 1
        engine.wait(timeoutMilliseconds: limit, turn: waits)
        turnBegunAt = Clock.monotonicMicroseconds
        monotonicNow = turnBegunAt / 1000
        wallNow = Clock.wallSeconds
        timers.advance(to: now)
        for listener in listeners { listener.acceptedInTurn = 0 }
        resumeListeners()
    }

    /// The next thing that happened in this turn, or nil when it is time to wait.
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
                // One connection at a time, until there is none or its turn is over.
                if let completion = accept(listener) { return completion }
                engine.advance()
                // No memory for it: a listener must not stay deaf for good.
                if listener.registered, !engine.watchOn(listener, at: event.place) { pauseListeners() }
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
    /// How many timers are set.
    package var timerCount: Int { timers.count }

    /// Gives the buffer of the last socket back where nothing is unread in it.
    private func settle() {
        guard current >= 0 else { return }
        releaseEmptyInbox(sockets[current])
        current = -1
    }

    /// Gives the buffer back where nothing is unread in it.
    package func releaseEmptyInbox(_ socket: Socket) {
        // Taken out and put back: a look at it in its place would count it.
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
            // A peer that spoke first, or has closed already, makes no further edge.
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
            // Of the messages of a handshake the owner knows nothing.
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

    /// A peer may have answered before it broke the connection, as one does that refuses a long body: what it said is
    /// read first. A ring may not have told of it yet, where much else has come.
    private func reportFailure(_ socket: Socket) -> Completion? {
        guard !socket.failureReported else { return nil }
        if socket.readable || engine.mayHaveUntold, !socket.sawEnd, !socket.readingPaused,
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

    /// As `Engine.receive`.
    func receive(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        let n = engine.receive(socket, into: &inbox)
        count(received: n)
        return n
    }

    // MARK: Sockets

    func adopt(_ descriptor: Int32, peer: SocketAddress?, connecting: Bool = false) -> Socket {
        let socket = sockets.take()
        socket.descriptor = descriptor
        socket.peerAddress = peer
        socket.connecting = connecting
        engine.adopt(socket, connecting: connecting)
        return socket
    }

    /// Begins a connection; `.connected` or `.failed` follows.
    package func connect(to address: SocketAddress) throws(KernelError) -> Socket {
        let descriptor = try Kernel.check(clinux_stream_socket(address.family))
        let result = Kernel.connect(descriptor, address)
        // An interrupted connect goes on by itself (POSIX).
        if result < 0, result != -EINPROGRESS, result != -EINTR {
            _ = clinux_close(descriptor)
            throw KernelError(-result)
        }
        if !address.isUnix { _ = clinux_no_delay(descriptor) }
        return adopt(descriptor, peer: address, connecting: true)
    }

    /// Stops reading; what the peer sends waits in the kernel, which slows the peer down.
    package func pauseReading(_ socket: Socket) {
        socket.readingPaused = true
        engine.awaitHangup(socket)
    }

    /// Reads again, beginning with what has come in between.
    package func resumeReading(_ socket: Socket) {
        guard socket.readingPaused else { return }
        socket.readingPaused = false
        if socket.mayHaveMore || socket.stream != nil { queue(socket) }
    }

    /// Reads on where a full inbox or an unread end has stopped it, and gives a buffer back that was emptied in a later
    /// turn than it was filled in.
    package func readMore(_ socket: Socket) {
        guard socket.descriptor >= 0 else { return }
        releaseEmptyInbox(socket)
        if socket.mayHaveMore, !socket.readingPaused { queue(socket) }
    }

    /// Takes the unread bytes away from the socket; the caller gives the chunk to `send` or back to the pool.
    package func takeInbox(_ socket: Socket) -> Chunk? {
        socket.received.take()
    }

    /// Makes room in the inbox for a message longer than what a pooled chunk holds.
    package func growInbox(_ socket: Socket, toHold count: Int) {
        guard let chunk = socket.received else { return }
        chunk.ensureFree(max(0, count - chunk.count))
        if socket.mayHaveMore { queue(socket) }
    }
}

@available(*, unavailable)
extension Poller: Sendable {}
