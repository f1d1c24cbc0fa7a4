/// Handshakes of filters: each costs as much as dozens of requests, and is done behind what else a turn has brought.
extension Poller {
    /// The handshake goes on at the end of this turn, or of a later one.
    func postponeOpening(_ socket: Socket) {
        guard !socket.awaitsOpening else { return }
        socket.awaitsOpening = true
        // Out and in again, as in all lists of the loop.
        var waiting = openings
        openings = []
        waiting.append((socket, socket.generation))
        openings = waiting
    }

    /// Goes on with the handshakes that have waited longest, one at least in each turn, until their share is used
    /// up: however many are begun, they take no more than half of the time from who is connected.
    func nextOpening() -> Completion? {
        while openingCursor < openings.count {
            let time = Clock.monotonicMicroseconds
            if openingsBegunAt == 0 {
                openingsBegunAt = time
            } else if time - openingsBegunAt >= share(at: openingsBegunAt) {
                return nil
            }
            let (socket, generation) = openings[openingCursor]
            openingCursor += 1
            guard socket.descriptor >= 0, socket.generation == generation else { continue }
            socket.awaitsOpening = false
            opens = true
            defer { opens = false }
            if let completion = progress(socket) { return completion }
        }
        return nil
    }

    /// Forgets those that were gone on with. Called between turns.
    func settleOpenings() {
        openingsBegunAt = 0
        guard openingCursor > 0 else { return }
        var waiting = openings
        openings = []
        waiting.removeFirst(openingCursor)
        openings = waiting
        openingCursor = 0
    }
}
