import Crypto
import Identity
import Outbound
import TokenStorage

/// Tokens of providers that are revoked with the logins that they are of.
extension ProviderLogin {
    /// Ends a login here, and revokes its tokens at the provider in the background once that has succeeded. Logins that
    /// end by a provider's own notice are not revoked there: the provider has ended them itself.
    ///
    /// - Parameters:
    ///   - foundations: ids of the records that the session depends on.
    ///   - end: removes the session and these records; false if it stays.
    package func ending<Value: Sendable>(
        _ foundations: [String], at name: String, now: Int64, _ end: Effect<Value>,
        hasEnded: @escaping @Sendable (Value) -> Bool
    ) -> Effect<Value> {
        guard let revoker, let provider = provider(named: name), provider.revokesAtLogout else { return end }
        // The tokens are in the records, which are gone afterwards.
        return tokens(of: foundations[...], now: now).then { tokens in
            end.map { value in
                guard hasEnded(value) else { return value }
                for token in tokens { revoker.revoke(token, at: provider, now: now) }
                return value
            }
        }
    }

    private func tokens(
        of foundations: ArraySlice<String>, _ found: [ProvidedToken] = [], now: Int64
    ) -> Effect<[ProvidedToken]> {
        guard let id = foundations.first else { return .done(found) }
        return store.ask(.find(.id(id)), now: now) { [self] answer in
            var found = found
            if case .success(.record(let record?)) = answer, record.kind == .provided, !record.sealed.isEmpty,
                let opened = try? seals.providedTokens.open(record.sealed.span, now: now),
                let token = ProvidedToken(texts: opened.texts)
            {
                found.append(token)
            }
            return tokens(of: foundations.dropFirst(), found, now: now)
        }
    }
}
