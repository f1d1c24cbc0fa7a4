import JOSE
import Model

/// The issuers whose identity assertions clients exchange for access tokens.
package struct IdentityAssertions: Sendable {
    /// How the users of an issuer map to those of the gateway.
    package struct Users: Sendable {
        let rules: ExternalIdentityRules
        /// Authentication level of their tokens (CHAL-06).
        let level: Int
        /// Whether assertions that are bound to no key are refused.
        let requiresProof: Bool

        package init(_ rules: ExternalIdentityRules, level: Int, requiresProof: Bool) {
            self.rules = rules
            self.level = level
            self.requiresProof = requiresProof
        }
    }

    /// The authorization grant profile of the metadata.
    static let profile = "urn:ietf:params:oauth:grant-profile:id-jag"

    let verifier: JWTVerifier
    /// By the index of the issuer in the verifier.
    let users: [Users]

    /// Nil without an issuer.
    /// - Parameter audience: the issuer identifier of the token service.
    package init?(_ issuers: [(trust: TrustedIssuer, users: Users)], audience: String) {
        if issuers.isEmpty { return nil }
        verifier = JWTVerifier(
            issuers: issuers.map { issuer in
                var trust = issuer.trust
                (trust.audiences, trust.requireAudience) = ([audience], true)
                trust.purpose = .identityAssertion
                return trust
            })
        users = issuers.map(\.users)
    }
}

extension Client {
    /// Whether it exchanges identity assertions.
    var takesIdentityAssertions: Bool {
        !grants.assertionIssuers.isEmpty && !grants.withheld.contains(.jwtBearer)
    }
}
