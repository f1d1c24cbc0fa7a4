import Bytes
import HTTP
import Identity
import Policy
import Reactor

/// The watch over exchanges that may outlive what they were let in with.
extension Worker {
    /// Exchanges of an earlier configuration looked at in one go, so that thousands of signatures do not stand in the way
    /// of everybody else.
    private static let readmissionBatch = 32

    /// The exchange lasts from here on.
    func watch(_ exchange: Exchange) {
        lasting.add(exchange)
        releaseRequest(exchange)
        // It was decided by an earlier configuration, and has missed the change.
        if exchange.snapshot !== snapshot { beginReadmission() }
    }

    /// The request is not sent again: its buffer would be held for as long as the exchange lasts.
    private func releaseRequest(_ exchange: Exchange) {
        // A stream has taken it; a socket may still hold a rest.
        guard let chunk = exchange.requestChunk, chunk.isEmpty || exchange.upstream?.stream != nil else { return }
        chunk.isHeld = false
        poller.chunks.give(chunk)
        exchange.requestChunk = nil
    }

    /// Whether a response is a stream of events (HTML Living Standard, section 9.2), for which nobody knows an end.
    func isEventStream(_ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard let value = headers.value(.contentType) else { return false }
        let type = Worker.eventStream.count
        let text = bytes.slice(value)
        guard text.count >= type, bytesEqualIgnoringCase(text.extracting(0..<type), Worker.eventStream.span) else {
            return false
        }
        // Parameters may follow, and nothing else.
        return text.count == type || text[type] == UInt8(ascii: ";") || text[type] == ASCII.space
    }

    private static let eventStream = Array("text/event-stream".utf8)

    /// Once a second: ends what has lost its credential.
    func reviewLasting() {
        let generation = shared.revocations.generation
        var place = lasting.count - 1
        while place >= 0 {
            let verdict = lasting.verdict(at: place, now: poller.wallSeconds, revocations: generation) { exchange in
                exchange.principal.map { shared.revocations.isRevoked($0) } ?? false
            }
            // Whoever ends leaves its place to the last one, which was looked at already.
            if let verdict { cut(lasting[place], verdict) }
            place = min(place, lasting.count) - 1
        }
    }

    /// How long the exchange may be silent, in milliseconds.
    func silence(_ exchange: Exchange) -> Int64 {
        let limits = exchange.snapshot.limits
        // One side has said all: the other has the time of an answer.
        if exchange.tunnel?.isHalfClosed == true { return min(limits.tunnelIdleTimeout, responseTimeout(exchange)) }
        return limits.tunnelIdleTimeout
    }

    /// Ends an exchange that lasts.
    func cut(_ exchange: Exchange, _ reason: CutReason) {
        let code = reason.code(isTunnel: exchange.tunnel != nil)
        if exchange.stage == .tunnelling, leave(exchange, saying: reason, code) { return }
        abandon(exchange, reason: code, reset: false)
    }

    /// The time to drain is over: what lasts is told so, and everything ends.
    func endDrain() {
        for place in (0..<lasting.count).reversed() { cut(lasting[place], .drained) }
        isFinished = true
    }

    // MARK: Another configuration

    /// Has every exchange of an earlier configuration decided anew, a few at a time.
    func beginReadmission() {
        guard !lasting.isReadmitting, lasting.count > 0 else { return }
        lasting.isReadmitting = true
        poller.schedule(TimerToken(role: Role.readmission, owner: 0, generation: 0), at: poller.now + 1)
    }

    func readmitSome() {
        lasting.isReadmitting = false
        var looked = 0
        var place = lasting.count - 1
        while place >= 0 {
            let exchange = lasting[place]
            if exchange.snapshot !== snapshot {
                if looked == Worker.readmissionBatch {
                    beginReadmission()
                    return
                }
                looked += 1
                readmit(exchange)
            }
            place = min(place, lasting.count) - 1
        }
    }

    /// The exchange goes on under the configuration of now, or ends.
    private func readmit(_ exchange: Exchange) {
        let (host, path, origin) = (exchange.host, exchange.path, exchange.origin)
        let outcome = snapshot.policy.readmit(
            exchange.principal, host: host.readable, path: path.readable, method: exchange.head.method,
            origin: origin.readable, certificate: { exchange.client?.certificate?.certificate },
            now: poller.wallSeconds, cache: tokenCache)
        switch outcome {
        case .refused: cut(exchange, .refused)
        case .admitted(let route, let principal):
            exchange.snapshot = snapshot
            exchange.route = route
            exchange.principal = principal
            lasting.renew(exchange)
        }
    }
}
