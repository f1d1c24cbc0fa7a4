/// A FIFO queue of sockets that a loop continues with after the events of a turn, within a share of the turn.
final class Backlog {
    /// Minimum and maximum share of a turn in microseconds.
    private static let leastShare: Int64 = 250
    private static let largestShare: Int64 = 1000

    private var entries: [(socket: Socket, generation: UInt32)] = []
    /// The number of entries handled in this turn, and its limit.
    private var cursor = 0
    private var end = 0
    /// Start of the handling in this turn, in microseconds; 0 before it.
    private var begunAt: Int64 = 0

    var isEmpty: Bool { entries.isEmpty }
    /// Whether an entry may be handled in this turn.
    var hasNext: Bool { cursor < end }

    /// Adds a socket unless it is queued already.
    func queue(_ socket: Socket) {
        guard !socket.queued else { return }
        socket.queued = true
        add(socket)
    }

    func add(_ socket: Socket) {
        // Moved out and in again: mutation in place would need an exclusivity check at each read.
        var changed = entries
        entries = []
        changed.append((socket, socket.generation))
        entries = changed
    }

    /// Allows the entries queued so far to be handled in this turn.
    func open() { end = entries.count }

    /// The next socket whose connection is still the queued one; nil once the share is used up. At least one in each
    /// turn.
    func next(inTurnOf turnStart: Int64) -> Socket? {
        while cursor < end {
            let time = Clock.monotonicMicroseconds
            if begunAt == 0 {
                begunAt = time
            } else if time - begunAt >= Backlog.share(at: begunAt, inTurnOf: turnStart) {
                return nil
            }
            let (socket, generation) = entries[cursor]
            cursor += 1
            if socket.descriptor >= 0, socket.generation == generation { return socket }
        }
        return nil
    }

    /// Removes handled entries. Called between turns.
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

    /// The duration of the turn so far, so that deferred work gets half of a busy loop. Bounded, since a turn may be
    /// long because the thread was preempted.
    static func share(at time: Int64, inTurnOf turnStart: Int64) -> Int64 {
        min(max(leastShare, time - turnStart), largestShare)
    }
}

@available(*, unavailable)
extension Backlog: Sendable {}
