/// Deferred work after the events of a turn.
extension Poller {
    /// Continues with the socket in the next turn or a later one.
    func queue(_ socket: Socket) { revisits.queue(socket) }

    /// Continues with sockets without a new event. Many bulk transfers take at most half of the time from small
    /// requests.
    func nextRevisit() -> Completion? {
        while let socket = revisits.next(inTurnOf: turnBegunAt) {
            socket.queued = false
            if let completion = progress(socket) { return completion }
        }
        return nil
    }

    /// Continues the handshake at the end of this turn or a later one.
    func postponeOpening(_ socket: Socket) {
        guard !socket.awaitsOpening else { return }
        socket.awaitsOpening = true
        openings.add(socket)
    }

    /// Continues handshakes of filters. Each costs as much as dozens of requests; together they take at most half of
    /// the time from established connections.
    func nextOpening() -> Completion? {
        while let socket = openings.next(inTurnOf: turnBegunAt) {
            socket.awaitsOpening = false
            opens = true
            defer { opens = false }
            if let completion = progress(socket) { return completion }
        }
        return nil
    }
}
