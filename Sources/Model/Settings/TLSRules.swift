/// What a TLS server requires of its clients, apart from certificates and keys.
package struct TLSRules: Sendable {
    package var minimumVersion: TLSVersion
    /// OpenSSL's names of TLS 1.2 ciphers, in order of preference; nil for the secure ones.
    package var ciphers: String?
    /// OpenSSL's names of TLS 1.3 cipher suites, in order of preference; nil for all.
    package var cipherSuites: String?
    package var clientAuthentication: TLSClientAuthentication

    package init(
        minimumVersion: TLSVersion = .tls12, ciphers: String? = nil, cipherSuites: String? = nil,
        clientAuthentication: TLSClientAuthentication = .off
    ) {
        self.minimumVersion = minimumVersion
        self.ciphers = ciphers
        self.cipherSuites = cipherSuites
        self.clientAuthentication = clientAuthentication
    }
}
