import Crypto
import JOSE
import Model

extension AssertionKeySource {
    /// How the keys are fetched; nil where an address turns out to be none, or not to be allowed.
    /// - Parameters:
    ///   - issuer: whose discovery document it must be.
    ///   - authorities: the contents of `trustFile`.
    package func settings(issuer: String, authorities: [UInt8]?) -> RemoteKeySettings? {
        guard let keys = AssertionKeySource.url(jwksURI), let discovery = AssertionKeySource.url(discoveryURI),
            var settings = try? RemoteKeySettings(
                issuer: issuer, discovery: discovery.url, keys: keys.url, allowHTTP: allowsHTTP)
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

    /// Nil for a text that is no address; without a text there is no address and nothing wrong.
    private static func url(_ text: String?) -> (url: OutboundURL?, Void)? {
        guard let text else { return (nil, ()) }
        return (try? OutboundURL(text)).map { ($0, ()) }
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
