import Model
import Outbound
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
        _ exchange: Exchange, in stage: Exchange.Stage, _ pool: BlockingPool, _ priority: HashPriority = .standard,
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
        let (mailbox, tally, identity) = (context.mailbox, shared.blockingJobs, exchange.identity)
        // Counted until it is dequeued, wanted or not: the share limits the queue.
        let release = { @Sendable in if let address { tally.release(address) } }
        let accepted = pool.submit(
            BlockingPool.Job(
                of: address?.subscriber, priority: priority.rawValue, isWanted: { blockingJob.isWanted },
                drop: {
                    release()
                    if blockingJob.isWanted { mailbox.post(.displaced(exchange: identity)) }
                },
                run: {
                    defer { release() }
                    mailbox.post(work())
                }))
        if accepted { return }
        if let address { shared.blockingJobs.release(address) }
        responder.refuseOverload(exchange)
    }

    /// The work for the exchange has made room for other work.
    func displaced(_ exchange: Exchange) {
        guard exchange.blockingJob != nil else { return }
        responder.refuseOverload(exchange)
    }
}
