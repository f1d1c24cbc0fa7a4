import JOSE

/// The subject of an access token, its rights, and what binds and ends it.
///
/// The token service decides it, the token has it as claims, and the decision about requests reads it from there.
package struct TokenRights: Sendable, Equatable {
    /// User name, or client id for a token without a user (OAUTH-01).
    package var subject: String
    /// `.user` or `.client`.
    package var kind: Principal.Kind
    package var roles: [String]
    /// `user_roles`: all roles of the user, which count only on routes that trust the client of the token; nil for a client
    /// that has not registered itself, whose tokens have them all in `roles`.
    package var userRoles: [String]?
    /// Authentication level the token was obtained at (CHAL-06).
    package var level: Int
    /// Whether the user has no account in `users.json`.
    package var virtual = false
    /// Granted scope; nil where scopes are not configured.
    package var scope: String?
    /// When the user logged in, in seconds since 1970; nil for a token without a user, and where it is unknown
    /// (RFC 9068 section 2.2.1).
    package var authenticatedAt: Int64?
    /// How the user logged in: `amr` values of RFC 8176.
    package var methods: [String] = []
    /// Actors for the subject, the current one first (RFC 8693 section 4.1); empty without one.
    package var actors: [String] = []
    /// The Webgate whose routes it opens, and no others; nil for a token that is bound to none (DEC-06).
    package var webgate: String?
    /// `sid`: the session that it was obtained in, and ends with; nil for a token of no session (OMS-17).
    package var session: String?
    /// `idle`: seconds without a request after which that session ends; nil for no limit (OMS-09).
    package var idleSeconds: Int64?
    /// `offline`: whether the user logged in without the server that knows the password (OMS-12).
    package var isOffline = false
    /// `login`: how the user of the session has logged in (`LoginClass.text`); nil for a token of no session (CACHE-11).
    package var login: String?
    /// What the token was exchanged for, the latest first; empty for a token of a login.
    package var origins: [TokenOrigin] = []
    /// `cnf`: the keys whose possession the sender of the token must prove; nil for a bearer token.
    package var binding: TokenBinding?

    package init(
        subject: String, kind: Principal.Kind, roles: [String] = [], level: Int = Principal.standardLevel
    ) {
        self.subject = subject
        self.kind = kind
        self.roles = roles
        self.level = level
    }
}
