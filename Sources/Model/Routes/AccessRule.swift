/// The requirements of a route or of one of its methods.
package struct AccessRule: Hashable, Sendable {
    /// Whether no credential is required or looked at (ROLE-02, AMB-20).
    package var isPublic = false
    /// Whether the caller must be a user, not a client or the anonymous key (ROLE-02).
    package var loginRequired = true
    /// Whether only social logins are accepted, where a login is required (AMB-30, FB-05).
    package var socialLogin = false
    package var roles = RoleNames()
    /// Accepted client certificates, public route or not; nil for no requirement, empty for any certificate that the
    /// listener accepts.
    package var clientCertificate: [CertificatePattern]?
    /// The least level of a credential (CHAL-06); nil for that of the scheme or the Webgate.
    package var level: Int?

    package init() {}

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
