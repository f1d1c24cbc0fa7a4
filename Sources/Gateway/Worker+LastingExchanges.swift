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

    /// Once a second: ends what has lost its credential.
    func reviewLasting() {
        let generation = shared.revocations.generation
        var place = lasting.count - 1
        while place >= 0 {
            let verdict = lasting.verdict(at: place, now: poller.wallSeconds, revocations: generation) { exchange in
                exchange.principal.map { shared.revocations.isRevoked($0) } ?? false
            }
            // Whoever ends leaves its place to the last one, which was looked at already.
            if let verdict { tunnels.cut(lasting[place], verdict) }
            place = min(place, lasting.count) - 1
        }
        // An issuer has taken a key back, by which some of them may have been let in.
        let keyEpoch = snapshot.policy.keyEpoch
        if keyEpoch != lasting.keyEpoch {
            lasting.keyEpoch = keyEpoch
            exchanges.beginReadmission()
        }
    }

    /// The time to drain is over: what lasts is told so, and everything ends. Where a frame is under way to a client, or it
    /// has not taken its close frame yet, it has a second more; who waits for an answer has not.
    func endDrain() {
        looksAfterDrain += 1
        let isLast = looksAfterDrain > Worker.mostLooksAfterDrain
        for place in (0..<lasting.count).reversed() {
            let exchange = lasting[place]
            if !isLast, exchange.stage == .tunnelling, exchange.tunnel?.frames?.takesFrame == false { continue }
            tunnels.cut(exchange, .drained)
        }
        let isAwaited =
            lasting.count > 0
            || frontend.clients.all.contains { $0.exchange == nil && $0.socket?.pendingBytes ?? 0 > 0 }
        guard isAwaited, !isLast else {
            isFinished = true
            return
        }
        let token = TimerToken(role: Role.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + Worker.lookAfterDrainInterval)
    }

    // MARK: Another configuration, other keys

    func readmitSome() {
        lasting.isReadmitting = false
        // Read before the keys: whatever is taken back from here on is for the next look.
        let keyEpoch = snapshot.policy.keyEpoch
        var looked = 0
        var place = lasting.count - 1
        while place >= 0 {
            let exchange = lasting[place]
            if exchanges.isOfBefore(exchange, keyEpoch) {
                if looked == Worker.readmissionBatch {
                    exchanges.beginReadmission()
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
        case .refused: tunnels.cut(exchange, .refused)
        case .admitted(let route, let principal):
            exchange.snapshot = snapshot
            exchange.keyEpoch = keyEpoch
            exchange.route = route
            exchange.principal = principal
            lasting.renew(exchange)
        }
    }
}
