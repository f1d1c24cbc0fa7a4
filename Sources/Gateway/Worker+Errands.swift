import HTTP
import Model
import Reactor

/// Blocking work on behalf of exchanges, and the time in which a parked exchange must go on.
extension Worker {
    /// Parks the exchange while a pool is at work for it. One address gets no more of the pools than its share, and work
    /// for a client that has gone is skipped.
    func park(
        _ exchange: Exchange, in stage: Exchange.Stage, _ pool: BlockingPool,
        _ work: @escaping @Sendable () -> WorkerMessage
    ) {
        let address = exchange.address
        let limit = exchange.snapshot.limits.maximumPasswordChecksPerAddress
        if let address, !shared.errands.enter(address, limit: limit) {
            limited(.passwordChecks)
            reply(exchange, status: 429, reason: .rateLimited, detail: "too many requests", retryAfter: 1)
            return
        }
        park(exchange, in: stage)
        let errand = Errand()
        exchange.errand = errand
        let (mailbox, tally) = (mailbox, shared.errands)
        let accepted = pool.submit {
            // Counted until it leaves the queue, wanted or not: that is what the share is of.
            defer { if let address { tally.leave(address) } }
            if errand.isWanted { mailbox.post(work()) }
        }
        if accepted { return }
        if let address { shared.errands.leave(address) }
        refuseOverload(exchange)
    }

    /// The exchange waits for something other than its client.
    func park(_ exchange: Exchange, in stage: Exchange.Stage) {
        exchange.stage = stage
        let timeout = exchange.snapshot.limits.decisionTimeout
        // The first wait of several counts.
        if exchange.decisionDeadline == .max { exchange.decisionDeadline = poller.now + timeout }
        setClientDeadline(exchange, at: exchange.decisionDeadline)
    }

    /// The exchange goes on.
    func unpark(_ exchange: Exchange) {
        exchange.stage = .deciding
        exchange.errand = nil
        clearClientDeadline(exchange)
    }

    /// The client has taken all that waited for it: whatever else the exchange waits for has its time again.
    func awaitAgain(_ exchange: Exchange) {
        switch exchange.stage {
        // Where the upstream is the slower one, the clock of the body stands still.
        case .forwarding where !exchange.requestBody.isComplete, .collectingBody:
            setClientDeadline(exchange, at: min(exchange.bodyPace.deadline, exchange.decisionDeadline))
        case .resolvingCredential, .awaitingToken, .inEndpoint:
            setClientDeadline(exchange, at: exchange.decisionDeadline)
        case .deciding, .forwarding, .tunnelling, .finished: clearClientDeadline(exchange)
        }
    }

    /// The time of an exchange is over.
    func exchangeTimedOut(_ exchange: Exchange) {
        switch exchange.stage {
        case .resolvingCredential, .awaitingToken, .inEndpoint:
            limited(.decisionTime)
            reply(exchange, status: 503, reason: .decisionTimeout, detail: "try again later", retryAfter: 1)
        case .collectingBody, .forwarding:
            limited(.bodyRate)
            requestBodyTimedOut(exchange)
        case .deciding, .tunnelling, .finished: break
        }
    }
}
