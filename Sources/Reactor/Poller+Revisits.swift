/// What is done without a new event of the kernel: going on with sockets that have more than was read at once.
extension Poller {
    /// Time of a turn in microseconds that work for later has: in any case, and at most.
    private static let leastShare: Int64 = 250
    private static let largestShare: Int64 = 1000

    /// As long as the turn has taken so far, so that work for later gets half of a busy loop, and within bounds: a turn may
    /// have been long because the kernel gave the processor to others.
    func share(at time: Int64) -> Int64 {
        min(max(Poller.leastShare, time - turnBegunAt), Poller.largestShare)
    }

    /// The socket is looked at again at the end of this turn, or of a later one.
    func queue(_ socket: Socket) {
        guard !socket.queued else { return }
        socket.queued = true
        revisit.append((socket, socket.generation))
    }

    /// Goes on with those that have waited longest, one at least in each turn, until their share is used up: however many
    /// move large bodies, they take no more than half of the time from who asks for little.
    func nextRevisit() -> Completion? {
        while revisitCursor < revisiting.count {
            let time = Clock.monotonicMicroseconds
            if revisitsBegunAt == 0 {
                revisitsBegunAt = time
            } else if time - revisitsBegunAt >= share(at: revisitsBegunAt) {
                return nil
            }
            let (socket, generation) = revisiting[revisitCursor]
            revisitCursor += 1
            guard socket.descriptor >= 0, socket.generation == generation else { continue }
            socket.queued = false
            if let completion = progress(socket) { return completion }
        }
        return nil
    }

    /// Puts those that were queued in this turn behind those whose turn has not come. Called between turns.
    func settleRevisits() {
        revisitsBegunAt = 0
        if revisitCursor == revisiting.count {
            revisiting.removeAll(keepingCapacity: true)
            swap(&revisit, &revisiting)
        } else {
            revisiting.removeFirst(revisitCursor)
            revisiting += revisit
            revisit.removeAll(keepingCapacity: true)
        }
        revisitCursor = 0
    }
}
