/// Requests for the token service that are whole and wait for their turn, oldest first.
final class EndpointLine {
    private var waiting: [(exchange: Exchange, identity: UInt64)] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    func append(_ exchange: Exchange) {
        // Out and in again, as in all tables of a worker: a change in place would put a check on every reading.
        var line = waiting
        waiting = []
        line.append((exchange, exchange.identity))
        waiting = line
    }

    /// The one that has waited longest; nil where it has ended in between.
    func next() -> Exchange? {
        let (exchange, identity) = waiting[first]
        first += 1
        if first * 2 > waiting.count {
            var line = waiting
            waiting = []
            line.removeFirst(first)
            waiting = line
            first = 0
        }
        return exchange.identity == identity && exchange.stage == .inEndpoint ? exchange : nil
    }
}
