/// How verified claims of an outside issuer become a user.
package struct ExternalIdentityRules: Sendable {
    /// Where the user name is searched, the first that has one counts; empty for `sub`, then `prn` (JWT-14, MAP-02).
    package var usernameSources: [ClaimSource]
    /// Claim with a client id; a token in which it equals the user name is a client's and refused (JWT-16).
    package var clientIDAttribute: String?
    /// Whether users without an account are accepted; accounts are then never consulted (JWT-13, U09).
    package var virtualUserEnabled: Bool
    /// Prefix of the names of users without an account, so that no two issuers, and no issuer and this gateway, share a
    /// name.
    package var usernamePrefix = ""
    package var userMapping: UserMapping
    package var roleMapping: RoleMapping

    package init(
        usernameSources: [ClaimSource] = [], clientIDAttribute: String? = nil, virtualUserEnabled: Bool = false,
        userMapping: UserMapping = .uid, roleMapping: RoleMapping = RoleMapping()
    ) {
        self.usernameSources = usernameSources
        self.clientIDAttribute = clientIDAttribute
        self.virtualUserEnabled = virtualUserEnabled
        self.userMapping = userMapping
        self.roleMapping = roleMapping
    }
}

/// How the identities of a provider become users of the gateway (RP-03, MAP-01).
package struct ProviderRules: Sendable {
    package var identity: ExternalIdentityRules
    package var emailRule = EmailRule.verified

    package init(identity: ExternalIdentityRules) { self.identity = identity }
}
