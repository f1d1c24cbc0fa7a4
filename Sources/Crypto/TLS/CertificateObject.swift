import COpenSSL

/// A certificate inside libcrypto.
@safe
final class CertificateObject: @unchecked Sendable {
    // SAFETY: an X509 is not changed after `init` except for caches that libcrypto locks; freed in `deinit`, and longer
    // uses inside libcrypto count their own references.
    let pointer: OpaquePointer

    /// Takes ownership of a certificate.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    /// The certificates of a PEM text, in order; other blocks are ignored.
    static func all(ofPEM text: [UInt8]) throws(CertificateProblem) -> [CertificateObject] {
        guard text.count <= Int(Int32.max) else { throw .malformedCertificate(position: 1) }
        var found: [CertificateObject] = []
        // SAFETY: the source reads the text in place and is freed before the text goes away.
        let isWhole = unsafe text.span.withBytes { start, count -> Bool in
            guard let source = unsafe BIO_new_mem_buf(start, Int32(count)) else { return false }
            defer { unsafe BIO_free(source) }
            while let pointer = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) {
                found.append(unsafe CertificateObject(owning: pointer))
            }
            // At the end of the text no further block starts; any other error is a damaged block.
            let last = ERR_peek_last_error()
            return ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE
        }
        OpenSSLLibrary.clearErrors()
        if !isWhole { throw .malformedCertificate(position: found.count + 1) }
        if found.isEmpty { throw .noCertificate }
        return found
    }

    /// The certificate with exactly this DER encoding; nil for other bytes.
    static func of(der: [UInt8]) -> CertificateObject? {
        defer { OpenSSLLibrary.clearErrors() }
        // SAFETY: libcrypto reads `count` bytes and moves its own copy of the start behind what it has read.
        return unsafe der.span.withBytes { start, count -> CertificateObject? in
            var place: UnsafePointer<UInt8>? = unsafe start
            guard let pointer = unsafe d2i_X509(nil, &place, count) else { return nil }
            let certificate = unsafe CertificateObject(owning: pointer)
            guard let stop = unsafe place, let start = unsafe Optional(start) else { return nil }
            return unsafe stop - start == count ? certificate : nil
        }
    }

    /// The DER encoding.
    var encodedDER: [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe copenssl_encode_certificate(pointer, &start)
        OpenSSLLibrary.clearErrors()
        guard count > 0, let start = unsafe start else { return [] }
        // SAFETY: libcrypto made a copy of `count` bytes for us to free.
        defer { unsafe copenssl_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// Whether this certificate has issued the other one.
    func issued(_ other: CertificateObject) -> Bool {
        let result = unsafe X509_check_issued(pointer, other.pointer)
        OpenSSLLibrary.clearErrors()
        return result == X509_V_OK
    }

    /// Whether a private key belongs to the certificate.
    func matches(_ key: KeyObject) -> Bool {
        let result = unsafe X509_check_private_key(pointer, key.pointer)
        OpenSSLLibrary.clearErrors()
        return result == 1
    }

    /// First second of validity, in Unix time.
    var notBefore: Int64 { unsafe Int64(copenssl_seconds(X509_get0_notBefore(pointer))) }

    /// Last second of validity, in Unix time.
    var notAfter: Int64 { unsafe Int64(copenssl_seconds(X509_get0_notAfter(pointer))) }

    /// Whether its validity is over.
    var isExpired: Bool { unsafe X509_cmp_current_time(X509_get0_notAfter(pointer)) < 0 }

    /// SHA-256 of the DER encoding.
    var fingerprint: [UInt8] {
        // SAFETY: the digest's length is 32.
        let digest = unsafe [UInt8].filled(capacity: 32) { out in
            var count: UInt32 = 0
            return unsafe X509_digest(pointer, DigestAlgorithm.sha256.method, out, &count) == 1 ? Int(count) : -1
        }
        return digest ?? []
    }

    /// The serial number, big-endian and without leading zeros.
    var serial: [UInt8] {
        // SAFETY: the integer belongs to the certificate; RFC 5280 section 4.1.2.2 allows 20 bytes, and longer ones
        // answer none.
        let integer = unsafe X509_get0_serialNumber(pointer)
        let bytes = unsafe [UInt8].filled(capacity: 64) { out in
            guard let number = unsafe ASN1_INTEGER_to_BN(integer, nil) else { return -1 }
            defer { unsafe BN_free(number) }
            return unsafe Int(BN_bn2binpad(number, out, 64))
        }
        guard let bytes else {
            OpenSSLLibrary.clearErrors()
            return []
        }
        return Array(bytes.drop { $0 == 0 })
    }
}
