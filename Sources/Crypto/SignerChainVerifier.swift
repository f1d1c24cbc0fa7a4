import COpenSSL
import Model

/// Verifies the certificate chains that come with signatures, by configured authorities alone: the system's are not
/// trusted. Thread-safe.
package final class SignerChainVerifier: Sendable {
    private let verifier: ClientCertificateVerifier

    /// - Parameters:
    ///   - authoritiesPEM: the authorities, each a trust anchor.
    ///   - lists: revocation lists of these authorities, in PEM or DER form; nil for no check.
    package init(authoritiesPEM: [UInt8], revocationLists lists: [UInt8]? = nil) throws(TLSSettingsError) {
        verifier = try ClientCertificateVerifier(authoritiesPEM: authoritiesPEM, revocationLists: lists)
    }

    /// The validity of the revocation lists.
    package var revocationLists: [RevocationListSummary] { verifier.revocationLists }

    /// The signer of a chain that leads to an authority at a time (RFC 5280 section 6); nil for any other chain, and for a
    /// leaf that is an authority itself, may not sign (`keyUsage`) or has a weak key.
    ///
    /// - Parameters:
    ///   - chain: certificates in DER form, the leaf first.
    ///   - now: seconds since 1970.
    package func signer(of chain: [[UInt8]], now: Int64) -> CertifiedSigner? {
        guard let leaf = chain.first,
            let certificates = try? verifier.provenChain(leaf, Array(chain.dropFirst()), purpose: nil, now: now).get(),
            certificates[0].maySign, let key = try? certificates[0].publicKey()
        else { return nil }
        return CertifiedSigner(
            certificate: PeerCertificate(certificates[0]), key: key,
            notAfter: certificates.map(\.notAfter).min() ?? now)
    }
}

/// The holder of a verified certificate.
package struct CertifiedSigner: Sendable {
    package let certificate: PeerCertificate
    package let key: VerificationKey
    /// Last second at which all certificates that came are valid, in Unix time.
    package let notAfter: Int64
}

extension CertificateObject {
    /// Whether it is the certificate of an end entity whose key may sign data (RFC 5280 sections 4.2.1.3, 4.2.1.9).
    fileprivate var maySign: Bool {
        // SAFETY: the certificate lives through both calls. Without the extension all usages are set.
        unsafe X509_check_ca(pointer) == 0 && X509_get_key_usage(pointer) & UInt32(KU_DIGITAL_SIGNATURE) != 0
    }
}
