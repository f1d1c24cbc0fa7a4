/// Requests waiting for room at their upstream, in FIFO order. Bounded. Adding and removing take constant time, and a
/// queue that was once full allocates nothing.
final class RequestQueue {
    private struct Place {
        var exchange: UInt64
        var deadline: Int64
        var previous: Int
        var next: Int
    }

    private static let none = -1
    private var places: [Place] = []
    private var firstVacant = RequestQueue.none
    private var head = RequestQueue.none
    private var last = RequestQueue.none
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Deadline of the oldest request; nil if empty.
    var nextDeadline: Int64? { head == RequestQueue.none ? nil : places[head].deadline }

    /// The oldest request, which stays.
    var first: UInt64? { head == RequestQueue.none ? nil : places[head].exchange }

    /// Adds an exchange; nil if the queue is full. Returns its place, for `withdraw`.
    ///
    /// - Precondition: deadlines never decrease from one call to the next: all have the same timeout.
    func enqueue(_ exchange: UInt64, until deadline: Int64, limit: Int) -> Int? {
        guard count < limit else { return nil }
        let place: Int
        let entry = Place(exchange: exchange, deadline: deadline, previous: last, next: RequestQueue.none)
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
        return place
    }

    /// Removes the oldest request.
    func takeFirst() -> UInt64? {
        guard head != RequestQueue.none else { return nil }
        let exchange = places[head].exchange
        withdraw(at: head)
        return exchange
    }

    /// Removes the oldest request if it has expired.
    func takeExpired(_ now: Int64) -> UInt64? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        return takeFirst()
    }

    /// Removes the request at a place.
    func withdraw(at place: Int) {
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
}
