import Model
import Reactor

/// Requests of one worker that wait for room at an upstream. Bounded. They are served in turns by network, and fail in the
/// order of their deadlines.
final class RequestQueue {
    private struct Place {
        var exchange: UInt64
        var network: IPAddress?
        var deadline: Int64
        var previous: Int
        var next: Int
    }

    private static let none = -1
    /// Linked in the order of the deadlines.
    private var places: [Place] = []
    private var firstVacant = RequestQueue.none
    private var head = RequestQueue.none
    private var last = RequestQueue.none
    /// The places in the order in which they are served.
    private var turns = TurnQueue<Int>(priorities: 1)
    private(set) var count = 0
    /// Uploads that may not wait for room before their bodies have arrived, by network.
    private var arriving: [IPAddress?: Int] = [:]
    private var arrivals = 0

    var isEmpty: Bool { count == 0 }

    /// Whether no request waits, neither for room nor for its body.
    var isIdle: Bool { count | arrivals == 0 }

    /// Deadline of the oldest request; nil if empty.
    var nextDeadline: Int64? { head == RequestQueue.none ? nil : places[head].deadline }

    /// The request whose turn it is, which stays.
    var first: UInt64? { turns.first.map { places[$0].exchange } }

    /// Adds an exchange; nil if the queue is full. Returns its place, for `withdraw`.
    ///
    /// - Precondition: deadlines never decrease from one call to the next: all have the same timeout.
    func enqueue(_ exchange: UInt64, of network: IPAddress?, until deadline: Int64, limit: Int) -> Int? {
        guard count < limit else { return nil }
        let place: Int
        let entry = Place(
            exchange: exchange, network: network, deadline: deadline, previous: last, next: RequestQueue.none)
        if firstVacant == RequestQueue.none {
            place = places.count
            places.append(entry)
        } else {
            place = firstVacant
            firstVacant = places[place].next
            places[place] = entry
        }
        if last == RequestQueue.none { head = place } else { places[last].next = place }
        last = place
        count += 1
        turns.append(place, of: network, priority: 0)
        return place
    }

    /// Makes room for a request of a network: removes the latest of the network that has most, if that has at least two
    /// more.
    func displaced(by network: IPAddress?) -> UInt64? {
        guard let place = turns.displaced(by: network, priority: 0) else { return nil }
        unlink(place)
        return places[place].exchange
    }

    /// Removes the oldest request if it has expired.
    func takeExpired(_ now: Int64) -> UInt64? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        let place = head
        withdraw(at: place)
        return places[place].exchange
    }

    /// Removes the request at a place. The request whose turn it is has then used the turn of its network.
    func withdraw(at place: Int) {
        if turns.first == place {
            _ = turns.next()
        } else {
            turns.remove(of: places[place].network, priority: 0) { $0 == place }
        }
        unlink(place)
    }

    private func unlink(_ place: Int) {
        let entry = places[place]
        if entry.previous == RequestQueue.none {
            head = entry.next
        } else {
            places[entry.previous].next = entry.next
        }
        if entry.next == RequestQueue.none {
            last = entry.previous
        } else {
            places[entry.next].previous = entry.previous
        }
        places[place].next = firstVacant
        firstVacant = place
        count -= 1
    }

    // MARK: Bodies

    /// Number of uploads of a network whose bodies have to arrive first.
    func arriving(of network: IPAddress?) -> Int { arrivals == 0 ? 0 : arriving[network] ?? 0 }

    /// The body of an upload has to arrive first. `arrived` must be called later.
    func arrives(of network: IPAddress?) {
        arriving[network, default: 0] += 1
        arrivals += 1
    }

    func arrived(of network: IPAddress?) {
        guard let count = arriving[network] else { return }
        arriving[network] = count > 1 ? count - 1 : nil
        arrivals -= 1
    }
}
