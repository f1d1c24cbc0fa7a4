import Model

/// TLS settings of a listener.
package struct TLSServerSettings: Sendable {
    /// The first one is the default for missing or unknown server names; others are selected by their names. A name may
    /// have certificates with different kinds of keys for different clients.
    package var certificates: [TLSCertificate]
    package var rules = TLSRules()
    /// The authorities of client certificates, in PEM form.
    package var clientAuthoritiesPEM: [UInt8] = []
    /// Revocation lists of these authorities, in PEM or DER form; nil for no check.
    package var revocationLists: [UInt8]?
    /// The application protocols, in order of preference. A client that offers only others is refused; one that offers
    /// none is accepted.
    package var protocols: [ApplicationProtocol] = []
    /// The keys of session tickets; nil for no resumption.
    package var ticketKeys: TLSTicketKeys?
    /// Seconds after which a full handshake is required, regardless of resumptions (RFC 8446 section 4.6.1 recommends
    /// limiting the total lifetime of keys).
    package var resumptionLimit: Int64 = 86_400

    package init(certificates: [TLSCertificate]) { self.certificates = certificates }
}
