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
    /// - Returns: with the tokens of the last login, for a logout at the provider.
    package func ending<Value: Sendable>(
        _ foundations: [String], at name: String, now: Int64, _ end: Effect<Value>,
        hasEnded: @escaping @Sendable (Value) -> Bool
    ) -> Effect<(Value, tokens: ProvidedTokens?)> {
        guard let provider = provider(named: name) else { return end.map { ($0, nil) } }
        // The tokens are in the records, which are gone afterwards.
        return tokens(of: foundations[...], now: now).then { [revoker] tokens in
            end.map { value in
                guard hasEnded(value) else { return (value, nil) }
                if provider.revokesAtLogout {
                    for tokens in tokens { revoker?.revoke(tokens, at: provider, now: now) }
                }
                return (value, tokens.last)
            }
        }
    }

    private func tokens(
        of foundations: ArraySlice<String>, _ found: [ProvidedTokens] = [], now: Int64
    ) -> Effect<[ProvidedTokens]> {
        guard let id = foundations.first else { return .done(found) }
        return store.ask(.find(.id(id)), now: now) { [self] answer in
            var found = found
            if case .success(.record(let record?)) = answer, let kept = seals.tokens(record.sealed, now: now) {
                found.append(kept)
            }
            return tokens(of: foundations.dropFirst(), found, now: now)
        }
    }
}
