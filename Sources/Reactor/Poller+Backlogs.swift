/// What is done behind the events of a turn.
extension Poller {
    /// The socket is looked at again in the next turn, or in a later one.
    func queue(_ socket: Socket) { revisits.queue(socket) }

    /// Goes on with sockets without a new event: however many move large bodies, they take no more than half of the time
    /// from who asks for little.
    func nextRevisit() -> Completion? {
        while let socket = revisits.next(turnBegunAt: turnBegunAt) {
            socket.queued = false
            if let completion = progress(socket) { return completion }
        }
        return nil
    }

    /// The handshake goes on at the end of this turn, or of a later one.
    func postponeOpening(_ socket: Socket) {
        guard !socket.awaitsOpening else { return }
        socket.awaitsOpening = true
        openings.add(socket)
    }

    /// Goes on with handshakes of filters: each costs as much as dozens of requests, and however many are begun, they take
    /// no more than half of the time from who is connected.
    func nextOpening() -> Completion? {
        while let socket = openings.next(turnBegunAt: turnBegunAt) {
            socket.awaitsOpening = false
            opens = true
            defer { opens = false }
            if let completion = progress(socket) { return completion }
        }
        return nil
    }
}
