import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor

/// The watch over exchanges that may outlive what they were let in with.
final class ExchangeReview: LoopPart {
    let exchanges: ExchangeTable
    private let tunnels: Tunnels
    private let tokenCache: VerifiedTokenCache
    private var longLived: LongLivedExchanges { exchanges.longLived }

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ tunnels: Tunnels, _ tokenCache: VerifiedTokenCache) {
        self.exchanges = exchanges
        self.tunnels = tunnels
        self.tokenCache = tokenCache
        super.init(context)
    }

    /// Exchanges of an earlier configuration reviewed in one turn, so that thousands of signatures do not hold up other
    /// requests.
    private static let readmissionBatch = 32

    /// Once a second: ends what has lost its credential.
    func run() {
        let generation = shared.revocations.generation
        var place = longLived.count - 1
        while place >= 0 {
            let verdict = longLived.verdict(at: place, now: poller.wallSeconds, revocations: generation) { exchange in
                exchange.principal.map { shared.revocations.isRevoked($0) } ?? false
            }
            // The place of one that ends is taken by the last one, which was reviewed already.
            if let verdict { tunnels.cut(longLived[place], verdict) }
            place = min(place, longLived.count) - 1
        }
        // An issuer has taken a key back, by which some of them may have been let in.
        let keyEpoch = snapshot.policy.keyEpoch
        if keyEpoch != longLived.keyEpoch {
            longLived.keyEpoch = keyEpoch
            exchanges.beginReadmission()
        }
    }

    // MARK: Another configuration, other keys

    func readmitSome() {
        longLived.isReadmitting = false
        // Read before the keys: a key that is withdrawn from here on counts in the next review.
        let keyEpoch = snapshot.policy.keyEpoch
        var looked = 0
        var place = longLived.count - 1
        while place >= 0 {
            let exchange = longLived[place]
            if exchanges.predates(exchange, keyEpoch) {
                if looked == ExchangeReview.readmissionBatch {
                    exchanges.beginReadmission()
                    return
                }
                looked += 1
                readmit(exchange, keyEpoch)
            }
            place = min(place, longLived.count) - 1
        }
    }

    /// The exchange goes on under the configuration and with the keys of now, or ends.
    private func readmit(_ exchange: Exchange, _ keyEpoch: UInt64) {
        let (host, path, origin) = (exchange.host, exchange.path, exchange.origin)
        let request = RememberedRequest(exchange.head.method, host: host.readable, origin: origin.readable)
        let outcome = snapshot.policy.readmit(
            exchange.principal, request, path: path.readable,
            certificate: { exchange.client?.certificate?.certificate }, now: poller.wallSeconds, cache: tokenCache)
        switch outcome {
        case .refused: tunnels.cut(exchange, .refused)
        case .admitted(let route, let principal):
            exchange.snapshot = snapshot
            exchange.keyEpoch = keyEpoch
            exchange.route = route
            exchange.principal = principal
            longLived.renew(exchange)
        }
    }
}
