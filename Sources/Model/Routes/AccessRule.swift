/// The requirements of a route or of one of its methods.
package struct AccessRule: Hashable, Sendable {
    /// Whether no credential is required or looked at (ROLE-02, AMB-20).
    package var isPublic = false
    /// Whether requests without a credential are admitted besides those with a valid one; a bad credential is refused.
    package var isOptional = false
    /// Whether the caller must be a user, not a client or the anonymous key (ROLE-02).
    package var loginRequired = true
    /// Whether only social logins are accepted, where a login is required (AMB-30, FB-05).
    package var socialLogin = false
    package var roles = RoleNames()
    /// Scopes that the token must have (RFC 6749 section 3.3); credentials without scopes have none.
    package var scopes = RoleNames()
    /// All of these must be met.
    package var claims: [ClaimRule] = []
    /// Names of the issuers whose credentials count; empty for all.
    package var issuers: [String] = []
    /// Values of `aud`, one of which the token must have, beside those of its issuer; empty for none.
    package var audience: [String] = []
    /// Authentication context levels (`acr`), one of which the login must have had (RFC 9470); empty for no requirement.
    package var contexts: [String] = []
    /// Seconds since the login (`auth_time`) after which another one is needed; nil for no limit.
    package var maximumAge: Int64?
    /// Whether tokens must be bound to a key or certificate of their client; other credentials do not count.
    package var requiresProof = false
    /// Accepted client certificates, public route or not; nil for no requirement, empty for any certificate that the
    /// listener accepts.
    package var clientCertificate: [CertificatePattern]?
    /// Names of the policy servers that must allow a request after everything else does, public route or not.
    package var policyServers: [String] = []
    /// The least level of a credential (CHAL-06); nil for that of the scheme or the Webgate.
    package var level: Int?
    /// The rule on trial, which is asked of admitted requests and refuses none; empty for none. A list of one, since a rule
    /// cannot hold another one itself.
    package var trial: [AccessRule] = []

    package init() {}

    /// The rule, and the one on trial.
    package var withTrial: [AccessRule] { [self] + trial }

    /// Whether it matters how or when the caller logged in.
    package var asksForLogin: Bool { !contexts.isEmpty || maximumAge != nil }

    /// The requirements other than roles.
    package var withoutRoles: AccessRule {
        var rule = self
        rule.roles = RoleNames()
        return rule
    }
}

/// Role requirements by name (ROLE-01).
package struct RoleNames: Hashable, Sendable {
    /// One of these is required; nil for no such requirement.
    package var any: [String]?
    /// Each of these is required.
    package var all: [String]
    /// None of these is allowed.
    package var none: [String]

    package init(any: [String]? = nil, all: [String] = [], none: [String] = []) {
        self.any = any
        self.all = all
        self.none = none
    }

    /// Whether no role is named.
    package var isEmpty: Bool { (any ?? []).isEmpty && all.isEmpty && none.isEmpty }
}
