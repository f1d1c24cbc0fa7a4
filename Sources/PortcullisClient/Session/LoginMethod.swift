/// How a client logs in, and what it then sends.
public enum LoginMethod: String, Codable, Sendable, CaseIterable {
    /// A password grant at the OAuth endpoint; requests carry its access token.
    case oauth
    /// Each request carries user name and password.
    case basic
    /// A user token of the mobile service domain; for each webgate that challenges, an access token is got with it.
    case mobile = "oam"
    /// A user of an ApiOmat application: requests carry its session token, or user name and password, beside the key of the
    /// application.
    case application = "aom"
    /// Each request carries the anonymous key of the backend and a token of Facebook (FB-01).
    case facebook
    /// A token of somebody else was exchanged.
    case exchange
}

/// Whether a login may do without the server (OMS-12). It holds for one login alone.
public enum ConnectivityMode: String, Sendable, CaseIterable {
    case online, offline, auto
}

/// Who is logged in (OMS-05).
public struct AuthenticationContext: Equatable, Sendable {
    public let user: String?
    public let method: LoginMethod
    /// Authentication level, where the server said.
    public let level: Int?
    /// Seconds since 1970; nil where only the server knows.
    public let expiresAt: Int64?
    /// Whether the password was checked here, and the server knows nothing of it (OMS-12).
    public let isOffline: Bool

    init(_ login: KeptLogin, isOffline: Bool = false) {
        user = login.user
        method = login.method
        level = login.level
        expiresAt = login.expiresAt
        self.isOffline = isOffline
    }
}
