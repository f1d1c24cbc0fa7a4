import Bytes
import CLinux

/// What a socket waits for in the ring.
struct RingRequests: OptionSet {
    let rawValue: UInt8
    /// What comes is received into buffers of the ring, again and again.
    static let receiving = RingRequests(rawValue: 1)
    /// That is being ended.
    static let cancelling = RingRequests(rawValue: 2)
    /// The next bytes are announced, and read then.
    static let awaitingInput = RingRequests(rawValue: 4)
    /// Room to send into, or the end of a connect.
    static let awaitingRoom = RingRequests(rawValue: 8)
    /// The peer's hanging up, while nothing is received.
    static let awaitingHangup = RingRequests(rawValue: 16)

    fileprivate static let all: [RingRequests] = [.receiving, .awaitingInput, .awaitingRoom, .awaitingHangup]
}

/// What belongs to the ring of a socket: what was received and is not in the inbox, and what followed it.
struct RingState {
    var arrived: Chunk?
    var laterArrivals: [Chunk] = []
    /// With so many of them nothing more is received.
    static let mostArrivals = 8
    /// The peer has ended (`peerEnded`), or the connection is broken (`errno`); 0 where neither has happened.
    var arrivalsEnd: Int32 = 0
    static let peerEnded: Int32 = -1
    var requests: RingRequests = []
    /// The turn of which the socket has an event, and that event's place.
    var eventTurn: UInt64 = 0
    var eventPlace = 0
    /// How often what comes next is announced rather than received in advance, since what came lately has filled buffers.
    var announcements: UInt8 = 0
    static let announcementsOfFlow: UInt8 = 8
}

/// What the result of the ring is about: part of what it is asked with, beside the socket's place and generation.
enum RingPurpose: UInt64 {
    case receive, input, room, hangup, listener, waker, nothing

    fileprivate static let shift: UInt64 = 28
    static let placeMask: UInt64 = 1 << shift - 1

    /// What the ring is asked with for a socket.
    func data(_ socket: Socket) -> UInt64 { socket.identity | rawValue << RingPurpose.shift }
    /// The same for the listener at this place, and for the loop itself.
    func data(_ place: Int) -> UInt64 { UInt64(place) | rawValue << RingPurpose.shift }

    init(_ data: UInt64) { self = RingPurpose(rawValue: data >> RingPurpose.shift & 15) ?? .nothing }
}

/// The engine of io_uring(7). What comes is received by the kernel into chunks of the loop while it fills the batch; what
/// is asked for in a turn goes to it with the wait for the next. Sending and accepting are calls as with epoll: TCP does
/// its work in the call either way, and accept4 tells the peer's address, which a multishot accept does not.
///
/// A connection that moves much, or whose owner does not read, is not received from in advance: it is read as with epoll
/// when there is something, so that no more of it stands here than its owner wants.
final class RingEngine: Engine {
    private let ring: Ring
    /// What the ring has brought in this turn, and how much of it was handled.
    private var events: [EngineEvent] = []
    private var cursor = 0
    /// The ring tells when the waker was used.
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

    /// Takes note of all results of the turn, ahead of telling anybody of one: what has come was there before anything is
    /// done, and is known to be there.
    private func collect(_ turn: UInt64) {
        // Taken out for the time of the change, as all lists of the loop.
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
                guard let mask = purpose == .receive ? arrive(result, socket) : happen(result, socket, purpose) else {
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

    /// Takes note of what was received. Answers what epoll would say of it.
    private func arrive(_ result: RingResult, _ socket: Socket) -> UInt32? {
        if !result.continues { socket.ring.requests.subtract([.receiving, .cancelling]) }
        guard result.value > 0, let buffer = result.buffer else {
            if let buffer = result.buffer { ring.releaseBuffer(buffer) }
            switch -result.value {
            case 0: socket.ring.arrivalsEnd = RingState.peerEnded
            // Cancelled, or no buffer was left: what is there is read from now on. What its owner does not take is not
            // added to, since each byte might come with a buffer of its own: the rest waits in the kernel.
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

    /// Reads what is there, before anything is done in this turn: what is read later may be the answer to something that
    /// was asked in it, and would be told as if it had come before. And whether there is more, its owner is to know when
    /// it has read what has come, since it uses a connection again only where there is not.
    private func readAhead(_ socket: Socket) -> UInt32? {
        var chunk: Chunk?
        let n = readAndGoOn(socket, into: &chunk)
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
            socket.ring.laterArrivals.append(arrival)
        }
    }

    /// Takes note of an event that was waited for. Answers it as epoll would.
    private func happen(_ result: RingResult, _ socket: Socket, _ purpose: RingPurpose) -> UInt32? {
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

    override func adopt(_ socket: Socket, connecting: Bool) {
        if connecting { awaitConnection(socket) } else { receiveNext(socket, waits: false) }
    }

    override func connected(_ socket: Socket) { receiveNext(socket) }

    override var mayHaveUntold: Bool { true }

    /// Takes what was received, or else reads what stands in the kernel.
    override func receive(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        if let arrival = socket.ring.arrived.take() { return take(arrival, socket, into: &inbox) }
        if socket.ring.arrivalsEnd != 0 {
            socket.readable = false
            return socket.ring.arrivalsEnd == RingState.peerEnded ? 0 : -Int(socket.ring.arrivalsEnd)
        }
        // What a broken connection had still to say is read all the same.
        if !socket.ring.requests.isDisjoint(with: [.receiving, .awaitingInput]),
            socket.failure == 0 || !ring.isDrained
        {
            socket.readable = false
            return -Int(EAGAIN)
        }
        return readAndGoOn(socket, into: &inbox)
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
            socket.ring.arrived = socket.ring.laterArrivals.removeFirst()
        }
        socket.isBulk = isFull
        // Behind a full buffer there may be more, which is looked for when all of the turn is done.
        let isAwaited = !socket.ring.requests.isDisjoint(with: [.receiving, .awaitingInput])
        socket.readable = socket.ring.arrived != nil || socket.ring.arrivalsEnd != 0 || socket.isBulk || !isAwaited
        return count
    }

    /// Reads what the ring does not receive. A short read has emptied the socket: what comes then is received in advance
    /// again, or announced where the connection moves much.
    private func readAndGoOn(_ socket: Socket, into inbox: inout Chunk?) -> Int {
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

    /// Has the ring receive what comes next; or announce it, where the connection moves much or memory is scarce.
    ///
    /// - Parameter waits: nothing is thought to be there yet.
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

    /// From now on each time: asked for once only, it would be reported at once where the peer has sent its last byte,
    /// which a ring tells whether it is asked or not.
    override func awaitRoom(_ socket: Socket) {
        ask(socket, .awaitingRoom) { $0.poll(socket.descriptor, CLINUX_OUT, again: true, data: $1.data(socket)) }
    }

    /// The socket is reported when its connection stands, and whether the peer has said something by then.
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
        if !watchOn(listener, at: place) { throw KernelError(ENOMEM) }
    }

    override func watchOn(_ listener: Listener, at place: Int) -> Bool {
        let mask = listener.isShared ? CLINUX_IN | CLINUX_EXCLUSIVE : CLINUX_IN
        listener.registered = ring.poll(listener.descriptor, mask, data: RingPurpose.listener.data(place))
        return listener.registered
    }

    override func unwatch(_ listener: Listener, at place: Int) {
        // It waits twice where a result was on its way when it began to rest, and that was over within a turn.
        _ = ring.cancel(RingPurpose.listener.data(place), all: true, data: RingPurpose.nothing.data(0))
        listener.registered = false
    }

    /// A ring that waited at the socket would keep it open.
    override func letGoOfListeners() { ring.submitAndFinish() }

    // MARK: Ending

    override func close(_ descriptor: Int32) -> Bool { ring.close(descriptor, data: RingPurpose.nothing.data(0)) }

    override func submit() { ring.submit() }

    override func leave(_ socket: Socket) {
        for request in RingRequests.all where socket.ring.requests.contains(request) {
            if ring.cancel(request.purpose.data(socket), data: RingPurpose.nothing.data(0)) { continue }
            // No memory for it. This ends them too, which would else keep the connection open behind its descriptor.
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
