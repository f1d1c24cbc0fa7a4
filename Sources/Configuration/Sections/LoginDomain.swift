/// Where browsers log in by forms of authentication schemes: a circle of applications that another target declares.
package struct LoginDomain: Sendable {
    package let name: String
    /// The client that browsers log in to, as `name/version`; nil where it has no application for them.
    package var client: String?
    /// Names of the identity providers of its users; empty for the gateway's own form.
    package var providers: [String] = []
    /// Those that it declares itself.
    package var ownProviders: [IdentityProviderEntry] = []
    /// Whether users of its providers are named by e-mail address.
    package var namesByEmail = false
    /// The issuer whose server verifies passwords; nil if the gateway does.
    package var passwordIssuer: String?
    /// Roles of users without an entry in `users.json`; nil if they are refused.
    package var guestRoles: [String]?
    /// The highest level that a login reaches.
    package var highestLevel = 0

    package init(name: String) { self.name = name }
}
