import JOSE
import Model
import Outbound

extension AssertionKeySource {
    /// Settings for fetching the keys; nil if a URL is not allowed.
    /// - Parameters:
    ///   - issuer: required `issuer` of the discovery document.
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
    /// The keys for a token, with failures mapped to those of the exchange.
    package func assertionKeys(
        for need: KeyNeed, now: Int64
    ) -> Effect<Result<KeySet, AssertionSources.KeysFailure>> {
        let answer = keys(for: need, now: now)
        guard case .fetch = answer else { return .done(result(answer)) }
        return .answer(of: { [self] in fetch(for: need, then: $0) }) { [self] in .done(result($0)) }
    }

    private func result(_ answer: KeyAvailability) -> Result<KeySet, AssertionSources.KeysFailure> {
        if case .ready(let keys) = answer { return .success(keys) }
        switch report.failure {
        // JWT-30, JWT-32: the issuer answers, but its documents do not match the configuration.
        case .wrongIssuer, .insecureAddress, .malformedAddress: return .failure(.unusable)
        default: return .failure(.unavailable)
        }
    }
}
