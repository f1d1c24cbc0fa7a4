import Crypto
import JOSE
import Model
import Outbound

extension AssertionKeySource {
    /// How the keys are fetched; nil where an address is not allowed.
    /// - Parameters:
    ///   - issuer: whose discovery document it must be.
    ///   - authorities: the contents of `trustFile`.
    package func settings(issuer: String, authorities: [UInt8]?) -> RemoteKeySettings? {
        guard
            var settings = try? RemoteKeySettings(
                issuer: issuer, discovery: discoveryURI, keys: jwksURI, allowHTTP: allowsHTTP)
        else { return nil }
        settings.minimumReloadSeconds = max(1, minimumReloadInterval)
        settings.maximumReloadSeconds = max(1, maximumReloadInterval)
        settings.connectTimeoutMilliseconds = connectTimeout * 1000
        settings.readTimeoutMilliseconds = readTimeout * 1000
        settings.versions = (try? TLSVersion.range(named: tlsVersions)).flatMap { $0 }.map { .range($0) } ?? .none
        settings.authorization = authorizationHeader
        settings.authorities = authorities
        return settings
    }
}

extension RemoteKeySet {
    /// The keys for a token, in the words of the exchange.
    package func assertionKeys(
        for need: KeyNeed, now: Int64
    ) -> Effect<Result<KeySet, AssertionSources.KeysFailure>> {
        let answer = keys(for: need, now: now)
        guard case .fetch = answer else { return .done(result(answer)) }
        return .answer(of: { [self] in fetch(for: need, then: $0) }) { [self] in .done(result($0)) }
    }

    private func result(_ answer: KeysNow) -> Result<KeySet, AssertionSources.KeysFailure> {
        if case .ready(let keys) = answer { return .success(keys) }
        switch report.failure {
        // JWT-30, JWT-32: the issuer answers, and is not the one that was configured.
        case .wrongIssuer, .insecureAddress, .malformedAddress: return .failure(.unusable)
        default: return .failure(.unavailable)
        }
    }
}
