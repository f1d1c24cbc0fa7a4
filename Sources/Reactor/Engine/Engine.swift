import Bytes
import CLinux

/// Something that has happened in a turn.
struct EngineEvent {
    enum Kind {
        case woken, listener, socket
    }

    let kind: Kind
    /// Of the listener or the socket.
    let place: Int
    var generation: UInt32 = 0
    /// What has happened to a socket, in the terms of epoll(7).
    var mask: UInt32 = 0
}

/// How a loop asks the kernel: `EpollEngine` or `RingEngine`, chosen once. The poller does not ask which.
class Engine {
    let chunks: ChunkPool
    let sockets: SocketTable
    /// Sockets to look at again without a new event.
    let revisits: Backlog
    let waker: Waker
    /// Whether more is read at once from connections that move much; false where memory is scarce.
    var readsFarAhead = true

    init(_ chunks: ChunkPool, _ sockets: SocketTable, _ revisits: Backlog, _ waker: Waker) throws(KernelError) {
        self.chunks = chunks
        self.sockets = sockets
        self.revisits = revisits
        self.waker = waker
    }

    // MARK: Events

    /// Waits until something has happened or the time is over.
    /// - Parameter turn: the number of the turn that begins then.
    func wait(timeoutMilliseconds: Int32, turn: UInt64) { preconditionFailure("of each engine") }

    /// The event to handle next; nil when all events of the turn are handled.
    var event: EngineEvent? { preconditionFailure("of each engine") }

    /// The event is handled.
    func advance() { preconditionFailure("of each engine") }

    // MARK: Sockets

    /// Events of a new socket come from now on.
    func adopt(_ socket: Socket, connecting: Bool) { preconditionFailure("of each engine") }

    /// The connection stands, and its peer has not spoken yet.
    func connected(_ socket: Socket) {}

    /// Puts what has come behind what stands in the inbox. Answers a count, 0 at the end, or -errno, of which `EAGAIN` says
    /// that there is nothing, or no room for it: the owner must consume, or ask for a larger one, before more can come.
    func receive(_ socket: Socket, into inbox: inout Chunk?) -> Int { read(socket, into: &inbox) }

    /// Whether bytes may have come of which no event has told yet.
    var mayHaveUntold: Bool { false }

    /// The socket is reported when the kernel takes more.
    func awaitRoom(_ socket: Socket) {}

    /// The socket is reported as hung up, should its peer do so while nothing is received from it.
    func awaitHangup(_ socket: Socket) {}

    /// Ends all that the socket waits for, and gives back what has come. Its descriptor is closed after that.
    func leave(_ socket: Socket) {}

    /// Closes a descriptor whose socket was left. Answers false where that is not possible at the moment.
    func close(_ descriptor: Int32) -> Bool {
        _ = clinux_close(descriptor)
        return true
    }

    /// What was closed is told to the kernel now.
    func submit() {}

    // MARK: Listeners

    /// Connections at the listener are events from now on.
    func watch(_ listener: Listener, at place: Int) throws(KernelError) { preconditionFailure("of each engine") }

    /// The same after an event of the listener. Answers false where it is watched no longer.
    func watchOn(_ listener: Listener, at place: Int) -> Bool { true }

    func unwatch(_ listener: Listener, at place: Int) { preconditionFailure("of each engine") }

    /// No listener that is not watched is held open.
    func letGoOfListeners() {}

    // MARK: Reading

    /// As `receive`, of what stands in the kernel.
    final func read(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        let isLarge = socket.isBulk && readsFarAhead && socket.stream == nil
        let chunk = inbox.take() ?? (isLarge ? chunks.takeLarge() : chunks.take())
        if chunk.free == 0 { chunk.compact() }
        let room = chunk.free
        if room == 0 {
            inbox = consume chunk
            return -Int(EAGAIN)
        }
        let n = Kernel.receive(socket.descriptor, into: chunk)
        if chunk.isEmpty { chunks.give(chunk) } else { inbox = consume chunk }
        if n > 0 { socket.isBulk = n == room }
        // A short read has emptied the socket; the next byte makes a new edge. Behind a hang-up the end still waits.
        socket.readable = n > 0 && (n == room || socket.hangup)
        return n
    }

    /// There is no memory for what is asked about the socket.
    final func failForMemory(_ socket: Socket) {
        socket.failure = ENOMEM
        revisits.queue(socket)
    }
}

@available(*, unavailable)
extension Engine: Sendable {}
