import Crypto
import JOSE
import Model

/// The trusted signer certificates of `certificates.json`, by alias (JWT-20, SAML-07). Immutable; a reload creates a
/// new one.
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
    /// What other gateways have withdrawn; nil where there are none.
    private let withdrawn: WithdrawnAccounts?

    package init(_ entries: [Entry] = [], withdrawn: WithdrawnAccounts? = nil) {
        self.entries = entries
        self.withdrawn = withdrawn
    }

    /// Keys of the currently valid certificates with one of these subjects. They have no `kid`.
    package func keys(of subjects: [DistinguishedName], now: Int64) -> KeySet {
        KeySet(
            keys: certificates(of: subjects, now: now).map { JSONWebKey(kid: nil, algorithm: nil, key: $0.key) },
            hasNames: false)
    }

    private func isWithdrawn(_ entry: Entry) -> Bool {
        withdrawn?.contains(.certificate(fingerprint: entry.certificate.fingerprint, alias: entry.alias)) == true
    }

    /// The currently valid certificates with one of these subjects; several during an issuer's key rollover.
    package func certificates(of subjects: [DistinguishedName], now: Int64) -> [SignerCertificate] {
        entries.filter { entry in
            entry.certificate.isValid(at: now) && entry.subject.map(subjects.contains) ?? false
                && !isWithdrawn(entry)
        }.map(\.certificate)
    }
}
