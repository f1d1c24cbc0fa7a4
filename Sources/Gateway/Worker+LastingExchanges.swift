import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor

/// The watch over exchanges that may outlive what they were let in with.
extension Worker {
    /// Exchanges of an earlier configuration looked at in one go, so that thousands of signatures do not stand in the way
    /// of everybody else.
    private static let readmissionBatch = 32
    private static let mostLooksAfterDrain = 20
    /// Milliseconds.
    private static let lookAfterDrainInterval: Int64 = 50

    /// The exchange lasts from here on.
    func watch(_ exchange: Exchange) {
        lasting.add(exchange)
        releaseRequest(exchange)
        // It was decided by an earlier configuration or earlier keys, and has missed the change.
        if isOfBefore(exchange, snapshot.policy.keyEpoch) { beginReadmission() }
    }

    private func isOfBefore(_ exchange: Exchange, _ keyEpoch: UInt64) -> Bool {
        exchange.snapshot !== snapshot || exchange.keyEpoch != keyEpoch
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
        // An issuer has taken a key back, by which some of them may have been let in.
        let keyEpoch = snapshot.policy.keyEpoch
        if keyEpoch != lasting.keyEpoch {
            lasting.keyEpoch = keyEpoch
            beginReadmission()
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
        let told = reason.reason(isTunnel: exchange.tunnel != nil)
        if exchange.stage == .tunnelling, leave(exchange, saying: told, closeCode: reason.closeCode) { return }
        abandon(exchange, reason: told, reset: false)
    }

    /// The time to drain is over: what lasts is told so, and everything ends. Where a frame is under way to a client, or it
    /// has not taken its close frame yet, it has a second more; who waits for an answer has not.
    func endDrain() {
        looksAfterDrain += 1
        let isLast = looksAfterDrain > Worker.mostLooksAfterDrain
        for place in (0..<lasting.count).reversed() {
            let exchange = lasting[place]
            if !isLast, exchange.stage == .tunnelling, exchange.tunnel?.frames?.takesFrame == false { continue }
            cut(exchange, .drained)
        }
        let isAwaited = lasting.count > 0 || clients.contains { $0.exchange == nil && $0.socket?.pendingBytes ?? 0 > 0 }
        guard isAwaited, !isLast else {
            isFinished = true
            return
        }
        let token = TimerToken(role: Role.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + Worker.lookAfterDrainInterval)
    }

    // MARK: Another configuration, other keys

    /// Has every exchange of an earlier configuration, or with earlier keys, decided anew, a few at a time.
    func beginReadmission() {
        guard !lasting.isReadmitting, lasting.count > 0 else { return }
        lasting.isReadmitting = true
        poller.schedule(TimerToken(role: Role.readmission, owner: 0), at: poller.now + 1)
    }

    func readmitSome() {
        lasting.isReadmitting = false
        // Read before the keys: whatever is taken back from here on is for the next look.
        let keyEpoch = snapshot.policy.keyEpoch
        var looked = 0
        var place = lasting.count - 1
        while place >= 0 {
            let exchange = lasting[place]
            if isOfBefore(exchange, keyEpoch) {
                if looked == Worker.readmissionBatch {
                    beginReadmission()
                    return
                }
                looked += 1
                readmit(exchange, keyEpoch)
            }
            place = min(place, lasting.count) - 1
        }
    }

    /// The exchange goes on under the configuration and with the keys of now, or ends.
    private func readmit(_ exchange: Exchange, _ keyEpoch: UInt64) {
        let (host, path, origin) = (exchange.host, exchange.path, exchange.origin)
        let outcome = snapshot.policy.readmit(
            exchange.principal, host: host.readable, path: path.readable, method: exchange.head.method,
            origin: origin.readable, certificate: { exchange.client?.certificate?.certificate },
            now: poller.wallSeconds, cache: tokenCache)
        switch outcome {
        case .refused: cut(exchange, .refused)
        case .admitted(let route, let principal):
            exchange.snapshot = snapshot
            exchange.keyEpoch = keyEpoch
            exchange.route = route
            exchange.principal = principal
            lasting.renew(exchange)
        }
    }
}
