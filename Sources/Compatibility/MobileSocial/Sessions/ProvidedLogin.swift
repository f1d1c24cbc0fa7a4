/// The part of a session that came from an identity provider.
struct ProvidedLogin: Sendable, Equatable {
    /// Name of the provider.
    var provider: String
    /// Id of the store record that the session depends on. It ends when the provider ends the login.
    var foundation: String
    /// Whether the user is known only from the provider. An account of the same name belongs to someone else (JWT-13).
    var isVirtual: Bool
    /// Names of the roles from the provider's claims, in addition to those of an account.
    var roles: [String]
    /// Levels of the login there (`acr`). Like the next, for browsers alone.
    var levels: [String] = []
    /// Seconds since 1970 of the login there; nil if the provider has not said it.
    var authenticatedAt: Int64?
}
