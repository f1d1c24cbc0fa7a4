import Bytes
import HTTP
import Identity
import Model

extension GatewaySnapshot {
    /// What plain listeners answer, if all of them redirect to `https`.
    package var plainRedirect: HTTPSRedirect? {
        let plain = listeners.filter { $0.tls == nil }.map(\.rules)
            .filter { !$0.role.isControl && $0.role != .forwardAuth }
        return plain.allSatisfy { $0.redirect != nil } ? plain.first?.redirect : nil
    }

    /// Whether a plain listener sends a request to `https`: the gateway has its name, by the configuration or
    /// by a certificate, or the name is of the client's own machine. Otherwise a client that chooses `Host` could have
    /// caches between it and other clients keep a redirect to a foreign place.
    package func redirects(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        let authority = String(copying: bytes.slice(head.authority))
        guard let named = try? WebOrigin("http://\(authority)") else { return false }
        return named.isLocal || names.include(host: named.host) || certifiedHosts.contains { $0.fits(named.host) }
    }
}
