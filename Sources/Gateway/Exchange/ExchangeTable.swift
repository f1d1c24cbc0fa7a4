import Bytes
import HTTP
import Model
import Reactor

/// A worker's exchanges: objects, ids and deadlines.
final class ExchangeTable: LoopPart {
    let all = Slab<Exchange>()
    /// Exchanges that may outlive the credential they were admitted with.
    let longLived = LongLivedExchanges()
    private let groups: UpstreamGroups
    private var requestIDs: RequestIDSource

    init(_ context: LoopContext, _ groups: UpstreamGroups) {
        self.groups = groups
        requestIDs = RequestIDSource(worker: context.number)
        super.init(context)
    }

    func take() -> Exchange { all.take { Exchange(index: $0, snapshot: snapshot) } }

    /// The exchange has ended; its object is ready for reuse.
    func recycle(_ exchange: Exchange) {
        groups.release(exchange)
        if let chunk = exchange.sent.chunk {
            exchange.sent.chunk = nil
            chunk.isHeld = false
            poller.chunks.give(chunk)
        }
        longLived.remove(exchange)
        exchange.reset()
        if exchange.snapshot !== snapshot { exchange.snapshot = snapshot }
        all.give(exchange)
    }

    /// The exchange that a message is for; nil if it has ended.
    func find(_ identity: UInt64) -> Exchange? {
        let exchange = all[Int(identity & 0xffff_ffff)]
        return exchange.identity == identity ? exchange : nil
    }

    /// The same, if it is in this stage.
    func find(_ identity: UInt64, in stage: Exchange.Stage) -> Exchange? {
        find(identity).flatMap { $0.stage == stage ? $0 : nil }
    }

    /// Unused objects must not retain an earlier configuration; `recycle` does the same for the others.
    func useSnapshot() { all.forEachVacant { $0.snapshot = snapshot } }

    /// Takes the request id from the head, or generates one. The source is moved out meanwhile, see `accept`.
    func takeRequestID(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        var source = requestIDs
        source.take(requestHeaders, bytes, into: exchange.requestID)
        requestIDs = source
    }

    func makeRequestID(_ exchange: Exchange) {
        var source = requestIDs
        source.make(into: exchange.requestID)
        requestIDs = source
    }

    /// Parses the head of a parked exchange again, into `requestHeaders`. Returns its buffer.
    func reread(_ exchange: Exchange) -> Chunk? {
        guard let buffer = exchange.headBuffer else { return nil }
        if let question = exchange.forwardAuth {
            return question.parse(exchange.snapshot.limits.head, into: requestHeaders) == nil ? nil : question.buffer
        }
        if let stream = exchange.stream {
            stream.load(into: requestHeaders)
            return buffer
        }
        var parser = RequestParser(limits: exchange.snapshot.limits.head(exchange.client?.role ?? .proxy))
        guard case .head = parser.parse(buffer.readable, into: requestHeaders) else { return nil }
        return buffer
    }

    // MARK: Parking

    /// Parks the exchange until something other than its client continues it.
    func park(_ exchange: Exchange, in stage: Exchange.Stage) {
        exchange.enter(stage)
        let timeout = exchange.snapshot.limits.decisionTimeout
        // The deadline counts from the first of several waits.
        if exchange.decisionDeadline == .max { exchange.decisionDeadline = poller.now + timeout }
        setClientDeadline(exchange, at: exchange.decisionDeadline)
    }

    /// Continues the exchange.
    func unpark(_ exchange: Exchange) {
        exchange.enter(.deciding)
        exchange.blockingJob = nil
        clearClientDeadline(exchange)
    }

    /// The client has received all queued output: restarts the time of what the exchange now waits for.
    func awaitAgain(_ exchange: Exchange) {
        switch exchange.stage {
        // While the upstream is slower, the body's clock is paused.
        case .forwarding where !exchange.requestBody.isComplete, .collectingBody:
            setClientDeadline(exchange, at: min(exchange.bodyPace.deadline, exchange.decisionDeadline))
        case .verifyingCredential, .askingPolicy, .awaitingToken, .inEndpoint:
            setClientDeadline(exchange, at: exchange.decisionDeadline)
        case .deciding, .forwarding, .tunnelling, .finished: clearClientDeadline(exchange)
        }
    }

    // MARK: Client deadlines

    /// Sets the client's deadline to so many milliseconds from now.
    func setClientDeadline(_ exchange: Exchange, in milliseconds: Int64) {
        setClientDeadline(exchange, at: poller.now + milliseconds)
    }

    func setClientDeadline(_ exchange: Exchange, at deadline: Int64) {
        if exchange.stream != nil {
            poller.setDeadline(exchange, at: deadline)
        } else if let client = exchange.client {
            poller.setDeadline(client, at: deadline)
        }
    }

    func clearClientDeadline(_ exchange: Exchange) {
        if exchange.stream != nil { exchange.deadline = .max } else { exchange.client?.deadline = .max }
    }
}
