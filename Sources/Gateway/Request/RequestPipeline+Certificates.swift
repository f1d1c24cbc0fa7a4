import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Certificates of clients.
extension RequestPipeline {
    /// Takes the certificate of the client: that of the connection or, where the peer is a proxy that tells certificates of
    /// its clients, that of the request. Returns why the request is refused.
    func takeCertificate(_ exchange: Exchange, _ bytes: Span<UInt8>) -> Reason? {
        guard let client = exchange.client else { return nil }
        let snapshot = exchange.snapshot
        guard let forwarded = snapshot.forwardedCertificates(of: exchange) else {
            // Kept with the connection.
            exchange.certificate = snapshot.certificate(of: exchange) == nil ? nil : client.certificate
            return nil
        }
        guard let values = forwarded.values(requestHeaders, bytes) else { return .clientCertificateMalformed }
        guard values.certificate != nil || values.chain != nil else { return nil }
        do throws(Reason) {
            exchange.certificate = try forwardedCertificates.certificate(
                forwarded, bytes.slice(values.certificate ?? .empty),
                chain: values.chain.map { Array(copying: bytes.slice($0)) },
                listener: client.listener, generation: snapshot.generation, now: poller.wallSeconds)
            return nil
        } catch {
            return error
        }
    }
}

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
            responder.deny(exchange, error, at: .proof, bytes)
            return false
        }
    }
}
