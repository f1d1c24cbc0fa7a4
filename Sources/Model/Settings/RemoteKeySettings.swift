/// Where an issuer publishes its keys and how they are fetched. Equal settings share keys, also those of configurations
/// before and after a reload.
package struct RemoteKeySettings: Hashable, Sendable {
    /// Why settings are invalid; JWT-19 wants the issuer ignored then.
    package enum Problem: Error, Equatable, Sendable {
        /// Neither a discovery document nor a key set is named (JWT-31).
        case noAddress
        /// Not encrypted, and not allowed to be (JWT-32).
        case insecure(WebURL)
    }

    /// Versions of TLS (JWT-36).
    package enum Versions: Hashable, Sendable {
        /// The secure ones.
        case standard
        case range(ClosedRange<TLSVersion>)
        /// None of the given list is supported: every fetch fails.
        case none
    }

    /// The `iss` that the discovery document must have, byte by byte.
    package var issuer: String
    /// URL of the discovery document (JWT-30); nil if that of the keys is known.
    package let discovery: WebURL?
    /// URL of the key set (JWT-31).
    package let keys: WebURL?
    /// Whether keys may be fetched without encryption, so that anyone on the path chooses them (JWT-32).
    package let allowHTTP: Bool
    /// Minimum seconds between two attempts (JWT-33).
    package var minimumReloadSeconds: Int64 = 60
    /// Seconds after which keys are fetched again before they are used (JWT-34).
    package var maximumReloadSeconds: Int64 = 28_800
    /// Seconds for which keys are used beyond their time while the issuer does not respond.
    package var staleSeconds: Int64 = 86_400
    package var connectTimeoutMilliseconds: Int64 = 30_000
    package var readTimeoutMilliseconds: Int64 = 60_000
    package var versions = Versions.standard
    /// `Authorization` of both requests; never logged (JWT-37).
    package var authorization: String?
    /// Authorities that are trusted in addition to those of the system, in PEM form (JWT-38).
    package var authorities: [UInt8]?

    /// - Parameters:
    ///   - discovery: not used with `keys` (JWT-31).
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
}
