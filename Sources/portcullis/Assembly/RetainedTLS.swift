import Crypto
import Model
import Synchronization

/// State of TLS that outlives configurations: sessions are resumed after a reload, and connections to an upstream with
/// unchanged files stay open.
final class RetainedTLS: Sendable {
    /// The settings of a client context.
    struct ClientIdentity: Hashable, Sendable {
        var verifies = true
        /// PEM; nil for the authorities of the system.
        var authorities: [UInt8]?
        /// PEM; empty without a certificate of the gateway.
        var chain: [UInt8] = []
        var key: [UInt8] = []
        var minimumVersion = TLSVersion.tls12
        var http2 = false
        /// Whether ALPN offers versions of HTTP.
        var speaksHTTP = true
    }

    private let ticketKeys = Mutex<[String: TLSTicketKeys]>([:])
    private let contexts = Mutex<[ClientIdentity: TLSClientContext]>([:])

    /// The keys of a listener; nil for a rotation of zero, which means no tickets.
    func ticketKeys(ofListener name: String, rotation: Duration) -> TLSTicketKeys? {
        ticketKeys.withLock { keys in
            if let known = keys[name], known.rotation == rotation { return known }
            keys[name] = TLSTicketKeys(rotation: rotation)
            return keys[name]
        }
    }

    func context(_ identity: ClientIdentity) throws(TLSSettingsError) -> TLSClientContext {
        if let known = contexts.withLock({ $0[identity] }) { return known }
        var settings = TLSClientSettings()
        settings.trust = identity.verifies ? identity.authorities.map { .authorities($0) } ?? .system : .anyone
        if !identity.chain.isEmpty {
            settings.certificate = TLSCertificate(chainPEM: identity.chain, keyPEM: identity.key)
        }
        settings.minimumVersion = identity.minimumVersion
        if identity.speaksHTTP { settings.protocols = identity.http2 ? [.h2, .http11] : [.http11] }
        let context = try TLSClientContext(settings)
        contexts.withLock { $0[identity] = context }
        return context
    }

    /// Removes contexts of earlier configurations.
    func keep(only identities: Set<ClientIdentity>) {
        contexts.withLock { $0 = $0.filter { identities.contains($0.key) } }
    }
}
