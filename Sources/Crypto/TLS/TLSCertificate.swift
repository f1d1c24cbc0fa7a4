import Bytes
import Model

/// A certificate with its chain and key, as in files.
package struct TLSCertificate: Sendable {
    /// The certificate, followed by those of its issuers, in PEM form. The root is optional.
    package var chainPEM: [UInt8]
    /// The private key in PEM form, without a password.
    package var keyPEM: [UInt8]
    /// The OCSP response to staple, in DER form (RFC 6960).
    package var ocspResponse: [UInt8]?

    package init(chainPEM: [UInt8], keyPEM: [UInt8], ocspResponse: [UInt8]? = nil) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
        self.ocspResponse = ocspResponse
    }

    /// Checks that certificate, chain and key match, and describes the certificate. Expiry is not an error, since some
    /// clients still accept an expired certificate.
    package func inspect() throws(CertificateProblem) -> CertificateSummary { try CertificateChain(self).summary }
}

/// The description of a certificate for operators.
package struct CertificateSummary: Sendable, Equatable {
    package enum KeyKind: String, Sendable { case rsa, ec, ed25519 }

    /// The subject in the form of RFC 4514.
    package let subject: String
    /// Whether the certificate is self-signed.
    package let isSelfSigned: Bool
    /// Its host names in lower case: the alternative names, or else the common name.
    package let names: [String]
    /// Its alternative names that are IP addresses.
    package let addresses: [String]
    package let keyKind: KeyKind
    package let keyBits: Int
    /// SHA-256 of the certificate in lower-case hexadecimal.
    package let fingerprint: String
    /// First second of validity, in Unix time.
    package let notBefore: Int64
    /// Last second of validity, in Unix time.
    package let notAfter: Int64

    /// Whether it has expired at a Unix time.
    package func isExpired(at now: Int64) -> Bool { now > notAfter }
    /// Whether it is not yet valid at a Unix time.
    package func isPremature(at now: Int64) -> Bool { now < notBefore }

    /// Whether clients accept it for a host, a name or an IP address: `*` stands for one label, the leftmost (RFC 6125
    /// section 6.4).
    package func covers(_ host: String) -> Bool {
        if let address = IPAddress(host) { return addresses.contains { IPAddress($0) == address } }
        guard let host = ServerNameTable.canonical(host), !host.hasPrefix(".") else { return false }
        let wildcard = host.firstIndex(of: ".").map { "*\(host[$0...])" } ?? host
        return names.contains { $0.isExactly(host) || $0.isExactly(wildcard) }
    }
}
