import JOSE
import Outbound

extension JWTVerifier {
    /// Verifies a token, and fetches the keys that it needs. Never `.needsKeys`.
    /// - Parameter now: seconds since 1970.
    package func outcome(of token: [UInt8], now: Int64) -> Effect<VerificationOutcome> {
        let outcome = verify(token.span, now: now)
        guard case .needsKeys(let index, let need) = outcome else { return .done(outcome) }
        guard case .published(let source) = issuers[index].keys else { return .done(.keysUnavailable) }
        return .answer(of: { source.fetch(for: need, then: $0) }) { [self] answer in
            guard case .ready(let keys) = answer else { return .done(.keysUnavailable) }
            let settled = verify(token.span, now: now, with: .fetched(keys, issuerIndex: index))
            if case .needsKeys = settled { return .done(.keysUnavailable) }
            return .done(settled)
        }
    }
}
