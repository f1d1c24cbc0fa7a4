/// Complete requests for endpoints that cost a signature, oldest first.
final class EndpointQueue {
    private var waiting: [(exchange: Exchange, identity: UInt64)] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    func append(_ exchange: Exchange) {
        // Out and in again, as in all tables of a worker: a change in place would put a check on every reading.
        var queue = waiting
        waiting = []
        queue.append((exchange, exchange.identity))
        waiting = queue
    }

    /// The oldest; nil where it has ended meanwhile.
    func next() -> Exchange? {
        let (exchange, identity) = waiting[first]
        first += 1
        if first * 2 > waiting.count {
            var queue = waiting
            waiting = []
            queue.removeFirst(first)
            waiting = queue
            first = 0
        }
        return exchange.identity == identity && exchange.stage == .inEndpoint ? exchange : nil
    }
}
