import Crypto
import Model
import Outbound

/// Trusted signers of posted answers.
package struct SAMLSigners: Sendable {
    /// From the provider's entry and its metadata.
    private let pinned: [SignerCertificate]
    /// Subjects of certificates in the store, which may change while the gateway runs (SAML-08).
    private let subjects: [DistinguishedName]
    private let store: AssertionSources?

    package init(
        pinned: [SignerCertificate], subjects: [DistinguishedName] = [], store: AssertionSources? = nil
    ) {
        self.pinned = pinned
        self.subjects = subjects
        self.store = store
    }

    /// The certificates that are valid at this second since 1970.
    func valid(now: Int64) -> Effect<[SignerCertificate]> {
        let pinned = pinned.filter { $0.isValid(at: now) }
        guard let store, !subjects.isEmpty else { return .done(pinned) }
        return store.certificates(of: subjects, now: now).map { pinned + $0 }
    }
}
