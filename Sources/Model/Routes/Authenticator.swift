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
    }

    package var kind: Kind
    /// Name of the only issuer whose tokens count; nil for all.
    package var issuer: String?
    /// Whether the next authenticator decides about a request whose credential is bad. One that is absent always leaves it
    /// to the next.
    package var fallsThrough = false

    package init(_ kind: Kind, issuer: String? = nil, fallsThrough: Bool = false) {
        self.kind = kind
        self.issuer = issuer
        self.fallsThrough = fallsThrough
    }
}
