import Crypto
import JOSE
import Model
import Outbound

/// Policy, certificates and fetched keys for verifying outside tokens. Requests trigger reloads as needed.
package final class AssertionSources: Sendable {
    /// Why no keys are available.
    package enum KeysFailure: Error, Sendable {
        /// The issuer is down or does not answer in time; not the caller's fault.
        case unavailable
        /// The issuer's documents are invalid.
        case unusable
    }

    /// Keys that are fetched over HTTP.
    package typealias RemoteKeys =
        @Sendable (_ source: AssertionKeySource, _ issuer: String, _ need: KeyNeed, _ now: Int64) -> Effect<
            Result<KeySet, KeysFailure>
        >

    private let policy: ReloadingValue<AssertionPolicy>
    private let certificates: ReloadingValue<CertificateStore>
    private let remoteKeys: RemoteKeys

    package init(
        policy: ReloadingValue<AssertionPolicy>, certificates: ReloadingValue<CertificateStore>,
        remoteKeys: @escaping RemoteKeys
    ) {
        self.policy = policy
        self.certificates = certificates
        self.remoteKeys = remoteKeys
    }

    /// The policy for a token of this issuer. Reloads first if the current policy is old or lacks the issuer.
    package func policy(for issuer: String, now: Int64) -> Effect<AssertionPolicy> {
        policy.value(now: now, intervals: \.policyReload) { policy in
            // An invalid entry may have been corrected.
            if case .issuer = policy.lookup(issuer) { true } else { false }
        }
    }

    /// The policy for a SAML assertion of this issuer.
    package func policy(forSAML issuer: String, now: Int64) -> Effect<AssertionPolicy> {
        policy.value(now: now, intervals: \.policyReload) { policy in
            if case .issuer = policy.lookup(saml: issuer) { true } else { false }
        }
    }

    /// Verifies the signature of a SAML document. Reloads certificates that are old or verify nothing (SAML-08).
    /// Computes synchronously: call it on the computing pool.
    package func assertion(
        in xml: [UInt8], _ issuer: AssertionIssuer, _ policy: AssertionPolicy, now: Int64
    ) -> Effect<Result<SAMLAssertion, SAMLRejection>> {
        let first = issuer.assertion(in: xml, certificates.current, now: now)
        let intervals = policy.certificateReload
        let store = certificates.value(now: now, intervals: { _ in intervals }) { _ in
            switch first {
            case .failure(.unknownKey), .failure(.badSignature): false
            default: true
            }
        }
        if case .done = store { return .done(first) }
        return store.then { store in .offload { .done(issuer.assertion(in: xml, store, now: now)) } }
    }

    /// Candidate keys for a token's signature. Reloads certificates that are old or verify nothing.
    package func keys(
        for received: ReceivedToken, token: [UInt8], _ issuer: AssertionIssuer, _ policy: AssertionPolicy, now: Int64
    ) -> Effect<Result<KeySet, KeysFailure>> {
        switch issuer.keys {
        case .remote(let source):
            return fetchedKeys(source, issuer, .init(received, token: token, keys: KeySet(keys: [])), now: now)
        case .certificates(let subjects):
            let intervals = policy.certificateReload
            let store = certificates.value(now: now, intervals: { _ in intervals }) { store in
                let keys = store.keys(of: subjects, now: now)
                let assertion = AssertionVerifier.Assertion(received, token: token, keys: keys)
                do throws(AssertionRejection) {
                    try assertion.checkSignature(issuer)
                    return true
                } catch {
                    return false
                }
            }
            return store.map { .success($0.keys(of: subjects, now: now)) }
        }
    }

    /// Keys of a fetched set. Fetches again if none verifies the token: a new key may have no name, or that of another.
    private func fetchedKeys(
        _ source: AssertionKeySource, _ issuer: AssertionIssuer, _ assertion: AssertionVerifier.Assertion, now: Int64
    ) -> Effect<Result<KeySet, KeysFailure>> {
        let received = assertion.received
        // No key can match this algorithm, so do not fetch any.
        guard issuer.algorithms.contains(received.algorithm) else { return .done(.success(KeySet(keys: []))) }
        let need = KeyNeed(keyID: received.keyID, algorithm: received.algorithm)
        return remoteKeys(source, issuer.name, need, now).then { [remoteKeys] result in
            guard case .success(let keys) = result else { return .done(result) }
            do throws(AssertionRejection) {
                try AssertionVerifier.Assertion(received, token: assertion.token, keys: keys).checkSignature(issuer)
                return .done(result)
            } catch {
                guard error == .badSignature || need.keyID == nil else { return .done(result) }
                var again = need
                again.wasTriedInVain = true
                return remoteKeys(source, issuer.name, again, now)
            }
        }
    }

    /// The currently valid certificates with one of these subjects, for signatures other than a token's. Reloads if
    /// they are old or none is valid.
    package func certificates(of subjects: [DistinguishedName], now: Int64) -> Effect<[SignerCertificate]> {
        let intervals = policy.current.certificateReload
        let store = certificates.value(now: now, intervals: { _ in intervals }) { store in
            !store.certificates(of: subjects, now: now).isEmpty
        }
        return store.map { $0.certificates(of: subjects, now: now) }
    }

    /// The current policy, for the operator's reports.
    package var currentPolicy: AssertionPolicy { policy.current }
    package var currentCertificates: CertificateStore { certificates.current }
}
