import Bytes
import Model

/// Which outside tokens are exchanged, and on which terms: the environment policies of section 2.18 that apply to token
/// exchange, read from JSON. Immutable; a reload creates a new one.
package struct AssertionPolicy: Sendable {
    /// One element of `issuers`, or of `samlIssuers`.
    package struct Entry: Sendable {
        /// `issuerName`; nil if absent.
        package let name: String?
        /// Nil for an invalid entry, which disables that entry alone (JWT-03).
        package let issuer: AssertionIssuer?
    }

    /// Result of looking up an `iss`.
    package enum Lookup: Sendable {
        case issuer(AssertionIssuer)
        /// The entry exists but is invalid.
        case invalid
        case unknown
    }

    /// The issuers in order; empty if none are configured or the whole configuration is invalid.
    package internal(set) var entries: [Entry] = []
    /// The SAML issuers in order (SAML-09).
    package internal(set) var samlEntries: [Entry] = []
    /// Whether `issuers` is an array or absent (JWT-03).
    package internal(set) var isSound = true
    package internal(set) var policyReload = ReloadIntervals.policy
    package internal(set) var certificateReload = ReloadIntervals.certificates
    /// `Security_TokenExchangeTimeoutSecs` and `-Policy`.
    package internal(set) var lifetime: TokenLifetime
    package internal(set) var findings: [AssertionFinding] = []

    /// A policy without any issuer.
    package init(lifetime: TokenLifetime = TokenLifetime()) { self.lifetime = lifetime }

    package func lookup(_ name: String) -> Lookup { AssertionPolicy.lookup(name, entries) }

    /// Looks up the `Issuer` of a SAML assertion (SAML-06).
    package func lookup(saml name: String) -> Lookup { AssertionPolicy.lookup(name, samlEntries) }

    private static func lookup(_ name: String, _ entries: [Entry]) -> Lookup {
        guard let entry = entries.first(where: { $0.name?.isExactly(name) ?? false }) else {
            return .unknown
        }
        return entry.issuer.map(Lookup.issuer) ?? .invalid
    }
}

/// A problem in a policy, for the operator. The policy remains usable, but possibly for fewer issuers.
package struct AssertionFinding: Sendable, Equatable {
    package let severity: Severity
    /// JSON pointer from the root of the configuration object.
    package let pointer: String
    package let message: String
    package let expected: String?
}
