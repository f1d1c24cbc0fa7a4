import Bytes
import Policy
import Reactor

/// Exchanges that may outlive the credential they were admitted with.
extension ExchangeTable {
    /// Adds a long-lived exchange.
    func watch(_ exchange: Exchange) {
        longLived.add(exchange)
        releaseRequest(exchange)
        // It was decided under an earlier configuration or with earlier keys, and missed the change.
        if predates(exchange, snapshot.policy.keyEpoch) { beginReadmission() }
    }

    func predates(_ exchange: Exchange, _ keyEpoch: UInt64) -> Bool {
        exchange.snapshot !== snapshot || exchange.keyEpoch != keyEpoch
    }

    /// Releases the buffer of the request, which will not be sent again.
    private func releaseRequest(_ exchange: Exchange) {
        // A stream has taken it; a socket may still hold a rest.
        guard let chunk = exchange.sent.chunk, chunk.isEmpty || exchange.upstream?.stream != nil else { return }
        chunk.isHeld = false
        poller.chunks.give(chunk)
        exchange.sent.chunk = nil
    }

    /// Starts deciding all exchanges of an earlier configuration or with earlier keys again, a few at a time.
    func beginReadmission() {
        guard !longLived.isReadmitting, longLived.count > 0 else { return }
        longLived.isReadmitting = true
        poller.schedule(TimerToken(role: LoopRole.readmission, owner: 0), at: poller.now + 1)
    }
}
