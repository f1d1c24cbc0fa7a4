import Bytes
import Policy
import Reactor

/// Exchanges that may outlive the credential they were admitted with.
extension ExchangeTable {
    /// The exchange lasts from here on.
    func watch(_ exchange: Exchange) {
        longLived.add(exchange)
        releaseRequest(exchange)
        // It was decided by an earlier configuration or earlier keys, and has missed the change.
        if predates(exchange, snapshot.policy.keyEpoch) { beginReadmission() }
    }

    func predates(_ exchange: Exchange, _ keyEpoch: UInt64) -> Bool {
        exchange.snapshot !== snapshot || exchange.keyEpoch != keyEpoch
    }

    /// The request is not sent again: its buffer would be held for as long as the exchange lasts.
    private func releaseRequest(_ exchange: Exchange) {
        // A stream has taken it; a socket may still hold a rest.
        guard let chunk = exchange.sent.chunk, chunk.isEmpty || exchange.upstream?.stream != nil else { return }
        chunk.isHeld = false
        poller.chunks.give(chunk)
        exchange.sent.chunk = nil
    }

    /// Has every exchange of an earlier configuration, or with earlier keys, decided anew, a few at a time.
    func beginReadmission() {
        guard !longLived.isReadmitting, longLived.count > 0 else { return }
        longLived.isReadmitting = true
        poller.schedule(TimerToken(role: Worker.Role.readmission, owner: 0), at: poller.now + 1)
    }
}
