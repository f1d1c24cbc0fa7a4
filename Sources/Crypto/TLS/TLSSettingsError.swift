/// An error in TLS settings. Certificates are identified by their index.
package enum TLSSettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A server without a certificate.
    case noCertificate
    /// The certificate or key file at this index of the list, from 0.
    case certificate(index: Int, CertificateProblem)
    /// The client certificate.
    case clientCertificate(CertificateProblem)
    /// The trusted authorities.
    case authorities(CertificateProblem)
    /// Client certificates are requested without authorities to verify them.
    case noAuthorities
    /// The revocation lists of client certificates.
    case revocationLists(RevocationListProblem)
    /// A list of ciphers without any that OpenSSL knows.
    case ciphers(String)
    /// A list of TLS 1.3 cipher suites with an unknown one.
    case cipherSuites(String)
    /// The minimum version is above the maximum.
    case versions
    /// libssl cannot create a context.
    case library

    package var description: String {
        switch self {
        case .noCertificate: "a TLS listener needs at least one certificate"
        case .certificate(let index, let problem): "certificate \(index + 1): \(problem.description)"
        case .clientCertificate(let problem): "client certificate: \(problem.description)"
        case .authorities(let problem): "certificates of the authorities: \(problem.description)"
        case .noAuthorities: "client certificates need the authorities' certificates to be checked against"
        case .revocationLists(let problem): problem.description
        case .ciphers(let text): "no known cipher for TLS 1.2 in \"\(text)\""
        case .cipherSuites(let text): "unknown TLS 1.3 cipher suite in \"\(text)\""
        case .versions: "the least TLS version is above the highest"
        case .library: "the TLS library cannot be set up"
        }
    }
}
