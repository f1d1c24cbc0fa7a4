/// Requests that wait until their upstream has room, first come, first served. Bounded; entering, leaving and giving up
/// take the same time however many wait, and a queue that was once full allocates no more.
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

    /// When the request that waits longest times out; nil where none waits.
    var nextDeadline: Int64? { head == RequestQueue.none ? nil : places[head].deadline }

    /// The one that waits longest; it stays.
    var first: UInt64? { head == RequestQueue.none ? nil : places[head].exchange }

    /// Lets an exchange wait; nil where the queue is full. Answers its place, for `leave`.
    ///
    /// Deadlines never decrease from one call to the next: all wait equally long.
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

    /// Takes the one that waits longest.
    func takeFirst() -> UInt64? {
        guard head != RequestQueue.none else { return nil }
        let exchange = places[head].exchange
        withdraw(at: head)
        return exchange
    }

    /// Takes the one that waits longest if its time is over.
    func takeExpired(_ now: Int64) -> UInt64? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        return takeFirst()
    }

    /// Gives a place up.
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
