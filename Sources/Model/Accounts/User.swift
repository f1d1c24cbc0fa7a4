/// A local user of `users.json`.
package struct User: Sendable, Equatable {
    /// Compared with case; unique within its realm.
    package var username: String
    package var email: String
    package var firstName: String
    package var lastName: String
    /// The user logs in through clients of this realm alone.
    package var realm: String
    /// `{scheme}payload` (CRYPTO-01). Without one every password is refused, while token exchange works.
    package var passwordHash: String?
    /// Names of the role catalogue, as assigned.
    package var roles: [String]
    /// A disabled user is refused everywhere (MAP-04).
    package var enabled: Bool
    /// Tokens that were issued before this second since 1970 are refused.
    package var tokensNotBefore: Int64
    /// What the user can be asked beside the password.
    package var securityQuestions: [SecurityQuestion] = []
    /// The secret of the user's one-time codes (RFC 6238); nil for none.
    package var oneTimeSecret: [UInt8]?
    /// What else the profile says (UPS-01), by name; `manager` is the name of another user of the realm (UPS-07).
    package var attributes: [String: String] = [:]

    package init(
        username: String, email: String = "", firstName: String = "", lastName: String = "", realm: String = "Default",
        passwordHash: String? = nil, roles: [String] = [], enabled: Bool = true,
        tokensNotBefore: Int64 = 0
    ) {
        self.username = username
        self.email = email
        self.firstName = firstName
        self.lastName = lastName
        self.realm = realm
        self.passwordHash = passwordHash
        self.roles = roles
        self.enabled = enabled
        self.tokensNotBefore = tokensNotBefore
    }
}
