import Bytes
import CLinux

/// Pending requests of a socket in the ring.
struct RingRequests: OptionSet {
    let rawValue: UInt8
    /// A multishot receive into buffers of the ring.
    static let receiving = RingRequests(rawValue: 1)
    /// The receive is being cancelled.
    static let cancelling = RingRequests(rawValue: 2)
    /// A poll for input, which is then read.
    static let awaitingInput = RingRequests(rawValue: 4)
    /// A poll for output or the end of a connect.
    static let awaitingRoom = RingRequests(rawValue: 8)
    /// A poll for a hang-up, while nothing is received.
    static let awaitingHangup = RingRequests(rawValue: 16)

    fileprivate static let all: [RingRequests] = [.receiving, .awaitingInput, .awaitingRoom, .awaitingHangup]
}

/// The ring's state of a socket: received buffers that are not in the inbox, and what followed them.
struct RingState {
    var arrived: Chunk?
    var laterArrivals: [Chunk] = []
    /// Limit of buffers, at which receiving pauses.
    static let mostArrivals = 8
    /// The end by the peer (`peerEnded`) or an error (`errno`); 0 for neither.
    var arrivalsEnd: Int32 = 0
    static let peerEnded: Int32 = -1
    var requests: RingRequests = []
    /// The turn of the socket's event, and the index of that event.
    var eventTurn: UInt64 = 0
    var eventPlace = 0
    /// How many of the next reads use a poll instead of a receive in advance, since recent data has filled buffers.
    var announcements: UInt8 = 0
    static let announcementsOfFlow: UInt8 = 8
}

/// The purpose of a request, encoded in its user data together with the socket's index and generation.
enum RingPurpose: UInt64 {
    case receive, input, room, hangup, listener, waker, nothing

    fileprivate static let shift: UInt64 = 28
    static let placeMask: UInt64 = 1 << shift - 1

    /// User data of a request for a socket.
    func data(_ socket: Socket) -> UInt64 { socket.identity | rawValue << RingPurpose.shift }
    /// The same for a listener, and for the loop itself.
    func data(_ place: Int) -> UInt64 { UInt64(place) | rawValue << RingPurpose.shift }

    init(_ data: UInt64) { self = RingPurpose(rawValue: data >> RingPurpose.shift & 15) ?? .nothing }
}

/// The engine of io_uring(7). The kernel receives into chunks of the loop; requests of a turn are submitted with the
/// wait for the next one. Sending and accepting are system calls as with epoll: TCP does its work in the call either
/// way, and a multishot accept does not return the peer's address.
///
/// Bulk connections, and connections whose owner does not read, are not received in advance, but read after an event as
/// with epoll, so that no more is buffered than the owner wants.
final class RingEngine: Engine {
    private let ring: Ring
    /// The events of this turn and the number of handled ones.
    private var events: [EngineEvent] = []
    private var cursor = 0
    /// Whether a poll of the waker is pending.
    private var awaitsWaker = false

    override init(
        _ chunks: ChunkPool, _ sockets: SocketTable, _ revisits: Backlog, _ waker: Waker
    ) throws(KernelError) {
        ring = try Ring(chunks: chunks)
        try super.init(chunks, sockets, revisits, waker)
    }

    // MARK: Events

    override func wait(timeoutMilliseconds: Int32, turn: UInt64) {
        if !awaitsWaker { awaitWaker() }
        ring.wait(timeoutMilliseconds: timeoutMilliseconds)
        collect(turn)
    }

    override var event: EngineEvent? { cursor < events.count ? events[cursor] : nil }

    override func advance() { cursor += 1 }

    /// Collects all results of the turn before the first event is reported, so that received bytes precede all actions
    /// of the turn.
    private func collect(_ turn: UInt64) {
        // Moved out and in again, as all lists of the loop.
        var events = events
        self.events = []
        events.removeAll(keepingCapacity: true)
        cursor = 0
        while let result = ring.next() {
            let purpose = RingPurpose(result.data)
            let place = Int(result.data & RingPurpose.placeMask)
            switch purpose {
            case .receive, .input, .room, .hangup:
                let socket = sockets[place]
                let generation = UInt32(truncatingIfNeeded: result.data >> 32)
                guard socket.descriptor >= 0, socket.generation == generation else {
                    if let buffer = result.buffer { ring.releaseBuffer(buffer) }
                    continue
                }
                guard
                    let mask = purpose == .receive ? handleReceive(result, socket) : handlePoll(result, socket, purpose)
                else {
                    continue
                }
                if socket.ring.eventTurn == turn {
                    events[socket.ring.eventPlace].mask |= mask
                    continue
                }
                socket.ring.eventTurn = turn
                socket.ring.eventPlace = events.count
                events.append(EngineEvent(kind: .socket, place: place, generation: generation, mask: mask))
            case .listener:
                if result.value != -ECANCELED { events.append(EngineEvent(kind: .listener, place: place)) }
            case .waker:
                awaitsWaker = result.continues
                events.append(EngineEvent(kind: .woken, place: 0))
            case .nothing: break
            }
        }
        self.events = events
    }

    /// Handles the result of a receive. Returns the corresponding epoll events.
    private func handleReceive(_ result: RingResult, _ socket: Socket) -> UInt32? {
        if !result.continues { socket.ring.requests.subtract([.receiving, .cancelling]) }
        guard result.value > 0, let buffer = result.buffer else {
            if let buffer = result.buffer { ring.releaseBuffer(buffer) }
            switch -result.value {
            case 0: socket.ring.arrivalsEnd = RingState.peerEnded
            // Cancelled, or no buffer was left: the socket is read from now on. Nothing is added to unread bytes, since
            // each byte might occupy a buffer of its own: the rest waits in the kernel.
            case ECANCELED, ENOBUFS, EAGAIN, EINTR:
                if !socket.readingPaused, socket.ring.laterArrivals.count < RingState.mostArrivals {
                    return readAhead(socket)
                }
                awaitHangup(socket)
                return CLINUX_IN
            case let error: socket.ring.arrivalsEnd = error > 0 ? error : EIO
            }
            return CLINUX_IN | CLINUX_RDHUP
        }
        let chunk = ring.takeBuffer(buffer, count: Int(result.value))
        let isFull = chunk.free == 0
        if isFull || socket.ring.arrived != nil || socket.readingPaused { receiveNoMore(socket) }
        if isFull { socket.ring.announcements = RingState.announcementsOfFlow }
        if socket.readingPaused { awaitHangup(socket) }
        add(chunk, to: socket)
        return CLINUX_IN
    }

    /// Reads before any action of this turn: bytes that are read later may respond to an action of the turn, but would
    /// be reported as if they preceded it. The owner must also know whether more bytes are there, since it only reuses
    /// a connection without any.
    private func readAhead(_ socket: Socket) -> UInt32? {
        var chunk: Chunk?
        let n = readAndRearm(socket, into: &chunk)
        if let chunk = chunk.take() { add(chunk, to: socket) }
        if n == -Int(EAGAIN) { return socket.ring.arrived == nil ? nil : CLINUX_IN }
        if n > 0 { return CLINUX_IN }
        socket.ring.arrivalsEnd = n == 0 ? RingState.peerEnded : Int32(-n)
        return CLINUX_IN | CLINUX_RDHUP
    }

    private func add(_ arrival: Chunk, to socket: Socket) {
        if socket.ring.arrived == nil {
            socket.ring.arrived = arrival
        } else {
            // Moved out and in again, as all lists of the loop.
            var arrivals = socket.ring.laterArrivals
            socket.ring.laterArrivals = []
            arrivals.append(arrival)
            socket.ring.laterArrivals = arrivals
        }
    }

    /// Handles the result of a poll. Returns the corresponding epoll events.
    private func handlePoll(_ result: RingResult, _ socket: Socket, _ purpose: RingPurpose) -> UInt32? {
        switch purpose {
        case .input: socket.ring.requests.remove(.awaitingInput)
        case .room where result.continues: break
        case .room:
            socket.ring.requests.remove(.awaitingRoom)
            if socket.outboxCount > 0, !socket.connecting { awaitRoom(socket) }
        default: socket.ring.requests.remove(.awaitingHangup)
        }
        if result.value == -ECANCELED { return nil }
        let mask = result.value >= 0 ? UInt32(result.value) : CLINUX_ERR
        if purpose == .input, socket.readingPaused, mask & CLINUX_RDHUP == 0 { awaitHangup(socket) }
        return mask
    }

    // MARK: Receiving

    override func register(_ socket: Socket, connecting: Bool) {
        if connecting { awaitConnection(socket) } else { receiveNext(socket, waits: false) }
    }

    override func connected(_ socket: Socket) { receiveNext(socket) }

    override var mayHaveUnreported: Bool { true }

    /// Takes received buffers, or reads from the kernel.
    override func receive(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        if let arrival = socket.ring.arrived.take() { return take(arrival, socket, into: &inbox) }
        if socket.ring.arrivalsEnd != 0 {
            socket.readable = false
            return socket.ring.arrivalsEnd == RingState.peerEnded ? 0 : -Int(socket.ring.arrivalsEnd)
        }
        // The remaining bytes of a broken connection are still read.
        if !socket.ring.requests.isDisjoint(with: [.receiving, .awaitingInput]),
            socket.failure == 0 || !ring.isDrained
        {
            socket.readable = false
            return -Int(EAGAIN)
        }
        return readAndRearm(socket, into: &inbox)
    }

    private func take(_ arrival: consuming Chunk, _ socket: Socket, into inbox: inout Chunk?) -> Int {
        let isFull = arrival.free == 0
        var count = arrival.count
        if let unread = inbox.take() {
            if unread.free < count { unread.compact() }
            count = min(count, unread.free)
            unread.append(arrival.readable.extracting(0..<count))
            arrival.consume(count)
            inbox = consume unread
            if arrival.isEmpty { chunks.give(arrival) } else { socket.ring.arrived = consume arrival }
            if count == 0 { return -Int(EAGAIN) }
        } else {
            inbox = consume arrival
        }
        if socket.ring.arrived == nil, !socket.ring.laterArrivals.isEmpty {
            var arrivals = socket.ring.laterArrivals
            socket.ring.laterArrivals = []
            socket.ring.arrived = arrivals.removeFirst()
            socket.ring.laterArrivals = arrivals
        }
        socket.isBulk = isFull
        // More bytes may follow a full buffer; they are read at the end of the turn.
        let isAwaited = !socket.ring.requests.isDisjoint(with: [.receiving, .awaitingInput])
        socket.readable = socket.ring.arrived != nil || socket.ring.arrivalsEnd != 0 || socket.isBulk || !isAwaited
        return count
    }

    /// Reads from the kernel. A short read has emptied the socket: later bytes are received in advance again, or polled
    /// for on a bulk connection.
    private func readAndRearm(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        let n = read(socket, into: &inbox)
        guard n > 0 || n == -Int(EAGAIN) else { return n }
        if n > 0, socket.isBulk { socket.ring.announcements = RingState.announcementsOfFlow }
        if !socket.readable {
            receiveNext(socket)
        } else if n < 0 {
            // The inbox is full.
            awaitHangup(socket)
        }
        return n
    }

    /// Requests a receive, or a poll for a bulk connection or if memory is scarce.
    ///
    /// - Parameter waits: whether no bytes are expected to be there yet.
    private func receiveNext(_ socket: Socket, waits: Bool = true) {
        guard socket.failure == 0, socket.ring.requests.isDisjoint(with: [.receiving, .awaitingInput]) else { return }
        if socket.ring.announcements > 0 || !readsFarAhead {
            if socket.ring.announcements > 0 { socket.ring.announcements -= 1 }
            ask(socket, .awaitingInput) { $0.poll(socket.descriptor, CLINUX_IN | CLINUX_RDHUP, data: $1.data(socket)) }
        } else {
            ask(socket, .receiving) { $0.receive(socket.descriptor, waits: waits, data: $1.data(socket)) }
        }
    }

    private func receiveNoMore(_ socket: Socket) {
        guard socket.ring.requests.contains(.receiving), !socket.ring.requests.contains(.cancelling) else { return }
        if ring.cancel(RingPurpose.receive.data(socket), data: RingPurpose.nothing.data(0)) {
            socket.ring.requests.insert(.cancelling)
        }
    }

    // MARK: Waiting

    override func awaitHangup(_ socket: Socket) {
        guard !socket.hangup, socket.ring.requests.isDisjoint(with: [.receiving, .awaitingInput, .awaitingHangup])
        else {
            return
        }
        ask(socket, .awaitingHangup) { $0.poll(socket.descriptor, CLINUX_RDHUP, data: $1.data(socket)) }
    }

    /// A multishot poll: a single-shot one would complete at once after the peer's end, which a ring always reports.
    override func awaitRoom(_ socket: Socket) {
        ask(socket, .awaitingRoom) { $0.poll(socket.descriptor, CLINUX_OUT, again: true, data: $1.data(socket)) }
    }

    /// Requests an event for the established connection, including bytes that have arrived by then.
    private func awaitConnection(_ socket: Socket) {
        let events = CLINUX_OUT | CLINUX_IN | CLINUX_RDHUP
        ask(socket, .awaitingRoom) { $0.poll(socket.descriptor, events, data: $1.data(socket)) }
    }

    private func ask(_ socket: Socket, _ request: RingRequests, _ question: (Ring, RingPurpose) -> Bool) {
        guard !socket.ring.requests.contains(request) else { return }
        if question(ring, request.purpose) {
            socket.ring.requests.insert(request)
        } else if socket.failure == 0 {
            failForMemory(socket)
        }
    }

    private func awaitWaker() {
        awaitsWaker = ring.poll(waker.descriptor, CLINUX_IN, again: true, data: RingPurpose.waker.data(0))
    }

    // MARK: Listeners

    override func watch(_ listener: Listener, at place: Int) throws(KernelError) {
        if !watchAgain(listener, at: place) { throw KernelError(ENOMEM) }
    }

    override func watchAgain(_ listener: Listener, at place: Int) -> Bool {
        let mask = listener.isShared ? CLINUX_IN | CLINUX_EXCLUSIVE : CLINUX_IN
        listener.registered = ring.poll(listener.descriptor, mask, data: RingPurpose.listener.data(place))
        return listener.registered
    }

    override func unwatch(_ listener: Listener, at place: Int) {
        // Two polls are pending if a result was in flight when the pause began and the pause ended within a turn.
        _ = ring.cancel(RingPurpose.listener.data(place), all: true, data: RingPurpose.nothing.data(0))
        listener.registered = false
    }

    /// A pending poll would keep the socket open.
    override func releaseListeners() { ring.submitAndFinish() }

    // MARK: Ending

    override func close(_ descriptor: Int32) -> Bool { ring.close(descriptor, data: RingPurpose.nothing.data(0)) }

    override func submit() { ring.submit() }

    override func detach(_ socket: Socket) {
        for request in RingRequests.all where socket.ring.requests.contains(request) {
            if ring.cancel(request.purpose.data(socket), data: RingPurpose.nothing.data(0)) { continue }
            // Out of memory: a shutdown ends the requests too, which would otherwise keep the connection open.
            _ = clinux_shutdown(socket.descriptor)
        }
        socket.ring.requests = []
        socket.ring.arrivalsEnd = 0
        socket.ring.announcements = 0
        if let chunk = socket.ring.arrived.take() { chunks.give(chunk) }
        for chunk in socket.ring.laterArrivals { chunks.give(chunk) }
        socket.ring.laterArrivals = []
    }
}

extension RingRequests {
    fileprivate var purpose: RingPurpose {
        switch self {
        case .receiving: .receive
        case .awaitingInput: .input
        case .awaitingRoom: .room
        case .awaitingHangup: .hangup
        default: .nothing
        }
    }
}
