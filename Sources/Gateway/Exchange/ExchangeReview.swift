import Bytes
import HTTP
import Identity
import Model
import Outbound
import Policy
import Reactor

/// Reviews exchanges that may outlive the credential they were admitted with.
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

    /// Number of exchanges of an earlier configuration reviewed per turn, so that thousands of signature checks do not
    /// delay other requests.
    private static let readmissionBatch = 32

    /// Called once a second: ends exchanges whose credential is no longer valid.
    func run() {
        let generation = shared.revocations.generation
        var place = longLived.count - 1
        while place >= 0 {
            let verdict = longLived.verdict(at: place, now: poller.wallSeconds, revocations: generation) { exchange in
                exchange.principal.map { shared.revocations.isRevoked($0) } ?? false
            }
            // The last entry moves to the place of a removed one; it was already reviewed.
            if let verdict { tunnels.cut(longLived[place], verdict) }
            place = min(place, longLived.count) - 1
        }
        // An issuer has removed a key that some of them may have been admitted with.
        let keyEpoch = snapshot.policy.keyEpoch
        if keyEpoch != longLived.keyEpoch {
            longLived.keyEpoch = keyEpoch
            exchanges.beginReadmission()
        }
    }

    // MARK: Another configuration, other keys

    func readmitSome() {
        longLived.isReadmitting = false
        // Read before the keys: a key withdrawn afterwards counts in the next review.
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

    /// Continues the exchange under the current configuration and keys, or ends it.
    private func readmit(_ exchange: Exchange, _ keyEpoch: UInt64) {
        let (host, path, origin) = (exchange.host, exchange.path, exchange.origin)
        let request = BufferedRequest(
            exchange.head.method, host: host.readable, origin: origin.readable,
            conditions: exchange.route?.conditions ?? RouteConditions())
        let outcome = snapshot.policy.readmit(
            exchange.principal, request, path: path.readable, from: exchange.address,
            certificate: { self.snapshot.certificate(of: exchange) }, now: poller.wallSeconds,
            cache: tokenCache)
        switch outcome {
        case .refused: tunnels.cut(exchange, .refused)
        case .admitted(let route, let principal):
            exchange.snapshot = snapshot
            exchange.keyEpoch = keyEpoch
            exchange.route = route
            exchange.principal = principal
            longLived.renew(exchange)
            askPolicy(exchange, route)
        }
    }

    /// Asks the policy servers of the route again: about the request as it was, and the caller as it is now.
    private func askPolicy(_ exchange: Exchange, _ route: Route) {
        if route.policyServers.isEmpty { return }
        let (host, path) = (exchange.host, exchange.path)
        var request =
            exchange.response.policy?.request
            ?? PolicyRequest(
                route, method: exchange.head.method, path: path.readable, host: host.readable,
                isSecure: exchange.isSecure, address: exchange.address)
        (request.requestID, request.time) = (exchange.requestIDText, poller.wallSeconds)
        let (mailbox, identity) = (context.mailbox, exchange.identity)
        // The fields of a request are not kept for servers that are new.
        guard request.has(route.policyServers.inputHeaders) else { return tunnels.cut(exchange, .refused) }
        switch route.policyServers.ask(request, exchange.principal, route) {
        case .done(let answer): policyAnswered(exchange, answer)
        case .await(let begin): begin { $0.finish { mailbox.post(.policyReview(exchange: identity, $0)) } }
        case .offload, .hash: break
        }
    }

    /// Ends an exchange that a policy server refuses, or about which its answer cannot be used. An outage leaves it as it
    /// is: otherwise all long-lived exchanges would end when another server is down.
    func policyAnswered(_ exchange: Exchange, _ answer: PolicyAnswer) {
        guard answer.denial != nil, !answer.isOutage, exchange.longLivedIndex >= 0 else { return }
        tunnels.cut(exchange, .refused)
    }
}
