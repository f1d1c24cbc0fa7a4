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

/// What has happened to a socket in a turn, in the terms of epoll; or that a listener or the loop is to be looked at.
struct RingEvent {
    let purpose: RingPurpose
    let place: Int
    var generation: UInt32 = 0
    var mask: UInt32 = 0
}

/// The engine of io_uring(7). What comes is received by the kernel into chunks of the loop while it fills the batch; what
/// is asked for in a turn goes to it with the wait for the next. Sending and accepting are calls as with epoll: TCP does
/// its work in the call either way, and accept4 tells the peer's address, which a multishot accept does not.
///
/// A connection that moves much, or whose owner does not read, is not received from in advance: it is read as with epoll
/// when there is something, so that no more of it stands here than its owner wants.
extension Poller {
    // MARK: Results

    /// Takes note of all results of the turn, ahead of telling anybody of one: what has come was there before anything is
    /// done, and is known to be there.
    func collect(_ ring: Ring) {
        // Taken out for the time of the change, as all lists of the loop.
        var events = ringEvents
        ringEvents = []
        events.removeAll(keepingCapacity: true)
        ringCursor = 0
        while let result = ring.next() {
            let purpose = RingPurpose(result.data)
            var event = RingEvent(purpose: purpose, place: Int(result.data & RingPurpose.placeMask))
            switch purpose {
            case .receive, .input, .room, .hangup:
                let socket = sockets[event.place]
                event.generation = UInt32(truncatingIfNeeded: result.data >> 32)
                guard socket.descriptor >= 0, socket.generation == event.generation else {
                    if let buffer = result.buffer { ring.releaseBuffer(buffer) }
                    continue
                }
                guard let mask = purpose == .receive ? arrive(result, socket, ring) : happen(result, socket, purpose)
                else {
                    continue
                }
                if socket.eventTurn == turn {
                    events[socket.eventPlace].mask |= mask
                    continue
                }
                socket.eventTurn = turn
                socket.eventPlace = events.count
                event.mask = mask
            case .listener:
                if result.value == -ECANCELED { continue }
            case .waker:
                awaitsWaker = result.continues
            case .nothing: continue
            }
            events.append(event)
        }
        ringEvents = events
    }

    /// The next thing of the turn's results.
    func nextOfResults(_ ring: Ring) -> Completion? {
        while ringCursor < ringEvents.count {
            let event = ringEvents[ringCursor]
            switch event.purpose {
            case .listener:
                let listener = listeners[event.place]
                // One connection at a time, until there is none or its turn is over.
                if let completion = accept(listener) { return completion }
                ringCursor += 1
                if listener.registered {
                    watch(listener, at: event.place, ring)
                    // No memory for it: a listener must not stay deaf for good.
                    if !listener.registered { pauseListeners() }
                }
            case .waker:
                ringCursor += 1
                waker.drain()
                return .woken
            default:
                ringCursor += 1
                let socket = sockets[event.place]
                guard socket.descriptor >= 0, socket.generation == event.generation else { continue }
                if let completion = digest(socket, event.mask) { return completion }
            }
        }
        return nil
    }

    /// Takes note of what was received. Answers what epoll would say of it.
    private func arrive(_ result: RingResult, _ socket: Socket, _ ring: Ring) -> UInt32? {
        if !result.continues { socket.requests.subtract([.receiving, .cancelling]) }
        guard result.value > 0, let buffer = result.buffer else {
            if let buffer = result.buffer { ring.releaseBuffer(buffer) }
            switch -result.value {
            case 0: socket.arrivalsEnd = Socket.peerEnded
            // Cancelled, or no buffer was left: what is there is read from now on. What its owner does not take is not
            // added to, since each byte might come with a buffer of its own: the rest waits in the kernel.
            case ECANCELED, ENOBUFS, EAGAIN, EINTR:
                if !socket.readingPaused, socket.laterArrivals.count < Socket.mostArrivals { return readAhead(socket) }
                awaitHangup(socket)
                return CLINUX_IN
            case let error: socket.arrivalsEnd = error > 0 ? error : EIO
            }
            return CLINUX_IN | CLINUX_RDHUP
        }
        let chunk = ring.takeBuffer(buffer, count: Int(result.value))
        let isFull = chunk.free == 0
        if isFull || socket.arrived != nil || socket.readingPaused { receiveNoMore(socket, ring) }
        if isFull { socket.announcements = Socket.announcementsOfFlow }
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
        if n == -Int(EAGAIN) { return socket.arrived == nil ? nil : CLINUX_IN }
        if n > 0 { return CLINUX_IN }
        socket.arrivalsEnd = n == 0 ? Socket.peerEnded : Int32(-n)
        return CLINUX_IN | CLINUX_RDHUP
    }

    private func add(_ arrival: Chunk, to socket: Socket) {
        if socket.arrived == nil { socket.arrived = arrival } else { socket.laterArrivals.append(arrival) }
    }

    /// Takes note of an event that was waited for. Answers it as epoll would.
    private func happen(_ result: RingResult, _ socket: Socket, _ purpose: RingPurpose) -> UInt32? {
        switch purpose {
        case .input: socket.requests.remove(.awaitingInput)
        case .room where result.continues: break
        case .room:
            socket.requests.remove(.awaitingRoom)
            if socket.outboxCount > 0, !socket.connecting { awaitRoom(socket) }
        default: socket.requests.remove(.awaitingHangup)
        }
        if result.value == -ECANCELED { return nil }
        let mask = result.value >= 0 ? UInt32(result.value) : CLINUX_ERR
        if purpose == .input, socket.readingPaused, mask & CLINUX_RDHUP == 0 { awaitHangup(socket) }
        return mask
    }

    // MARK: Receiving

    /// Puts what was received, or else what stands in the kernel, behind what stands in the inbox: `receive` for a ring.
    func receiveFromRing(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        if let arrival = socket.arrived.take() { return take(arrival, socket, into: &inbox) }
        if socket.arrivalsEnd != 0 {
            socket.readable = false
            return socket.arrivalsEnd == Socket.peerEnded ? 0 : -Int(socket.arrivalsEnd)
        }
        // What a broken connection had still to say is read all the same.
        if !socket.requests.isDisjoint(with: [.receiving, .awaitingInput]),
            socket.failure == 0 || ring?.isDrained == false
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
            if arrival.isEmpty { chunks.give(arrival) } else { socket.arrived = consume arrival }
            if count == 0 { return -Int(EAGAIN) }
        } else {
            inbox = consume arrival
        }
        if socket.arrived == nil, !socket.laterArrivals.isEmpty { socket.arrived = socket.laterArrivals.removeFirst() }
        socket.isBulk = isFull
        // Behind a full buffer there may be more, which is looked for when all of the turn is done.
        let isAwaited = !socket.requests.isDisjoint(with: [.receiving, .awaitingInput])
        socket.readable = socket.arrived != nil || socket.arrivalsEnd != 0 || socket.isBulk || !isAwaited
        return count
    }

    /// Reads what the ring does not receive. A short read has emptied the socket: what comes then is received in advance
    /// again, or announced where the connection moves much.
    private func readAndGoOn(_ socket: Socket, into inbox: inout Chunk?) -> Int {
        let n = read(socket, into: &inbox)
        guard n > 0 || n == -Int(EAGAIN) else { return n }
        if n > 0, socket.isBulk { socket.announcements = Socket.announcementsOfFlow }
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
    func receiveNext(_ socket: Socket, waits: Bool = true) {
        guard socket.failure == 0, socket.requests.isDisjoint(with: [.receiving, .awaitingInput]) else { return }
        if socket.announcements > 0 || !readsFarAhead {
            if socket.announcements > 0 { socket.announcements -= 1 }
            ask(socket, .awaitingInput) { $0.poll(socket.descriptor, CLINUX_IN | CLINUX_RDHUP, data: $1.data(socket)) }
        } else {
            ask(socket, .receiving) { $0.receive(socket.descriptor, waits: waits, data: $1.data(socket)) }
        }
    }

    private func receiveNoMore(_ socket: Socket, _ ring: Ring) {
        guard socket.requests.contains(.receiving), !socket.requests.contains(.cancelling) else { return }
        if ring.cancel(RingPurpose.receive.data(socket), data: RingPurpose.nothing.data(0)) {
            socket.requests.insert(.cancelling)
        }
    }

    // MARK: Waiting

    /// The socket is reported as hung up, should its peer do so while nothing is received from it.
    func awaitHangup(_ socket: Socket) {
        guard !socket.hangup, socket.requests.isDisjoint(with: [.receiving, .awaitingInput, .awaitingHangup]) else {
            return
        }
        ask(socket, .awaitingHangup) { $0.poll(socket.descriptor, CLINUX_RDHUP, data: $1.data(socket)) }
    }

    /// The socket is reported when the kernel takes more, from now on each time: asked for once only, it would be
    /// reported at once where the peer has sent its last byte, which a ring tells whether it is asked or not.
    func awaitRoom(_ socket: Socket) {
        ask(socket, .awaitingRoom) { $0.poll(socket.descriptor, CLINUX_OUT, again: true, data: $1.data(socket)) }
    }

    /// The socket is reported when its connection stands, and whether the peer has said something by then.
    func awaitConnection(_ socket: Socket) {
        let events = CLINUX_OUT | CLINUX_IN | CLINUX_RDHUP
        ask(socket, .awaitingRoom) { $0.poll(socket.descriptor, events, data: $1.data(socket)) }
    }

    private func ask(_ socket: Socket, _ request: RingRequests, _ question: (Ring, RingPurpose) -> Bool) {
        guard let ring, !socket.requests.contains(request) else { return }
        if question(ring, request.purpose) {
            socket.requests.insert(request)
        } else if socket.failure == 0 {
            socket.failure = ENOMEM
            queue(socket)
        }
    }

    func awaitWaker(_ ring: Ring) {
        awaitsWaker = ring.poll(waker.descriptor, CLINUX_IN, again: true, data: RingPurpose.waker.data(0))
    }

    func watch(_ listener: Listener, at place: Int, _ ring: Ring) {
        let mask = listener.isShared ? CLINUX_IN | CLINUX_EXCLUSIVE : CLINUX_IN
        listener.registered = ring.poll(listener.descriptor, mask, data: RingPurpose.listener.data(place))
    }

    // MARK: Ending

    /// Ends all that the socket waits for, and gives back what has come. Its descriptor is to be closed behind that.
    func leave(_ socket: Socket, _ ring: Ring) {
        for request in RingRequests.all where socket.requests.contains(request) {
            if ring.cancel(request.purpose.data(socket), data: RingPurpose.nothing.data(0)) { continue }
            // No memory for it. This ends them too, which would else keep the connection open behind its descriptor.
            _ = clinux_shutdown(socket.descriptor)
        }
        socket.requests = []
        socket.arrivalsEnd = 0
        socket.announcements = 0
        if let chunk = socket.arrived.take() { chunks.give(chunk) }
        for chunk in socket.laterArrivals { chunks.give(chunk) }
        socket.laterArrivals = []
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
