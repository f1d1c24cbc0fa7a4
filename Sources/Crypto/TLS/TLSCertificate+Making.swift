import Bytes
import COpenSSL
import Model

extension TLSCertificate {
    /// A certificate that its own key has signed, which no client trusts: for a listener whose certificate is not there yet.
    ///
    /// - Parameters:
    ///   - hosts: DNS names, at least one.
    ///   - commonName: what clients show of it, at most 64 bytes.
    /// - Throws: for a key that libcrypto cannot make.
    package static func selfSigned(
        for hosts: [String], commonName: String, seconds: Int
    ) throws(KeyError) -> TLSCertificate {
        let pem = try SigningKey(generating: .es256).pem
        let key = try KeyObject(privatePEM: pem)
        // SAFETY: the texts outlive the call, which returns a certificate of ours.
        guard
            let pointer = unsafe copenssl_self_signed(
                key.pointer, commonName, CertificateRequest.alternativeNames(hosts), seconds)
        else {
            OpenSSLLibrary.clearErrors()
            throw .unsupportedKey
        }
        let certificate = unsafe CertificateObject(owning: pointer)
        let chain = unsafe PEMText.written { sink in unsafe PEM_write_bio_X509(sink, certificate.pointer) }
        return TLSCertificate(chainPEM: Array(chain.utf8), keyPEM: Array(pem.utf8))
    }
}

extension TLSCertificate {
    /// What an authority knows the certificate by: key id of the issuer and serial number (RFC 9773 section 4.1). Nil without
    /// either.
    package var renewalID: String? {
        guard let leaf = try? CertificateObject.all(ofPEM: chainPEM).first else { return nil }
        var start: UnsafePointer<UInt8>?
        // SAFETY: the bytes are the certificate's, which lives through the copy.
        let count = unsafe copenssl_issuer_key_id(leaf.pointer, &start)
        let serial = leaf.serial
        guard count > 0, let start = unsafe start, let first = serial.first else { return nil }
        let issuer = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
        // A number in DER is negative where its first bit is set.
        let number = first < 0x80 ? serial : [0] + serial
        return [issuer, number].map { String(decoding: Base64.encode($0.span, .url), as: UTF8.self) }
            .joined(separator: ".")
    }
}

/// Requests for certificates (RFC 2986).
package enum CertificateRequest {
    /// The DER encoding of a request, signed by the key.
    ///
    /// - Parameters:
    ///   - hosts: DNS names, at least one; they are alternative names, and the subject is empty (RFC 8555 section 7.4).
    ///   - keyPEM: the private key in PEM form.
    package static func encoded(for hosts: [String], keyPEM: String) throws(KeyError) -> [UInt8] {
        let key = try KeyObject(privatePEM: keyPEM)
        var start: UnsafeMutablePointer<UInt8>?
        // SAFETY: the text outlives the call, which makes a copy of `count` bytes for us to free.
        let count = unsafe copenssl_certificate_request(key.pointer, alternativeNames(hosts), &start)
        guard count > 0, let start = unsafe start else {
            OpenSSLLibrary.clearErrors()
            throw .unsupportedKey
        }
        defer { unsafe copenssl_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// In OpenSSL's notation. Only letters, digits, hyphens and dots, so that no name can add another.
    fileprivate static func alternativeNames(_ hosts: [String]) -> String {
        hosts.filter { HostName.isValid($0) }.map { "DNS:\($0)" }.joined(separator: ",")
    }
}
