/// A kind of credential that a route takes, in the list `authenticators`.
package struct Authenticator: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A token of a trusted issuer, or one of the gateway's own.
        case bearer
        /// Name and password of a user.
        case basic
        /// The anonymous key of a mobile backend, with or without a social token beside it.
        case anonymousKey
        /// The key of a consumer.
        case apiKey
        /// The certificate of the connection.
        case certificate
        /// The cookie of a browser login.
        case session
        /// A SAML assertion.
        case saml
    }

    package var kind: Kind
    /// Of tokens and assertions the only trusted issuer that counts, of passwords the issuer that verifies them; nil for all
    /// tokens and assertions, and for the gateway's own users.
    package var issuer: String?
    /// Header field for assertions beside `Authorization`; nil for none.
    package var header: String?
    /// For passwords that an issuer verifies; nil for others.
    package var passwords: IssuerPasswordSettings?
    /// Whether the key of a consumer must come beside the credential.
    package var needsKey = false
    /// Whether the next authenticator decides about a request whose credential is bad. One that is absent always leaves it
    /// to the next.
    package var fallsThrough = false

    package init(_ kind: Kind, issuer: String? = nil, fallsThrough: Bool = false) {
        self.kind = kind
        self.issuer = issuer
        self.fallsThrough = fallsThrough
    }
}

/// How passwords count that an issuer verifies.
package struct IssuerPasswordSettings: Hashable, Sendable {
    /// Realm of users with an account.
    package var realm = "Default"
    /// Roles of users without an account; nil if they are refused.
    package var guestRoles: [String]?
    /// Seconds for which a right password is not verified again; 0 for none.
    package var cacheSeconds: Int64 = 60

    package init() {}
}
