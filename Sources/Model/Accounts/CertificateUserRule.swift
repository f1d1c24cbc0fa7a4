/// Which user a client certificate stands for.
package struct CertificateUserRule: Sendable {
    /// What a certificate must have for the rule to apply.
    package enum Condition: Sendable {
        /// The whole subject.
        case subject(DistinguishedName)
        /// The only common name of the subject, in UTF-8.
        case commonName([UInt8])
        /// An alternative name that a pattern fits.
        case name(CertificatePattern)
    }

    /// Where the user name comes from.
    package enum Username: Sendable {
        case fixed(String)
        /// A name of the certificate. It must have exactly one of the kind, for a kind that the condition is about
        /// exactly one that the condition fits.
        case taken(Source)
    }

    /// A kind of name of a certificate.
    package enum Source: String, Sendable, CaseIterable {
        case subject, commonName, dns, email, uri
    }

    /// The issuer of callers by certificate, as routes name it.
    package static let issuer = "certificates"

    package var condition: Condition
    package var username: Username
    /// Roles of a user without an account; nil for a user of `users.json`, who has the roles of the account.
    package var roles: [String]?
    /// The realm of the account; nil for the only account of the name.
    package var realm: String?

    package init(condition: Condition, username: Username, roles: [String]? = nil, realm: String? = nil) {
        self.condition = condition
        self.username = username
        self.roles = roles
        self.realm = realm
    }
}
