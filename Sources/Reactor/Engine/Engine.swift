import Bytes
import CLinux

/// An event of a turn.
struct EngineEvent {
    enum Kind {
        case woken, listener, socket
    }

    let kind: Kind
    /// Index of the listener or socket.
    let place: Int
    var generation: UInt32 = 0
    /// Events of a socket, as in epoll(7).
    var mask: UInt32 = 0
}

/// The interface to event notification: `EpollEngine` or `RingEngine`, chosen once.
class Engine {
    let chunks: ChunkPool
    let sockets: SocketTable
    /// Sockets to continue with without a new event.
    let revisits: Backlog
    let waker: Waker
    /// Whether bulk connections are read in larger pieces; false if memory is scarce.
    var readsFarAhead = true

    init(_ chunks: ChunkPool, _ sockets: SocketTable, _ revisits: Backlog, _ waker: Waker) throws(KernelError) {
        self.chunks = chunks
        self.sockets = sockets
        self.revisits = revisits
        self.waker = waker
    }

    // MARK: Events

    /// Waits for events or the time-out.
    /// - Parameter turn: number of the next turn.
    func wait(timeoutMilliseconds: Int32, turn: UInt64) { preconditionFailure("of each engine") }

    /// The next event of the turn, if any.
    var event: EngineEvent? { preconditionFailure("of each engine") }

    /// Proceeds to the next event.
    func advance() { preconditionFailure("of each engine") }

    // MARK: Sockets

    /// Registers a new socket.
    func register(_ socket: Socket, connecting: Bool) { preconditionFailure("of each engine") }

    /// Called once a connection is established and nothing was received yet.
    func connected(_ socket: Socket) {}

    /// Appends received bytes to the inbox. Returns a count, 0 at the end, or -errno; `EAGAIN` means that there are no
    /// bytes, or no room: the owner must consume bytes or grow the inbox.
    func receive(_ socket: Socket, into inbox: inout Chunk?) -> Int { read(socket, into: &inbox) }

    /// Whether bytes may have arrived that no event has reported yet.
    var mayHaveUnreported: Bool { false }

    /// Requests an event once the kernel accepts more bytes.
    func awaitRoom(_ socket: Socket) {}

    /// Requests an event for a hang-up while nothing is received.
    func awaitHangup(_ socket: Socket) {}

    /// Cancels all requests of a socket and releases its buffers, before its descriptor is closed.
    func detach(_ socket: Socket) {}

    /// Closes the descriptor of a detached socket. Returns false if that is not possible at the moment.
    func close(_ descriptor: Int32) -> Bool {
        _ = clinux_close(descriptor)
        return true
    }

    /// Submits pending closes to the kernel.
    func submit() {}

    // MARK: Listeners

    /// Registers a listener.
    func watch(_ listener: Listener, at place: Int) throws(KernelError) { preconditionFailure("of each engine") }

    /// Registers a listener again after an event. Returns false if it is not registered any more.
    func watchAgain(_ listener: Listener, at place: Int) -> Bool { true }

    func unwatch(_ listener: Listener, at place: Int) { preconditionFailure("of each engine") }

    /// Releases unregistered listeners.
    func releaseListeners() {}

    // MARK: Reading

    /// Like `receive`, directly from the kernel.
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
        // A short read has emptied the socket, and the next byte triggers an event. After a hang-up the end is still to
        // be read.
        socket.readable = n > 0 && (n == room || socket.hangup)
        return n
    }

    /// Fails a socket for lack of memory.
    final func failForMemory(_ socket: Socket) {
        socket.failure = ENOMEM
        revisits.queue(socket)
    }
}

@available(*, unavailable)
extension Engine: Sendable {}
