import Crypto
import JOSE
import Outbound

/// What outside tokens are judged by, kept up to date by the requests that need it: the policy, the certificates, and the
/// keys that are fetched.
package final class AssertionSources: Sendable {
    /// Why there are no keys.
    package enum KeysFailure: Error, Sendable {
        /// Nobody's fault who asks: the issuer is down, or does not answer in time.
        case unavailable
        /// The issuer's documents are not what they should be.
        case unusable
    }

    /// Keys that are fetched.
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

    /// The policy that holds for a token of this issuer: read anew where the one at hand is old or does not have it.
    package func policy(for issuer: String, now: Int64) -> Effect<AssertionPolicy> {
        policy.value(now: now, intervals: \.policyReload) { policy in
            // An entry that is wrong may have been mended.
            if case .issuer = policy.lookup(issuer) { true } else { false }
        }
    }

    /// The policy that holds for a SAML assertion of this issuer.
    package func policy(forSAML issuer: String, now: Int64) -> Effect<AssertionPolicy> {
        policy.value(now: now, intervals: \.policyReload) { policy in
            if case .issuer = policy.lookup(saml: issuer) { true } else { false }
        }
    }

    /// What an issuer of SAML assertions has signed. Certificates are read anew where they are old or none verifies it
    /// (SAML-08). It computes at once, so it is called on the computing pool.
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

    /// The keys that a token may be signed with. Certificates are read anew where they are old or none verifies it.
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

    /// Keys of a set that is fetched. Where a token names no key and none verifies it, one may have come since.
    private func fetchedKeys(
        _ source: AssertionKeySource, _ issuer: AssertionIssuer, _ assertion: AssertionVerifier.Assertion, now: Int64
    ) -> Effect<Result<KeySet, KeysFailure>> {
        let received = assertion.received
        // A token that no key can be for is no reason to fetch any.
        guard issuer.algorithms.contains(received.algorithm) else { return .done(.success(KeySet(keys: []))) }
        let need = KeyNeed(keyID: received.keyID, algorithm: received.algorithm)
        return remoteKeys(source, issuer.name, need, now).then { [remoteKeys] result in
            guard need.keyID == nil, case .success(let keys) = result else { return .done(result) }
            do throws(AssertionRejection) {
                try AssertionVerifier.Assertion(received, token: assertion.token, keys: keys).checkSignature(issuer)
                return .done(result)
            } catch {
                let again = KeyNeed(keyID: nil, algorithm: need.algorithm, wasTriedInVain: true)
                return remoteKeys(source, issuer.name, again, now)
            }
        }
    }

    /// The certificates with one of these subjects that are valid now, for signatures that are no token's: read anew where
    /// they are old or there is none.
    package func certificates(of subjects: [DistinguishedName], now: Int64) -> Effect<[SignerCertificate]> {
        let intervals = policy.current.certificateReload
        let store = certificates.value(now: now, intervals: { _ in intervals }) { store in
            !store.certificates(of: subjects, now: now).isEmpty
        }
        return store.map { $0.certificates(of: subjects, now: now) }
    }

    /// For an operator: what is at hand.
    package var currentPolicy: AssertionPolicy { policy.current }
    package var currentCertificates: CertificateStore { certificates.current }
}
