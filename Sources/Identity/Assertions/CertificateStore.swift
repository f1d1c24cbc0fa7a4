import Crypto
import JOSE

/// The certificates of `certificates.json`, by alias: whose signatures under outside tokens are believed (JWT-20,
/// SAML-07). Immutable; a reload makes another.
package struct CertificateStore: Sendable {
    package struct Entry: Sendable {
        /// Unique within the store.
        package let alias: String
        package let certificate: SignerCertificate
        fileprivate let subject: DistinguishedName?

        package init(alias: String, certificate: SignerCertificate) {
            self.alias = alias
            self.certificate = certificate
            subject = DistinguishedName(certificate.subject)
        }
    }

    package let entries: [Entry]

    package init(_ entries: [Entry] = []) { self.entries = entries }

    /// Keys of the certificates with one of these subjects that are valid now. They have no names: a `kid` chooses none
    /// of them.
    package func keys(of subjects: [DistinguishedName], now: Int64) -> KeySet {
        KeySet(
            keys: certificates(of: subjects, now: now).map { JSONWebKey(kid: nil, algorithm: nil, key: $0.key) })
    }

    /// The certificates with one of these subjects that are valid now; several while an issuer changes its key.
    package func certificates(of subjects: [DistinguishedName], now: Int64) -> [SignerCertificate] {
        entries.filter { entry in
            entry.certificate.isValid(at: now) && entry.subject.map(subjects.contains) ?? false
        }.map(\.certificate)
    }
}
