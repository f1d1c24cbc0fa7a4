import Model

/// How TLS is spoken to an upstream or another server.
package struct TLSClientSettings: Sendable {
    /// Whose word is taken for who the server is.
    package enum Trust: Sendable {
        /// The authorities of the operating system.
        case system
        /// These authorities alone, in PEM form.
        case authorities([UInt8])
        /// The authorities of the operating system and these, in PEM form.
        case systemAnd([UInt8])
        /// Anybody's: the server is not checked at all, and whoever stands in between reads along.
        case anyone
    }

    package var trust = Trust.system
    /// What is shown to a server that asks for a certificate.
    package var certificate: TLSCertificate?
    /// What is to be spoken inside, best first; empty for no word about it.
    package var protocols: [ApplicationProtocol] = []
    package var minimumVersion = TLSVersion.tls12
    package var maximumVersion = TLSVersion.tls13
    /// OpenSSL's names for TLS 1.2 ciphers, best first; nil for the ones that are sound.
    package var ciphers: String?
    /// OpenSSL's names for TLS 1.3 cipher suites, best first; nil for all.
    package var cipherSuites: String?
    /// The last session with a server shortens the next handshake with it.
    package var reusesSessions = true

    package init() {}
}
