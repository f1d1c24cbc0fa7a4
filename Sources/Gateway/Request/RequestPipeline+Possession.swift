import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Requests with bound tokens.
extension RequestPipeline {
    /// Whether the sender of a bound token has its keys. False if the exchange was answered.
    func provesPossession(_ exchange: Exchange, _ route: Route?, _ bytes: Span<UInt8>) -> Bool {
        guard let principal = exchange.principal else { return true }
        let path = exchange.path
        do throws(Reason) {
            exchange.response.nonce = try exchange.snapshot.policy.challenges.possession.check(
                by: principal, on: route, path: path.readable, bytes: bytes, head: exchange.head,
                headers: requestHeaders, isSecure: exchange.isSecure,
                certificate: exchange.snapshot.ownCertificate(of: exchange), now: poller.wallSeconds)
            return true
        } catch {
            responder.deny(exchange, error, bytes)
            return false
        }
    }
}
