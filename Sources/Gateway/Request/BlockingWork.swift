import HTTP
import Model
import Reactor

/// Blocking work on behalf of exchanges.
final class BlockingWork: LoopPart {
    let exchanges: ExchangeTable
    let responder: Responder

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ responder: Responder) {
        self.exchanges = exchanges
        self.responder = responder
        super.init(context)
    }

    /// Parks the exchange while a pool works for it. Each address has a limited share of the pools, and work for a
    /// client that has gone is skipped.
    func park(
        _ exchange: Exchange, in stage: Exchange.Stage, _ pool: BlockingPool,
        _ work: @escaping @Sendable () -> WorkerMessage
    ) {
        let address = exchange.address
        let limit = exchange.snapshot.limits.maximumPasswordChecksPerAddress
        if let address, !shared.blockingJobs.acquire(address, limit: limit) {
            limited(.passwordChecks)
            responder.reply(exchange, .rateLimited, "too many requests", retryAfter: 1)
            return
        }
        exchanges.park(exchange, in: stage)
        let blockingJob = BlockingJob()
        exchange.blockingJob = blockingJob
        let (mailbox, tally) = (context.mailbox, shared.blockingJobs)
        let accepted = pool.submit {
            // Counted until it is dequeued, wanted or not: the share limits the queue.
            defer { if let address { tally.release(address) } }
            if blockingJob.isWanted { mailbox.post(work()) }
        }
        if accepted { return }
        if let address { shared.blockingJobs.release(address) }
        responder.refuseOverload(exchange)
    }
}
