import Model

/// TLS settings of connections to servers.
package struct TLSClientSettings: Sendable {
    /// The trusted authorities.
    package enum Trust: Sendable {
        /// The authorities of the operating system.
        case system
        /// Only these authorities, in PEM form.
        case authorities([UInt8])
        /// The authorities of the operating system and these, in PEM form.
        case systemAnd([UInt8])
        /// No verification: a man in the middle can read the traffic.
        case anyone
    }

    package var trust = Trust.system
    /// The client certificate.
    package var certificate: TLSCertificate?
    /// The application protocols, in order of preference; empty to send none.
    package var protocols: [ApplicationProtocol] = []
    package var minimumVersion = TLSVersion.tls12
    package var maximumVersion = TLSVersion.tls13
    /// OpenSSL's names of TLS 1.2 ciphers, in order of preference; nil for the secure ones.
    package var ciphers: String?
    /// OpenSSL's names of TLS 1.3 cipher suites, in order of preference; nil for all.
    package var cipherSuites: String?
    /// Whether sessions are resumed.
    package var reusesSessions = true

    package init() {}
}
