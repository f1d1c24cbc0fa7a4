import Crypto
import Model
import Synchronization

/// What of TLS outlives configurations: a session that began before a reload is resumed after it, and connections to an
/// upstream whose files are as they were stay open.
final class LastingTLS: Sendable {
    /// Everything that a client context is made of.
    struct ClientIdentity: Hashable, Sendable {
        var verifies = true
        /// PEM; nil for the authorities of the system.
        var authorities: [UInt8]?
        /// PEM; empty where the gateway shows no certificate.
        var chain: [UInt8] = []
        var key: [UInt8] = []
        var minimumVersion = TLSVersion.tls12
        var http2 = false
        /// Otherwise nothing is said of what is spoken inside.
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

    /// Forgets the contexts of configurations that are gone.
    func keep(only identities: Set<ClientIdentity>) {
        contexts.withLock { $0 = $0.filter { identities.contains($0.key) } }
    }
}
