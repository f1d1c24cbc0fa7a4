/// Sockets that a loop goes on with when the events of a turn are handled, the longest waiting first, as many as a share
/// of the turn allows.
final class Backlog {
    /// Microseconds of a turn that a backlog has in any case, and at most.
    private static let leastShare: Int64 = 250
    private static let largestShare: Int64 = 1000

    private var entries: [(socket: Socket, generation: UInt32)] = []
    /// How many were gone on with in this turn, and how many may be.
    private var cursor = 0
    private var end = 0
    /// When that began in this turn, in microseconds; 0 where it has not.
    private var begunAt: Int64 = 0

    var isEmpty: Bool { entries.isEmpty }
    /// Whether there is one whose turn this is.
    var hasNext: Bool { cursor < end }

    /// Adds a socket that is not waiting already.
    func queue(_ socket: Socket) {
        guard !socket.queued else { return }
        socket.queued = true
        add(socket)
    }

    func add(_ socket: Socket) {
        // Out and in again: a change in place would put a check on every reading, with each wait.
        var changed = entries
        entries = []
        changed.append((socket, socket.generation))
        entries = changed
    }

    /// Those that wait by now may have their turn.
    func open() { end = entries.count }

    /// The next one that is still the connection that was added; nil when the share is used up. One at least in a turn.
    func next(turnBegunAt: Int64) -> Socket? {
        while cursor < end {
            let time = Clock.monotonicMicroseconds
            if begunAt == 0 {
                begunAt = time
            } else if time - begunAt >= Backlog.share(at: begunAt, turnBegunAt: turnBegunAt) {
                return nil
            }
            let (socket, generation) = entries[cursor]
            cursor += 1
            if socket.descriptor >= 0, socket.generation == generation { return socket }
        }
        return nil
    }

    /// Forgets those that were gone on with. Called between turns.
    func settle() {
        begunAt = 0
        end = 0
        guard cursor > 0 else { return }
        var changed = entries
        entries = []
        if cursor == changed.count {
            changed.removeAll(keepingCapacity: true)
        } else {
            changed.removeFirst(cursor)
        }
        entries = changed
        cursor = 0
    }

    /// As long as the turn has taken so far, so that work for later gets half of a busy loop, and within bounds: a turn may
    /// have been long because the kernel gave the processor to others.
    static func share(at time: Int64, turnBegunAt: Int64) -> Int64 {
        min(max(leastShare, time - turnBegunAt), largestShare)
    }
}

@available(*, unavailable)
extension Backlog: Sendable {}
