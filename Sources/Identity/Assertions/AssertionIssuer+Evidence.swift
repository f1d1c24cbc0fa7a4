import Bytes
import JOSE
import Model

extension AssertionPolicy {
    /// What was compared for a token that is not exchanged, for operators.
    ///
    /// - Parameters:
    ///   - issuer: the token's; nil if there is none.
    ///   - keys: those that were tried.
    ///   - now: seconds since 1970.
    package func evidence(
        on token: [UInt8], for rejection: AssertionRejection, _ issuer: AssertionIssuer?, keys: KeySet? = nil,
        now: Int64
    ) -> Evidence {
        let evidence = TokenEvidence(token.span)
        if rejection == .filterNotSatisfied, let issuer, let received = try? ReceivedToken(token.span) {
            let unmet = issuer.filters.filter { !$0.isSatisfied(by: received.claims) }
            return Evidence(unmet.map { "unmet: \($0.description)" })
        }
        let rules = issuer?.tokenRules(keys: keys)
        var lines = rejection.checks.flatMap { evidence.lines($0, rules, now: now) }
        if rejection == .unknownIssuer { lines.append("known \(Evidence.list(entries.compactMap(\.name)))") }
        return Evidence(lines)
    }
}

extension AssertionIssuer {
    /// What the checks of its tokens expect, for operators.
    func tokenRules(keys: KeySet?) -> TokenRules {
        TokenRules(
            audiences: audiences, algorithms: algorithms, purpose: .assertion, skew: AssertionVerifier.clockSkew,
            expirySkew: 0, keys: keys)
    }
}

extension AssertionRejection {
    /// The checks of a token that the rejection comes from.
    fileprivate var checks: [TokenEvidence.Check] {
        switch self {
        case .malformed, .tooLarge: [.form]
        case .unknownIssuer, .invalidIssuer, .disabledIssuer: [.issuer]
        case .encrypted, .criticalHeader, .unsupportedAlgorithm: [.algorithm]
        case .unknownKey, .badSignature, .unusableKeys: [.key]
        case .missingExpiry, .expired: [.expiry]
        case .notYetValid, .issuedInFuture: [.start]
        case .wrongAudience: [.audience]
        case .wrongType: [.type]
        case .wrongClient: [.client]
        case .proofRequired: [.binding]
        case .filterNotSatisfied, .missingUsername, .unusableUsername, .clientToken, .unknownUser, .ambiguousUser,
            .disabledUser, .usedBefore, .revoked:
            []
        }
    }
}
