import Crypto
import Model

/// Where an issuer publishes its keys and how they are fetched. Two settings that are equal share keys, also those of
/// configurations before and after a reload.
package struct RemoteKeySettings: Hashable, Sendable {
    /// Why settings are no good; JWT-19 wants the issuer left out then.
    package enum Problem: Error, Equatable, Sendable {
        /// Neither a discovery document nor a key set is named (JWT-31).
        case noAddress
        /// Not encrypted, and not allowed to be (JWT-32).
        case insecure(WebURL)
    }

    /// Which versions of TLS are spoken (JWT-36).
    package enum Versions: Hashable, Sendable {
        /// Those that are sound.
        case standard
        case range(ClosedRange<TLSVersion>)
        /// The list that was given leaves none: every fetch fails.
        case none
    }

    /// The `iss` that the discovery document must have, byte by byte.
    package let issuer: String
    /// Of the discovery document (JWT-30); nil where the address of the keys is known.
    package let discovery: WebURL?
    /// Of the key set (JWT-31).
    package let keys: WebURL?
    /// Whether keys may come without encryption, so that whoever stands in between chooses them (JWT-32).
    package let allowHTTP: Bool

    /// Seconds that lie between two attempts (JWT-33).
    package var minimumReloadSeconds: Int64 = 60
    /// Seconds after which keys are fetched again before they are used (JWT-34).
    package var maximumReloadSeconds: Int64 = 28_800
    /// Seconds for which keys are used beyond their time while the issuer does not answer.
    package var staleSeconds: Int64 = 86_400
    package var connectTimeoutMilliseconds: Int64 = 30_000
    package var readTimeoutMilliseconds: Int64 = 60_000
    package var versions = Versions.standard
    /// Sent with both requests as it is, and never logged (JWT-37).
    package var authorization: String?
    /// Authorities that are believed beside those of the system, in PEM form (JWT-38).
    package var authorities: [UInt8]?

    /// - Parameters:
    ///   - discovery: not asked where `keys` is there (JWT-31).
    package init(
        issuer: String, discovery: WebURL?, keys: WebURL?, allowHTTP: Bool = false
    ) throws(Problem) {
        guard let used = keys ?? discovery else { throw .noAddress }
        guard used.isSecure || allowHTTP else { throw .insecure(used) }
        self.issuer = issuer
        self.discovery = keys == nil ? discovery : nil
        self.keys = keys
        self.allowHTTP = allowHTTP
    }

    /// The context for calls; nil for the standard one.
    func clientContext() throws(TLSSettingsError) -> TLSClientContext? {
        guard authorities != nil || versions != .standard else { return nil }
        var settings = TLSClientSettings()
        settings.protocols = [.http11]
        if let authorities { settings.trust = .systemAnd(authorities) }
        if case .range(let range) = versions {
            settings.minimumVersion = range.lowerBound
            settings.maximumVersion = range.upperBound
        }
        return try TLSClientContext(settings)
    }
}
