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

/// An error in a certificate, its chain or its key.
package enum CertificateProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The certificate file has no `BEGIN CERTIFICATE` block.
    case noCertificate
    /// A block of the certificate file is malformed; numbers start at 1.
    case malformedCertificate(position: Int)
    /// The key file holds no private key in PEM form.
    case malformedKey
    /// The key is encrypted.
    case encryptedKey
    /// The key belongs to another certificate.
    case keyMismatch
    /// The leaf certificate is not the first of the file, but the one with this number, from 1.
    case leafNotFirst(position: Int)
    /// The certificate with this number, from 1, did not issue the one before it.
    case chainOutOfOrder(position: Int)
    /// The key is too short.
    case weakKey(bits: Int, required: Int)
    /// A key that is neither RSA nor EC nor Ed25519.
    case unsupportedKey
    /// The OCSP response is not the DER encoding of a successful one.
    case malformedResponse

    package var description: String {
        switch self {
        case .noCertificate: "there is no certificate in PEM form (\"-----BEGIN CERTIFICATE-----\") in the file"
        case .malformedCertificate(let position): "block \(position) of the certificate file is damaged"
        case .malformedKey: "the key file holds no private key in PEM form"
        case .encryptedKey: "the private key is protected with a password; store it without one"
        case .keyMismatch: "the private key does not belong to the certificate"
        case .leafNotFirst(let position):
            "the private key belongs to certificate \(position) of the file; put that certificate first"
        case .chainOutOfOrder(let position):
            "the chain is out of order: certificate \(position) of the file did not issue certificate \(position - 1)"
        case .weakKey(let bits, let required): "the key is too weak: it has \(bits) bits and needs \(required)"
        case .unsupportedKey: "the key is neither RSA nor EC nor Ed25519"
        case .malformedResponse: "the OCSP response is not a successful one in DER form"
        }
    }
}
