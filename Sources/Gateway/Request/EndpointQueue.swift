/// Complete requests for endpoints that need a signature, oldest first.
final class EndpointQueue {
    private var waiting: [(exchange: Exchange, identity: UInt64)] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    func append(_ exchange: Exchange) {
        // Moved out and back in, like all tables of a worker: changing it in place would add an exclusivity check to
        // every access.
        var queue = waiting
        waiting = []
        queue.append((exchange, exchange.identity))
        waiting = queue
    }

    /// The oldest request; nil if it has ended meanwhile.
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
