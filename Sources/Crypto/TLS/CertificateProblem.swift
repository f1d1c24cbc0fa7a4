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
