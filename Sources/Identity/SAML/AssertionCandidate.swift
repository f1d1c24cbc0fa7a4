import Bytes
import Crypto
import Outbound

/// A packed SAML assertion with the issuer that it names. Nothing of it is verified.
package struct AssertionCandidate: Sendable {
    /// Why an assertion has no issuer here.
    package enum Refusal: Error, Sendable, Equatable {
        case document(SAMLRejection)
        case issuer(AssertionRejection)
    }

    package let xml: [UInt8]
    package let issuer: AssertionIssuer
    package let policy: AssertionPolicy
}

extension AssertionSources {
    /// Unpacks an assertion and finds its issuer. Computes synchronously: call it on the computing pool.
    /// - Parameter now: seconds since 1970.
    package func candidate(
        in packed: [UInt8], now: Int64
    ) -> Effect<Result<AssertionCandidate, AssertionCandidate.Refusal>> {
        let xml: [UInt8]
        let name: String
        do throws(SAMLRejection) {
            xml = try PackedAssertion.unpack(packed)
            name = try SAMLVerifier.claimedIssuer(ofAssertion: xml)
        } catch {
            return .done(.failure(.document(error)))
        }
        return policy(forSAML: name, now: now).map { policy in
            policy.enabledIssuer(saml: name).map { AssertionCandidate(xml: xml, issuer: $0, policy: policy) }
                .mapError { AssertionCandidate.Refusal.issuer($0) }
        }
    }

    /// Verifies the signature. A policy that was read again resumes on another thread, hence the computing pool here.
    package func assertion(
        of candidate: AssertionCandidate, now: Int64
    ) -> Effect<Result<SAMLAssertion, SAMLRejection>> {
        .offload { [self] in assertion(in: candidate.xml, candidate.issuer, candidate.policy, now: now) }
    }

    /// Verifies an assertion again, with the policy and certificates at hand. Computes synchronously.
    package func verifyAgain(
        _ packed: [UInt8], now: Int64
    ) -> Result<(SAMLAssertion, AssertionIssuer), AssertionCandidate.Refusal> {
        do throws(SAMLRejection) {
            let xml = try PackedAssertion.unpack(packed)
            let issuer = currentPolicy.enabledIssuer(saml: try SAMLVerifier.claimedIssuer(ofAssertion: xml))
            return issuer.mapError { AssertionCandidate.Refusal.issuer($0) }.flatMap { issuer in
                issuer.assertion(in: xml, currentCertificates, now: now).map { ($0, issuer) }
                    .mapError { AssertionCandidate.Refusal.document($0) }
            }
        } catch {
            return .failure(.document(error))
        }
    }
}

extension AssertionPolicy {
    fileprivate func enabledIssuer(saml name: String) -> Result<AssertionIssuer, AssertionRejection> {
        switch lookup(saml: name) {
        case .unknown: .failure(.unknownIssuer)
        case .invalid: .failure(.invalidIssuer)
        case .issuer(let issuer): issuer.isEnabled ? .success(issuer) : .failure(.disabledIssuer)
        }
    }
}

extension AssertionIssuer {
    /// What an assertion is known by if it may be used once; nil if it may be used again.
    package func singleUseName(of assertion: SAMLAssertion) -> [UInt8]? {
        isSingleUse || assertion.isOneTimeUse ? Array("saml \(assertion.id)".utf8) : nil
    }

    /// Key of the store under which the use of an assertion is remembered, by whichever route or endpoint took it.
    package func singleUseKey(_ singleUseName: [UInt8]) -> String {
        AssertionIssuer.singleUseKey(singleUseName, of: name)
    }

    /// - Parameter issuer: `iss`.
    package static func singleUseKey(_ singleUseName: [UInt8], of issuer: String) -> String {
        let text = Array("\(issuer.utf8.count) \(issuer)".utf8) + singleUseName
        return "assertion:"
            + String(decoding: Base64.encode(DigestAlgorithm.sha256.digest(text.span).span, .url), as: UTF8.self)
    }
}
