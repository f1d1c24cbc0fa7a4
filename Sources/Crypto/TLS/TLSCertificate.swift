/// A certificate with its chain and key, as files have them.
package struct TLSCertificate: Sendable {
    /// The certificate, followed by those of its issuers, in PEM form. The root's may be left out.
    package var chainPEM: [UInt8]
    /// The private key in PEM form, without a password.
    package var keyPEM: [UInt8]
    /// The authority's statement that the certificate is not revoked, in DER form (RFC 6960), to be stapled.
    package var ocspResponse: [UInt8]?

    package init(chainPEM: [UInt8], keyPEM: [UInt8], ocspResponse: [UInt8]? = nil) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
        self.ocspResponse = ocspResponse
    }

    /// Checks certificate, chain and key for each other, and says what is in them. Expiry is no error: an expired
    /// certificate serves some clients still, none serves nobody.
    package func inspect() throws(CertificateProblem) -> CertificateSummary { try CertificateChain(self).summary }
}

/// What an operator wants to know of a certificate.
package struct CertificateSummary: Sendable, Equatable {
    package enum KeyKind: String, Sendable { case rsa, ec, ed25519 }

    /// The subject in the form of RFC 4514.
    package let subject: String
    /// The issuer's certificate is the same: nobody else vouches for this one.
    package let isSelfSigned: Bool
    /// Host names it serves, in lower case: the alternative names, or the common name where there are none.
    package let names: [String]
    package let keyKind: KeyKind
    package let keyBits: Int
    /// SHA-256 of the certificate in lower-case hexadecimal.
    package let fingerprint: String
    /// First second of validity, in Unix time.
    package let notBefore: Int64
    /// Last second of validity, in Unix time.
    package let notAfter: Int64

    /// Whether it is past its validity at a Unix time.
    package func isExpired(at now: Int64) -> Bool { now > notAfter }
    /// Whether its validity is still to come at a Unix time.
    package func isPremature(at now: Int64) -> Bool { now < notBefore }
}
