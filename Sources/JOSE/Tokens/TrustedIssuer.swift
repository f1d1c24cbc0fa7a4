import Model

/// A trusted issuer and its rules.
package struct TrustedIssuer: Sendable {
    /// Name of the configuration entry.
    package var name: String
    /// The `iss` of its tokens, compared byte by byte.
    package var issuer: String
    /// Accepted values of `aud`.
    package var audiences: [String]
    /// Whether `aud` is required. If not, a present `aud` must still match unless `audiences` is empty.
    package var requireAudience: Bool
    package var keys: Keys
    /// The accepted algorithms (JWT-39).
    package var algorithms: Set<SignatureAlgorithm>
    /// The purpose of its tokens; nil if the caller checks it.
    package var purpose: TokenPurpose?
    /// Tolerance for the issuer's clock. The expiry of the gateway's own tokens is exact.
    package var clockSkewSeconds: Int64
    /// The longest lifetime, from `iat` to `exp`; nil for any.
    package var maximumLifetimeSeconds: Int64?
    /// Whether it is the gateway itself; required for shared secrets (DEC-11).
    package var own: Bool
    /// What becomes of its encrypted tokens.
    package var decryption = TokenDecryption()

    /// The keys of the issuer.
    package enum Keys: Sendable {
        /// Configured keys.
        case fixed(KeySet)
        /// Published keys.
        case published(any KeySource)
        /// Keys that come with the tokens, certified by these authorities.
        case certified(SignerAuthorities)
    }

    package init(
        name: String, issuer: String, audiences: [String], requireAudience: Bool = true, keys: Keys,
        algorithms: Set<SignatureAlgorithm> = SignatureAlgorithm.asymmetric, purpose: TokenPurpose? = .accessToken(),
        clockSkewSeconds: Int64 = 60,
        maximumLifetimeSeconds: Int64? = nil, own: Bool = false
    ) {
        self.name = name
        self.issuer = issuer
        self.audiences = audiences
        self.requireAudience = requireAudience
        self.keys = keys
        self.algorithms = algorithms
        self.purpose = purpose
        self.clockSkewSeconds = clockSkewSeconds
        self.maximumLifetimeSeconds = maximumLifetimeSeconds
        self.own = own
    }

    package init(
        name: String, issuer: String, audiences: [String], requireAudience: Bool = true, keys: KeySet,
        algorithms: Set<SignatureAlgorithm> = SignatureAlgorithm.asymmetric, purpose: TokenPurpose? = .accessToken(),
        clockSkewSeconds: Int64 = 60,
        maximumLifetimeSeconds: Int64? = nil, own: Bool = false
    ) {
        self.init(
            name: name, issuer: issuer, audiences: audiences, requireAudience: requireAudience, keys: .fixed(keys),
            algorithms: algorithms, purpose: purpose, clockSkewSeconds: clockSkewSeconds,
            maximumLifetimeSeconds: maximumLifetimeSeconds, own: own)
    }

    /// Whether tokens of the algorithm are accepted; those of a shared secret only from the gateway itself, regardless
    /// of the configuration.
    func allows(_ algorithm: SignatureAlgorithm) -> Bool {
        algorithms.contains(algorithm) && (own || !algorithm.isSymmetric)
    }
}
