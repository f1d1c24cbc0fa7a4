import COpenSSL

/// The certificate of a token issuer (JWT-20).
package struct SignerCertificate: Sendable {
    /// The subject in the form of RFC 4514: `CN=idp.example.com,O=Example`.
    package let subject: String
    /// First second of validity, in Unix time.
    package let notBefore: Int64
    /// Last second of validity, in Unix time.
    package let notAfter: Int64
    /// SHA-256 of the certificate in lower-case hexadecimal.
    package let fingerprint: String
    package let key: VerificationKey

    /// The first certificate of a PEM text. Its issuer is irrelevant: certificates of the store are trusted.
    package init(pem: [UInt8]) throws(CertificateProblem) {
        try self.init(CertificateObject.all(ofPEM: pem)[0])
    }

    /// All certificates of a PEM text, at least one.
    package static func all(ofPEM pem: [UInt8]) throws(CertificateProblem) -> [SignerCertificate] {
        var certificates: [SignerCertificate] = []
        for certificate in try CertificateObject.all(ofPEM: pem) {
            certificates.append(try SignerCertificate(certificate))
        }
        return certificates
    }

    private init(_ certificate: CertificateObject) throws(CertificateProblem) {
        subject = certificate.subject
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        fingerprint = Hexadecimal.text(certificate.fingerprint)
        key = try certificate.publicKey()
    }

    /// Whether it is valid at a time in seconds since 1970.
    package func isValid(at now: Int64) -> Bool { notBefore <= now && now <= notAfter }
}

extension CertificateObject {
    /// The checked public key.
    func publicKey() throws(CertificateProblem) -> VerificationKey {
        // SAFETY: X509_get_pubkey returns a reference, of which the key object takes ownership.
        guard let object = unsafe KeyObject(owning: X509_get_pubkey(pointer)) else { throw .unsupportedKey }
        do throws(KeyError) {
            return try VerificationKey(object.publicKey())
        } catch {
            if case .tooShort(let bits, let required) = error { throw .weakKey(bits: bits, required: required) }
            throw .unsupportedKey
        }
    }
}
