import Bytes
import Model

/// Which outside tokens are exchanged, and for what: the environment policies of section 2.18 that matter to token
/// exchange, read from JSON. Immutable; a reload makes another.
package struct AssertionPolicy: Sendable {
    /// One element of `issuers`, or of `samlIssuers`.
    package struct Entry: Sendable {
        /// `issuerName`; nil where there is none.
        package let name: String?
        /// Nil for an entry that is wrong, which disables it and no other (JWT-03).
        package let issuer: AssertionIssuer?
    }

    /// What the policy says of an `iss`.
    package enum Lookup: Sendable {
        case issuer(AssertionIssuer)
        /// There is an entry, and it is wrong.
        case invalid
        case unknown
    }

    /// The issuers in their order; empty where none are configured, or where the configuration as a whole is wrong.
    package internal(set) var entries: [Entry] = []
    /// The issuers of SAML assertions in their order (SAML-09).
    package internal(set) var samlEntries: [Entry] = []
    /// Whether `issuers` is an array, as it must be (JWT-03). Not configured at all is sound.
    package internal(set) var isSound = true
    package internal(set) var policyReload = ReloadIntervals.policy
    package internal(set) var certificateReload = ReloadIntervals.certificates
    /// `Security_TokenExchangeTimeoutSecs` and `-Policy`.
    package internal(set) var lifetime: TokenLifetime
    package internal(set) var findings: [AssertionFinding] = []

    /// A policy without any issuer.
    package init(lifetime: TokenLifetime = TokenLifetime()) { self.lifetime = lifetime }

    package func lookup(_ name: String) -> Lookup { AssertionPolicy.lookup(name, entries) }

    /// What the policy says of the `Issuer` of a SAML assertion (SAML-06).
    package func lookup(saml name: String) -> Lookup { AssertionPolicy.lookup(name, samlEntries) }

    private static func lookup(_ name: String, _ entries: [Entry]) -> Lookup {
        guard let entry = entries.first(where: { $0.name?.utf8.elementsEqual(name.utf8) ?? false }) else {
            return .unknown
        }
        return entry.issuer.map(Lookup.issuer) ?? .invalid
    }
}

/// Something that an operator should know about a policy. The policy works all the same, but perhaps for fewer issuers.
package struct AssertionFinding: Sendable, Equatable {
    package let severity: Severity
    /// JSON pointer from the root of the configuration object.
    package let pointer: String
    package let message: String
    package let expected: String?
}
