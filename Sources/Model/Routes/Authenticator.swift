/// A kind of credential that a route takes, in the list `authenticators`.
package struct Authenticator: Hashable, Sendable {
    /// The kind, by its type.
    package struct Kind: Hashable, Sendable {
        package let type: any CredentialKind.Type

        package init(_ type: any CredentialKind.Type) { self.type = type }

        package var name: String { type.name }

        package static func == (a: Kind, b: Kind) -> Bool { a.type == b.type }

        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
    }

    package var kind: Kind
    /// The issuer that the kind means by it (`CredentialIssuer`); nil for all, and of passwords for the gateway itself.
    package var issuer: String?
    /// Header field for credentials of the kind beside `Authorization`; nil for none.
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
