import Bytes

/// What is kept of a user's login for the tokens that come of it: in sessions, authorization codes and refresh tokens.
package struct LoginFacts: Sendable, Equatable {
    /// Time of the login here in seconds since 1970.
    package var authenticatedAt: Int64
    /// The same of the login at an identity provider, which may be older; nil if it has not said it.
    package var providerTime: Int64?
    /// Authentication methods: `amr` values of RFC 8176.
    package var methods: [String] = []
    package var level: Int
    /// Whether the user has no account here, so that no realm applies, and `roles` are all that the user has.
    package var isVirtual = false
    /// In a session or code of a user with an account: those of the identity provider alone, since the account's are
    /// looked up for each token. In a refresh token: all that the user had.
    package var roles: [String] = []

    package init(authenticatedAt: Int64, level: Int) {
        self.authenticatedAt = authenticatedAt
        self.level = level
    }

    /// The login of a token's user; `now` where its time is unknown.
    package init(_ rights: TokenRights, now: Int64) {
        authenticatedAt = rights.authenticatedAt ?? now
        methods = rights.methods
        level = rights.level
        isVirtual = rights.virtual
        roles = rights.userRoles ?? rights.roles
    }

    /// Writes the members of a JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.member("auth_time", authenticatedAt)
        if let providerTime { writer.member("idp_time", providerTime) }
        writer.member("amr", methods)
        writer.member("level", level)
        writer.member("virtual", isVirtual)
        writer.member("roles", roles)
    }

    /// Reads what `write` has written; nil for anything else.
    package init?(_ node: JSONNode) {
        guard let authenticatedAt = node["auth_time"]?.integer,
            let methods = node["amr"]?.array?.compactMap(\.string),
            let level = node["level"]?.integer, (0...10).contains(level), let isVirtual = node["virtual"]?.bool,
            let roles = node["roles"]?.array?.compactMap(\.string)
        else { return nil }
        self.authenticatedAt = authenticatedAt
        providerTime = node["idp_time"]?.integer
        self.methods = methods
        self.level = Int(level)
        self.isVirtual = isVirtual
        self.roles = roles
    }
}

extension TokenRights {
    /// Takes over what a token says of its user's login, but for the roles, which may have changed since.
    package mutating func take(_ login: LoginFacts) {
        authenticatedAt = login.providerTime ?? login.authenticatedAt
        methods = login.methods
        level = login.level
        virtual = login.isVirtual
    }
}
