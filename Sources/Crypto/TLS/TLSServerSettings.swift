import Model

/// How a listener speaks TLS.
package struct TLSServerSettings: Sendable {
    /// The first one serves clients that ask for no name or for an unknown one; the others are chosen by the names in
    /// them. A name may have certificates with different kinds of keys: the client gets what it can check.
    package var certificates: [TLSCertificate]
    package var minimumVersion = TLSVersion.tls12
    /// OpenSSL's names for TLS 1.2 ciphers, best first; nil for the ones that are sound.
    package var ciphers: String?
    /// OpenSSL's names for TLS 1.3 cipher suites, best first; nil for all.
    package var cipherSuites: String?
    package var clientAuthentication = TLSClientAuthentication.off
    /// The authorities that issue clients' certificates, in PEM form.
    package var clientAuthoritiesPEM: [UInt8] = []
    /// What is spoken inside, best first. A client that names only others is refused; one that names none is not.
    package var protocols: [ApplicationProtocol] = []
    /// The keys of session tickets; nil for no resumption.
    package var ticketKeys: TLSTicketKeys?
    /// Seconds after which a client shakes hands in full, with all that is checked then, however often its session was
    /// resumed (RFC 8446 section 4.6.1: the total lifetime of keys is to be limited).
    package var resumptionLimit: Int64 = 86_400

    package init(certificates: [TLSCertificate]) { self.certificates = certificates }
}
