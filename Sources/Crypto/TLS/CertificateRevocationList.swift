import COpenSSL

/// A list of revoked certificates inside libcrypto (RFC 5280 section 5).
@safe
final class CertificateRevocationList: @unchecked Sendable {
    // SAFETY: an X509_CRL is not changed after `init` except for caches that libcrypto locks; freed in `deinit`, and a
    // store counts a reference of its own.
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_CRL_free(pointer) }

    /// The lists of a file: any number of blocks in PEM form, or one list in DER form.
    static func all(of bytes: [UInt8]) throws(RevocationListProblem) -> [CertificateRevocationList] {
        guard bytes.count <= Int(Int32.max), !bytes.isEmpty else { throw .noList }
        var found: [CertificateRevocationList] = []
        // SAFETY: the source reads the bytes in place and is freed before they go away.
        let isWhole = unsafe bytes.span.withBytes { start, count -> Bool in
            guard let source = unsafe BIO_new_mem_buf(start, Int32(count)) else { return false }
            defer { unsafe BIO_free(source) }
            if bytes[0] == 0x30 {
                guard let pointer = unsafe d2i_X509_CRL_bio(source, nil) else { return false }
                found.append(unsafe CertificateRevocationList(owning: pointer))
                return unsafe BIO_ctrl_pending(source) == 0
            }
            while let pointer = unsafe PEM_read_bio_X509_CRL(source, nil, { _, _, _, _ in -1 }, nil) {
                found.append(unsafe CertificateRevocationList(owning: pointer))
            }
            // At the end of the text no further block starts; any other error is a damaged block.
            let last = ERR_peek_last_error()
            return ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE
        }
        OpenSSLLibrary.clearErrors()
        if !isWhole { throw .malformed(position: found.count + 1) }
        if found.isEmpty { throw .noList }
        return found
    }

    /// Whether an authority has signed the list.
    func isSigned(by authority: CertificateObject) -> Bool {
        defer { OpenSSLLibrary.clearErrors() }
        // SAFETY: the names and the key belong to the list and the certificate, which outlive the calls.
        guard unsafe X509_NAME_cmp(X509_CRL_get_issuer(pointer), X509_get_subject_name(authority.pointer)) == 0,
            let key = unsafe X509_get0_pubkey(authority.pointer)
        else { return false }
        return unsafe X509_CRL_verify(pointer, key) == 1
    }

    /// Whether the list has a certificate of its issuer.
    func revokes(_ certificate: CertificateObject) -> Bool {
        var entry: OpaquePointer?
        // SAFETY: the entry belongs to the list and is not used.
        guard unsafe X509_NAME_cmp(X509_CRL_get_issuer(pointer), X509_get_issuer_name(certificate.pointer)) == 0 else {
            return false
        }
        // 2: the certificate was on hold and is not any more.
        return unsafe X509_CRL_get0_by_cert(pointer, &entry, certificate.pointer) == 1
    }

    /// First second of validity, in Unix time.
    var lastUpdate: Int64 { unsafe Int64(copenssl_seconds(X509_CRL_get0_lastUpdate(pointer))) }

    /// Last second of validity, in Unix time; nil for no end.
    var nextUpdate: Int64? {
        guard let time = unsafe X509_CRL_get0_nextUpdate(pointer) else { return nil }
        return unsafe Int64(copenssl_seconds(time))
    }
}

/// The validity of a revocation list.
package struct RevocationListSummary: Sendable, Equatable {
    /// The subject of the authority that has signed it.
    package let issuer: String
    /// First second of validity, in Unix time.
    package let lastUpdate: Int64
    /// Last second of validity, in Unix time; nil for no end.
    package let nextUpdate: Int64?

    /// Why handshakes refuse all certificates of the authority at a time in seconds since 1970, or nil.
    package func complaint(at now: Int64) -> String? {
        if lastUpdate > now { return "the revocation list of \(issuer) is not valid yet; its certificates are refused" }
        guard let nextUpdate, nextUpdate < now else { return nil }
        return "the revocation list of \(issuer) has expired; its certificates are refused"
    }
}

/// An error in a file of revocation lists.
package enum RevocationListProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// Neither a `BEGIN X509 CRL` block nor a list in DER form.
    case noList
    /// A list is malformed; numbers start at 1.
    case malformed(position: Int)
    /// No trusted authority has signed the list with this number, from 1.
    case unknownIssuer(position: Int)
    /// An authority, by its subject, without a list: all of its certificates would be refused.
    case missing(authority: String)

    package var description: String {
        switch self {
        case .noList: "there is no revocation list in the file, in PEM form (\"-----BEGIN X509 CRL-----\") or DER form"
        case .malformed(let position): "revocation list \(position) of the file is damaged"
        case .unknownIssuer(let position):
            "revocation list \(position) of the file is not signed by an authority of the file with the authorities"
        case .missing(let authority):
            "the authority \(authority) has no revocation list in the file, so that its certificates would be refused"
        }
    }
}
