import Crypto
import Model

/// Somebody whose tokens are believed, and on which terms.
package struct TrustedIssuer: Sendable {
    /// Name of the configuration entry.
    package var name: String
    /// The `iss` of its tokens, compared byte by byte.
    package var issuer: String
    /// Who we are to it: a token's `aud` must name one of these.
    package var audiences: [String]
    /// Whether a token must have an `aud`. Without, an `aud` that is there must still fit where `audiences` has any.
    package var requireAudience: Bool
    package var keys: Keys
    /// The algorithms accepted at all (JWT-39).
    package var algorithms: Set<SignatureAlgorithm>
    /// What its tokens are accepted for; nil where the reader of the verified token checks that.
    package var purpose: TokenPurpose?
    /// By how much the issuer's clock may differ from ours. Expiry of our own tokens is exact.
    package var clockSkewSeconds: Int64
    /// The longest lifetime, from `iat` to `exp`; nil for any.
    package var maximumLifetimeSeconds: Int64?
    /// Whether it is the gateway itself: only then may a secret verify (DEC-11).
    package var own: Bool

    /// Where the issuer's keys are.
    package enum Keys: Sendable {
        /// In the configuration.
        case fixed(KeySet)
        /// Elsewhere.
        case published(any KeySource)
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

    /// Whether tokens of the algorithm are accepted: those of a shared secret only from ourselves, whatever the
    /// configuration says.
    func allows(_ algorithm: SignatureAlgorithm) -> Bool {
        algorithms.contains(algorithm) && (own || !algorithm.isSymmetric)
    }
}
