import COpenSSL
import Model

/// Verifies certificates of clients that other hops tell, as a handshake of a listener with the same authorities and lists
/// does. Thread-safe.
package final class ClientCertificateVerifier: Sendable {
    /// The validity of the revocation lists.
    package let revocationLists: [RevocationListSummary]
    private let object: TLSContextObject
    private let checksLists: Bool

    /// - Parameters:
    ///   - authoritiesPEM: the authorities, each a trust anchor.
    ///   - lists: revocation lists of these authorities, in PEM or DER form; nil for no check.
    package init(authoritiesPEM: [UInt8], revocationLists lists: [UInt8]? = nil) throws(TLSSettingsError) {
        let authorities: [CertificateObject]
        do { authorities = try CertificateObject.all(ofPEM: authoritiesPEM) } catch { throw .authorities(error) }
        let (revoked, summaries) = try TLSServerContext.revocationLists(lists, authorities)
        object = try TLSContextObject(isServer: true, versions: .tls12...(.tls13), ciphers: nil, suites: nil)
        try object.trust(authorities)
        checksLists = !revoked.isEmpty
        if checksLists { try object.check(revoked) }
        revocationLists = summaries
    }

    /// The certificate, if a chain leads from it to an authority at this time; otherwise why not.
    ///
    /// - Parameters:
    ///   - leaf: in DER form.
    ///   - issuers: further certificates of a chain in DER form, which are not trusted by themselves.
    package func verify(_ leaf: [UInt8], issuers: [[UInt8]] = []) -> Result<PeerCertificate, ClientCertificateFault> {
        provenChain(leaf, issuers, purpose: "ssl_client").map { PeerCertificate($0[0]) }
    }

    /// The certificates, the leaf first, if a chain leads from it to an authority.
    ///
    /// - Parameters:
    ///   - purpose: libcrypto's name of the purpose of the leaf; nil for any.
    ///   - now: seconds since 1970; nil for the current time.
    func provenChain(
        _ leaf: [UInt8], _ issuers: [[UInt8]], purpose: String?, now: Int64? = nil
    ) -> Result<[CertificateObject], ClientCertificateFault> {
        let others = issuers.compactMap(CertificateObject.of(der:))
        guard let certificate = CertificateObject.of(der: leaf), others.count == issuers.count else {
            return .failure(.malformed)
        }
        // SAFETY: the objects outlive the call, which keeps none of them.
        var pointers = unsafe others.map { unsafe Optional($0.pointer) }
        let code = unsafe copenssl_verify_certificate(
            object.pointer, certificate.pointer, &pointers, pointers.count, checksLists ? 1 : 0, purpose,
            time_t(now ?? 0))
        OpenSSLLibrary.clearErrors()
        switch code {
        case X509_V_OK: return .success([certificate] + others)
        case X509_V_ERR_CERT_REVOKED: return .failure(.revoked)
        default: return .failure(.untrusted(verifyCode: code))
        }
    }
}

/// Why a certificate that another hop tells does not count.
package enum ClientCertificateFault: Error, Equatable, Sendable {
    /// Not the DER encoding of a certificate.
    case malformed
    case revoked
    /// No valid chain leads to an authority.
    case untrusted(verifyCode: Int32)
}
